"""What a training packs into a checkpoint, so that it can go on as if it had never stopped, and how it is
unpacked.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.model.network import MultimodalNetwork
from medloom_trainer.training.checkpoint import Checkpoint, layout_to_json
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.early_stopping import Monitor
from medloom_trainer.training.optimization.lr_schedule import Schedule
from medloom_trainer.training.progress import EpochRecord
from medloom_trainer.training.randomness import random_state, restore_random_state

MAY_DIFFER = {
    "data": {"train_csv", "val_csv", "test_csv", "image_root", "subgroup_columns", "allow_leakage"},
    "model": {"pretrained"},
    "training": {"epochs", "device", "num_workers", "checkpoint_interval", "early_stopping"},
}
"""Keys that a continued training may change: they do not alter what the finished epochs computed. Tables may
have moved; their content is compared by digest."""


@dataclass
class Position:
    """The next thing to do: epoch counts from 1, batch and optimizer step from 0."""

    epoch: int
    batch: int
    step: int


def describe(
    spec: Spec,
    data: PreparedData,
    *,
    epoch: int,
    history: list[dict[str, Any]],
    threshold: float | None,
    num_outputs: int,
) -> dict[str, Any]:
    """The state that evaluation needs, as JSON."""
    return {
        "job_id": spec.job_id,
        "job_name": spec.job_name,
        "epoch": epoch,
        "config": spec.config,
        "task": data.task,
        "classes": list(data.classes) if data.classes else None,
        "preprocessing": data.preprocessing,
        "layout": layout_to_json(data.layout),
        "image_normalization": data.image_normalization,
        "label_normalization": data.label_normalization,
        "num_views": data.num_views,
        "num_outputs": num_outputs,
        "threshold": threshold,
        "history": history,
        "data_digests": {"train": data.train.digest, "val": data.val.digest},
    }


def pack(
    network: MultimodalNetwork,
    optimizer: Optimizer,
    scaler: torch.amp.GradScaler,
    schedule: Schedule,
    monitor: Monitor,
    record: EpochRecord,
    position: Position,
    group: Group,
) -> tuple[dict[str, dict[str, Tensor]], dict[str, Any]]:
    """→ tensors of the parts "model" and "optimizer", and JSON."""
    moments: dict[str, Tensor] = {}
    numbers: dict[str, dict[str, Any]] = {}
    for index, values in optimizer.state_dict()["state"].items():
        for name, value in values.items():
            if isinstance(value, Tensor):
                moments[f"moment.{index}.{name}"] = value
            else:
                numbers.setdefault(str(index), {})[name] = value
    # Between the batches of one optimizer step the gradients so far are part of the state.
    gradients = {f"gradient.{n}": p.grad for n, p in network.named_parameters() if p.grad is not None}
    randomness = {
        f"random.{rank}.{name}": tensor
        for rank, state in enumerate(group.gather_states(random_state(group.device)))
        for name, tensor in state.items()
    }
    sums, right = group.sum(record.sums), group.sum(record.right)
    running = {"epoch.sums": sums, "epoch.right": right}
    resume = {
        "position": asdict(position),
        "schedule": schedule.state(),
        "scaler": scaler.state_dict(),
        "moments": numbers,
        "best": monitor.best,
        "epochs_without_improvement": monitor.epochs_without_improvement,
    }
    return {
        "model": dict(network.state_dict()),
        "optimizer": {**moments, **gradients, **randomness, **running},
    }, resume


def unpack(
    checkpoint: Checkpoint,
    config: dict[str, Any],
    data: PreparedData,
    network: MultimodalNetwork,
    optimizer: Optimizer,
    scaler: torch.amp.GradScaler,
    schedule: Schedule,
    monitor: Monitor,
    record: EpochRecord,
    group: Group,
) -> tuple[Position, list[dict[str, Any]], float | None]:
    """Put everything back where `pack` found it. → position, history, threshold

    CHECKPOINT_MISMATCH when the configuration or the data differ from what the checkpoint was trained with.
    """
    state = checkpoint.state
    _refuse_other(state, config, data)
    resume, tensors = state["resume"], checkpoint.tensors("optimizer")
    network.load_state_dict(checkpoint.tensors("model"))
    moments: dict[int, dict[str, Any]] = {
        int(index): dict(values) for index, values in resume["moments"].items()
    }
    for name, tensor in tensors.items():
        if name.startswith("moment."):
            _, index, key = name.split(".", 2)
            moments.setdefault(int(index), {})[key] = tensor
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    for parameter, values in optimizer.state.items():
        for key, value in values.items():
            if isinstance(value, Tensor) and value.shape == parameter.shape:
                values[key] = _laid_out_like(parameter, value)
    for name, parameter in network.named_parameters():
        if f"gradient.{name}" in tensors:
            parameter.grad = _laid_out_like(parameter, tensors[f"gradient.{name}"])
    if scaler.is_enabled() and resume["scaler"]:
        scaler.load_state_dict(resume["scaler"])
    schedule.restore(resume["schedule"])
    monitor.best = resume["best"]
    monitor.epochs_without_improvement = resume["epochs_without_improvement"]
    position = Position(**resume["position"])
    if position.batch and len(tensors["epoch.sums"]) != len(record.sums):
        raise TrainerError("CHECKPOINT_MISMATCH", "the number of batches differs from that of the checkpoint")
    if position.batch and group.is_first:  # the sums of the whole group; counted once
        record.sums.copy_(tensors["epoch.sums"])
        record.right.copy_(tensors["epoch.right"])
    prefix = f"random.{group.rank}."
    mine = {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
    if mine:
        restore_random_state(mine, group.device)
    return position, list(state["history"]), state["threshold"]


def _laid_out_like(parameter: Tensor, value: Tensor) -> Tensor:
    """Files forget strides; sums over another memory order round differently."""
    return torch.empty_like(parameter, requires_grad=False).copy_(value)


def _refuse_other(state: dict[str, Any], config: dict[str, Any], data: PreparedData) -> None:
    for part, keys in config.items():
        for key, value in keys.items():
            before = state["config"][part].get(key)
            if key not in MAY_DIFFER[part] and value != before:
                raise TrainerError(
                    "CHECKPOINT_MISMATCH",
                    f"{part}.{key} is {value!r}, but the checkpoint was trained with {before!r}",
                    "Resume with the configuration of that job, or start a new training.",
                )
    for split, digest in {"train": data.train.digest, "val": data.val.digest}.items():
        if state["data_digests"][split] != digest:
            raise TrainerError(
                "CHECKPOINT_MISMATCH",
                f"the {split} split is not the one that the checkpoint was trained with",
                "Resume with the same tables and images, or start a new training.",
            )
