"""Everything that a training consists of, built from the configuration and one seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.optim import Optimizer

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.model.network import MultimodalNetwork, build_network
from medloom_trainer.training.augmentation.methods import MethodAugmentation
from medloom_trainer.training.augmentation.standard import Augmentation, build_augmentation
from medloom_trainer.training.batches import BatchPlan, ImageNormalizer
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.early_stopping import Monitor, build_monitor
from medloom_trainer.training.optimization.losses import CaseLoss, build_loss
from medloom_trainer.training.optimization.lr_schedule import Schedule
from medloom_trainer.training.optimization.optimizer import build_optimizer
from medloom_trainer.training.optimization.precision import Precision, choose_precision
from medloom_trainer.training.progress import Progress, RunningEpoch
from medloom_trainer.training.randomness import seed_everything, seed_process
from medloom_trainer.training.throughput import Throughput
from medloom_trainer.worker.allocator import keep_freed_memory
from medloom_trainer.worker.control import Control
from medloom_trainer.worker.events import Events
from medloom_trainer.worker.fence import AttemptFence


@dataclass(frozen=True)
class Components:
    """What learns, and what steers it."""

    network: MultimodalNetwork
    loss: CaseLoss
    optimizer: Optimizer
    scaler: torch.amp.GradScaler
    schedule: Schedule
    monitor: Monitor
    precision: Precision
    augmentation: Augmentation | MethodAugmentation
    normalizer: ImageNormalizer


@dataclass(frozen=True)
class TrainingRun:
    """One training: what it was given, what it consists of, and how far it has come."""

    spec: Spec
    data: PreparedData
    events: Events
    control: Control
    group: Group
    plan: BatchPlan
    components: Components
    progress: Progress
    throughput: Throughput

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
        return AttemptFence(self.directory, self.spec.attempt)


def build_run(
    spec: Spec, data: PreparedData, *, events: Events, control: Control, group: Group
) -> TrainingRun:
    """INVALID_CONFIG, WEIGHTS_UNAVAILABLE or MODEL_TOO_LARGE when the configuration does not fit the data."""
    loop = spec.config["training"]
    plan = _batch_plan(loop, len(data.train.values), group)
    components = _build_components(spec.config, data, plan, group.device)
    seed_process(loop["seed"], group.rank)  # not before: all begin with the same weights
    return TrainingRun(
        spec=spec,
        data=data,
        events=events,
        control=control,
        group=group,
        plan=plan,
        components=components,
        progress=Progress(RunningEpoch(plan.total_batches, group.device)),
        throughput=Throughput(loop["epochs"], plan.num_cases, len(data.val.values)),
    )


def num_outputs(data: PreparedData) -> int:
    """K classes, or 1 for a regression."""
    return len(data.classes) if data.classes else 1


def labels_of(cases: Cases) -> npt.NDArray[Any]:
    """(N,) class indices, or numbers in original units."""
    if cases.labels is None:
        raise ValueError("training needs labels")
    return cases.labels


def targets_of(data: PreparedData, cases: Cases) -> npt.NDArray[Any]:
    """What the loss compares with: class indices (N,) int64, or normalized numbers (N,) float32."""
    labels = labels_of(cases)
    if data.label_normalization is None:
        return labels.astype(np.int64)
    return ((labels - data.label_normalization["mean"]) / data.label_normalization["std"]).astype(np.float32)


def _batch_plan(loop: dict[str, Any], num_cases: int, group: Group) -> BatchPlan:
    batch_size = int(loop["batch_size"])
    if batch_size < group.size:
        raise TrainerError(
            "INVALID_CONFIG", f"batch_size {batch_size} is smaller than the {group.size} processes"
        )
    # Every process of the group trains at least two cases of each batch.
    return BatchPlan(num_cases, batch_size, loop["gradient_accumulation"], loop["seed"], 2 * group.size)


def _build_components(
    config: dict[str, Any], data: PreparedData, plan: BatchPlan, device: torch.device
) -> Components:
    loop, outputs = config["training"], num_outputs(data)
    if device.type == "cpu":
        keep_freed_memory()
    seed_everything(loop["seed"], deterministic=loop["deterministic"])
    network = build_network(config, layout=data.layout, num_views=data.num_views, num_outputs=outputs)
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    train_targets = targets_of(data, data.train)
    precision = choose_precision(loop["mixed_precision"], device)
    return Components(
        network=network,
        loss=build_loss(loop, task=data.task, classes=data.classes, labels=train_targets).to(device),
        optimizer=build_optimizer(network, loop, device),
        scaler=torch.amp.GradScaler(device.type, enabled=precision == "fp16"),
        schedule=Schedule(
            loop["scheduler"],
            total_steps=loop["epochs"] * plan.steps_per_epoch,
            steps_per_epoch=plan.steps_per_epoch,
            warmup_epochs=loop["warmup_epochs"],
        ),
        monitor=build_monitor(
            loop["early_stopping"], task=data.task, num_classes=outputs, labels=labels_of(data.val)
        ),
        precision=precision,
        augmentation=build_augmentation(
            config["data"]["augmentation"],
            horizontal_flip=config["data"]["horizontal_flip"],
            seed=loop["seed"],
            shades=not data.measured,
        ),
        normalizer=ImageNormalizer(data.image_normalization, device),
    )
