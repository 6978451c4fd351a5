"""All components of a training, built from the configuration and one seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
import torch
from torch import nn
from torch.optim import Optimizer

from medloom_trainer.allocator import keep_freed_memory
from medloom_trainer.contract.members import is_ensemble, members_of
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.inference.batches import BatchPlan, FrozenFeatures, ImageNormalizer
from medloom_trainer.inference.precision import Precision, choose_precision
from medloom_trainer.model.ensemble import EnsembleNetwork, build_network
from medloom_trainer.model.network import MultimodalNetwork
from medloom_trainer.outcomes import OutcomeKind, kind_of_data
from medloom_trainer.outcomes.losses import CaseLoss
from medloom_trainer.training.augmentation.augmenter import Augmenter
from medloom_trainer.training.augmentation.standard import build_augmentation
from medloom_trainer.training.checkpoint_saver import CheckpointSaver
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.early_stopping import Monitor, build_monitor
from medloom_trainer.training.kernel_search import count_varies
from medloom_trainer.training.members.learners import Learners
from medloom_trainer.training.members.plan import EnsemblePlan, MemberRows, table_of_both
from medloom_trainer.training.optimization.lr_schedule import Schedule
from medloom_trainer.training.optimization.optimizer import build_optimizer, weights_of
from medloom_trainer.training.progress import Progress, RunningEpoch
from medloom_trainer.training.randomness import seed_everything, seed_process
from medloom_trainer.training.throughput import Throughput


@dataclass(frozen=True)
class Components:
    """The trained parts of a training, and the parts that control them."""

    kind: OutcomeKind
    network: MultimodalNetwork | EnsembleNetwork
    parameters: dict[str, nn.Parameter]
    """Trained parameters, by name."""
    learners: Learners | None
    """The separately trained networks of an ensemble."""
    loss: CaseLoss
    optimizer: Optimizer
    scaler: torch.amp.GradScaler
    schedule: Schedule
    monitor: Monitor
    precision: Precision
    augmentation: Augmenter
    normalizer: ImageNormalizer


@dataclass(frozen=True)
class TrainingRun:
    """One training: its inputs, its components, and its progress."""

    spec: Spec
    data: PreparedData
    events: Events
    control: Control
    group: Group
    plan: BatchPlan | EnsemblePlan
    components: Components
    progress: Progress
    throughput: Throughput
    saver: CheckpointSaver
    train_features: FrozenFeatures | None = None
    val_features: FrozenFeatures | None = None

    @property
    def kind(self) -> OutcomeKind:
        return self.components.kind

    @property
    def loop(self) -> dict[str, Any]:
        """The training part of the configuration."""
        loop: dict[str, Any] = self.spec.config["training"]
        return loop

    @property
    def directory(self) -> RunDirectory:
        return RunDirectory(self.spec.run_dir)

    @property
    def fence(self) -> AttemptFence:
        return AttemptFence(RunDirectory(self.spec.job_dir), self.spec.attempt)


def build_run(
    spec: Spec, data: PreparedData, *, events: Events, control: Control, group: Group
) -> TrainingRun:
    """INVALID_CONFIG, WEIGHTS_UNAVAILABLE or MODEL_TOO_LARGE if the configuration does not fit the data."""
    loop = spec.config["training"]
    plan = _plan(spec.config, data, group)
    components = _build_components(spec.config, data, plan, group.device)
    seed_process(loop["seed"], group.rank)  # not before: all start with the same weights
    return TrainingRun(
        spec=spec,
        data=data,
        events=events,
        control=control,
        group=group,
        plan=plan,
        components=components,
        progress=Progress(
            RunningEpoch(plan.total_batches, group.device, counts_right=components.kind.knows_right_and_wrong)
        ),
        throughput=Throughput(loop["epochs"], plan.num_cases / plan.num_networks, len(data.val.values)),
        saver=CheckpointSaver(events),
    )


def labels_of(cases: Cases) -> npt.NDArray[Any]:
    """The truth in the form of the kind of outcome: (N,) class indices, or numbers in original units."""
    if cases.labels is None:
        raise ValueError("a training requires labels")
    return cases.labels


def _plan(config: dict[str, Any], data: PreparedData, group: Group) -> BatchPlan | EnsemblePlan:
    loop, num_train = config["training"], len(data.train.values)
    if not is_ensemble(config):
        return _batch_plan(loop, num_train, group)
    if group.size > 1:
        message = phrase("ensemble_in_one_process", processes=group.size)
        raise TrainerError("INVALID_CONFIG", message, phrase("one_device_or_member"))
    rows = MemberRows.from_data(data, members_of(config).count)
    images = num_train if config["model"]["fusion_type"] == "late" else 0
    return EnsemblePlan(
        rows.training, images, loop["batch_size"], loop["gradient_accumulation"], loop["seed"]
    )


def _batch_plan(loop: dict[str, Any], num_cases: int, group: Group) -> BatchPlan:
    batch_size = int(loop["batch_size"])
    if batch_size < group.size:
        raise TrainerError(
            "INVALID_CONFIG",
            phrase("batch_below_processes", size=batch_size, processes=group.size),
        )
    # Every process of the group trains at least two cases of each batch.
    return BatchPlan(num_cases, batch_size, loop["gradient_accumulation"], loop["seed"], 2 * group.size)


def _build_components(
    config: dict[str, Any], data: PreparedData, plan: BatchPlan | EnsemblePlan, device: torch.device
) -> Components:
    loop, kind = config["training"], kind_of_data(data)
    if device.type == "cpu":
        keep_freed_memory()
    seed_everything(loop["seed"], deterministic=loop["deterministic"])
    network = build_network(
        config, layout=data.layout, num_views=data.num_views, num_outputs=kind.num_outputs, task=kind.task
    )
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    if count_varies(network, data.train):
        torch.backends.cudnn.benchmark = False
    monitor = build_monitor(loop["early_stopping"], kind, labels_of(data.val))
    learners = _learners(network, plan, data, kind, monitor)
    if learners is None:
        parameters, decaying = dict(network.named_parameters()), weights_of(network)
    else:
        parameters, decaying = learners.parameters(), learners.decaying()
    train_targets = kind.targets(labels_of(data.train)) if learners is None else learners.targets
    precision = choose_precision(loop["mixed_precision"], device)
    return Components(
        kind=kind,
        network=network,
        parameters=parameters,
        learners=learners,
        loss=kind.loss(loop, train_targets).to(device),
        optimizer=build_optimizer(parameters, decaying, loop, device),
        scaler=torch.amp.GradScaler(device.type, enabled=precision == "fp16"),
        schedule=Schedule(
            loop["scheduler"],
            total_steps=loop["epochs"] * plan.steps_per_epoch,
            steps_per_epoch=plan.steps_per_epoch,
            warmup_epochs=loop["warmup_epochs"],
        ),
        monitor=monitor,
        precision=precision,
        augmentation=build_augmentation(
            config["data"]["augmentation"],
            horizontal_flip=config["data"]["horizontal_flip"],
            seed=loop["seed"],
            shades=not data.measured,
        ),
        normalizer=ImageNormalizer(data.image_normalization, device),
    )


def _learners(
    network: MultimodalNetwork | EnsembleNetwork,
    plan: BatchPlan | EnsemblePlan,
    data: PreparedData,
    kind: OutcomeKind,
    monitor: Monitor,
) -> Learners | None:
    """None for a network that is trained as a whole."""
    if isinstance(network, MultimodalNetwork) or isinstance(plan, BatchPlan):
        return None
    table = table_of_both(data)
    rows = MemberRows.from_data(data, len(network.members))
    return Learners.from_network(network, plan, rows, table, kind.targets(labels_of(table)), monitor)
