"""The values that a training saves in a checkpoint to continue exactly where it stopped, and their
restoration."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.data.types import HELD_OUT, PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import (
    Checkpoint,
    Snapshot,
    load_checkpoint,
    save_checkpoint,
    share_checkpoint,
    snapshot,
)
from medloom_trainer.inference.checkpoint_files import read_manifest
from medloom_trainer.inference.stored_network import layout_to_json
from medloom_trainer.training.build import Components, TrainingRun
from medloom_trainer.training.history import history_of
from medloom_trainer.training.members.learners import BEST_WEIGHTS
from medloom_trainer.training.optimization.optimizer import names_as_counted_before, names_in_order
from medloom_trainer.training.progress import Position
from medloom_trainer.training.randomness import random_state, restore_random_state

_MAY_DIFFER = {
    "data": {
        "train_csv",
        "val_csv",
        "test_csv",
        "image_root",
        "subgroup_columns",
        "allow_leakage",
        "missing_indicator",
    },
    "model": {"pretrained", "fine_tune_from"},
    "training": {
        "epochs",
        "device",
        "compile",
        "num_workers",
        "checkpoint_interval",
        "early_stopping",
        "operating_points",
        "conformal",
    },
}
"""Keys that a continued training may change: they do not affect the results of the finished epochs. Tables
may have moved; their content is compared by digest. For `missing_indicator` only its effect counts: without a
statistic or a gap it has none."""


_OR_FINE_TUNE = phrase("or_fine_tune")


_Write = Callable[[], None]


def save_run(
    run: TrainingRun,
    *names: str,
    metrics: dict[str, float | None],
    epoch: int,
    write: Callable[[], object] = lambda: None,
    report: Callable[[], object] = lambda: None,
) -> None:
    """Save the checkpoint `last` and share it under the other names, concurrently with the training: the
    saved values are copied before this returns. `write` writes what must be durable before the checkpoint,
    `report` writes the events that depend on all this. Each process contributes the state of its random
    numbers; the first one writes.

    The saver raises DISK_FULL if there is no room, WORKER_LOST if a newer attempt of the job has begun.
    """
    packed = _pack(run)
    if not run.group.is_first:
        return
    last = run.directory.checkpoint("last")
    writes = [_save(run, last, packed, metrics=metrics, epoch=epoch)]
    for name in names:
        if name == "best" and run.components.learners is not None:
            writes.append(_save_best_epochs(run, packed, epoch))
        else:
            writes.append(partial(share_checkpoint, last, run.directory.checkpoint(name), fence=run.fence))

    def write_all() -> None:
        for part in (write, *writes):
            part()

    def report_all() -> None:
        for name in ("last", *names):
            run.events.checkpoint(epoch, name)
        report()

    run.saver.save(write_all, report_all)


def _save(
    run: TrainingRun,
    folder: Path,
    packed: tuple[dict[str, Snapshot], dict[str, Any]],
    *,
    metrics: dict[str, float | None],
    epoch: int,
    **of_best: Any,
) -> _Write:
    """Return a function that writes the current state. packed: from `_pack`. of_best: additional values about
    the best epochs of an ensemble.
    """
    tensors, resume = packed
    state = {
        **_description(run, epoch),
        **of_best,
        "mixed_precision": run.components.precision,
        "resume": resume,
    }
    return partial(
        save_checkpoint,
        folder,
        job_id=run.spec.job_id,
        epoch=epoch,
        metrics=dict(metrics),
        state=copy.deepcopy(state),
        tensors=tensors,
        fence=run.fence,
        fine_tuned_from=run.spec.fine_tuned_from,
    )


def _save_best_epochs(
    run: TrainingRun, packed: tuple[dict[str, Snapshot], dict[str, Any]], epoch: int
) -> _Write:
    """Save each network of an ensemble at its best epoch. A training that continues from this checkpoint
    resumes at its current position. → a function that writes the current state
    """
    learners, best = run.components.learners, run.components.monitor.best
    assert learners is not None and best is not None
    tensors, resume = packed
    model, of_others = learners.weights(of_best=True)
    others = {
        name: tensor for name, tensor in tensors["optimizer"].items() if not name.startswith(BEST_WEIGHTS)
    }
    parts = {"model": snapshot(model), "optimizer": Snapshot({**others, **snapshot(of_others)})}
    return _save(
        run,
        run.directory.checkpoint("best"),
        (parts, resume),
        metrics=best["metrics"],
        epoch=epoch,
        **run.progress.of_best,
        member_epochs=learners.best_epochs,
    )


def resume_run(run: TrainingRun, folder: Path) -> None:
    """Restore the state of the job that saved the checkpoint in `folder`, and take over its best checkpoint.

    CHECKPOINT_MISMATCH if the configuration or the data differ from those of its training.
    """
    checkpoint = load_checkpoint(folder)
    _refuse_other(checkpoint.state, run.spec.config, run.data)
    _unpack(run, checkpoint)
    if run.components.monitor.best is None or not run.group.is_first:
        return
    if run.components.learners is not None:
        _save_best_epochs(run, _pack(run), checkpoint.state["epoch"])()
    else:
        source = folder if _is_best(checkpoint) else folder.parent / "best"
        if _epoch_of(source) != run.components.monitor.best["epoch"]:
            # The job continued, and a later epoch was better: the weights of the best epoch up to here no
            # longer exist.
            run.components.monitor.forget_best()
            return
        best = run.directory.checkpoint("best")
        share_checkpoint(source, best, fence=run.fence, job_id=run.spec.job_id)


def _epoch_of(folder: Path) -> int | None:
    """None if there is no checkpoint."""
    try:
        return int(read_manifest(folder)["epoch"])
    except TrainerError:
        return None


def _is_best(checkpoint: Checkpoint) -> bool:
    """Return whether these are the weights of the best epoch: those at its end, not of a batch after it."""
    resume = checkpoint.state["resume"]
    at_end = resume["position"]["batch"] == 0
    return at_end and bool(resume["best"]["epoch"] == checkpoint.state["epoch"])


def _description(run: TrainingRun, epoch: int) -> dict[str, Any]:
    """The state that evaluation needs, as JSON."""
    data = run.data
    return {
        "job_id": run.spec.job_id,
        "job_name": run.spec.job_name,
        "epoch": epoch,
        "config": run.spec.config,
        "task": data.task,
        "classes": list(data.classes) if data.classes else None,
        "preprocessing": data.preprocessing,
        "layout": layout_to_json(data.layout),
        "image_normalization": data.image_normalization,
        "label_normalization": data.label_normalization,
        "num_views": data.num_views,
        "num_outputs": run.kind.num_outputs,
        "threshold": run.progress.threshold,
        "fitted_on_validation": run.progress.fitted_on_validation,
        "last_epoch": run.progress.history[-1] if run.progress.history else None,
        "data_digests": _digests_of(data),
        "fine_tuned_from": run.spec.fine_tuned_from,
    }


def _pack(run: TrainingRun) -> tuple[dict[str, Snapshot], dict[str, Any]]:
    """→ copies of the tensors of the parts "model" and "optimizer", and JSON"""
    parts, progress, group = run.components, run.progress, run.group
    moments: dict[str, Tensor] = {}
    numbers: dict[str, dict[str, Any]] = {}
    for name, parameter in parts.parameters.items():
        for key, value in parts.optimizer.state.get(parameter, {}).items():
            if isinstance(value, Tensor):
                moments[f"moment.{name}.{key}"] = value
            else:
                numbers.setdefault(name, {})[key] = value
    # Between the batches of one optimizer step the gradients so far are part of the state; each process has
    # its own, and continues with their mean.
    gradients = {
        f"gradient.{name}": group.mean(parameter.grad)
        for name, parameter in parts.parameters.items()
        if parameter.grad is not None
    }
    randomness = {
        f"random.{rank}.{name}": tensor
        for rank, state in enumerate(group.gather_states(random_state(group.device)))
        for name, tensor in state.items()
    }
    sums, right = group.sum(progress.running.sums), group.sum(progress.running.right)
    running = {"epoch.sums": sums, "epoch.right": right}
    resume = {
        "position": asdict(progress.position),
        "schedule": parts.schedule.state(),
        "scaler": parts.scaler.state_dict(),
        "moments": numbers,
        **parts.monitor.state(),
    }
    model, of_others = dict(parts.network.state_dict()), dict[str, Tensor]()
    if parts.learners is not None:
        model, of_others = parts.learners.weights(of_best=False)
        resume |= {"networks": parts.learners.state(), "of_best": progress.of_best}
    return {
        "model": snapshot(model),
        "optimizer": snapshot({**moments, **gradients, **randomness, **running, **of_others}),
    }, resume


def _unpack(run: TrainingRun, checkpoint: Checkpoint) -> None:
    """Restore the state that `_pack` returned."""
    parts, progress = run.components, run.progress
    resume, tensors = checkpoint.state["resume"], checkpoint.tensors("optimizer")
    if parts.learners is None:
        parts.network.load_state_dict(checkpoint.tensors("model"))
    else:
        parts.learners.restore_weights(checkpoint.tensors("model"), tensors)
        parts.learners.restore(resume["networks"])
        progress.of_best = resume["of_best"]
    if all("means" not in column for column in checkpoint.state["layout"]["columns"]):
        parts.network.measure_missing_from_means()
    _unpack_optimizer(parts, resume["moments"], tensors)
    _unpack_gradients(parts.parameters, tensors)
    if parts.scaler.is_enabled() and resume["scaler"]:
        parts.scaler.load_state_dict(resume["scaler"])
    parts.schedule.restore(resume["schedule"])
    parts.monitor.restore(resume)
    progress.position = Position(**resume["position"])
    if checkpoint.folder == run.directory.checkpoint("last"):
        progress.resumed_at = replace(progress.position)
    progress.history = history_of(checkpoint)
    progress.threshold = checkpoint.state["threshold"]
    progress.fitted_on_validation = checkpoint.state.get("fitted_on_validation")
    _unpack_sums(run, tensors)
    prefix = f"random.{run.group.rank}."
    mine = {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
    if mine:
        restore_random_state(mine, run.group.device)


def _unpack_optimizer(
    parts: Components, numbers: dict[str, dict[str, Any]], tensors: dict[str, Tensor]
) -> None:
    optimizer = parts.optimizer
    moments: dict[str, dict[str, Any]] = {name: dict(values) for name, values in numbers.items()}
    for name, tensor in tensors.items():
        if name.startswith("moment."):
            parameter_name, key = name.removeprefix("moment.").rsplit(".", 1)
            moments.setdefault(parameter_name, {})[key] = tensor
    if all(name.isdigit() for name in moments):  # older checkpoints identify parameters by number
        before = names_as_counted_before(parts.network)
        moments = {before[int(number)]: values for number, values in moments.items()}
    order = enumerate(names_in_order(parts.parameters, optimizer))
    state = {index: moments[name] for index, name in order if name in moments}
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
    for parameter, values in optimizer.state.items():
        for key, value in values.items():
            if isinstance(value, Tensor) and value.shape == parameter.shape:
                values[key] = _laid_out_like(parameter, value)


def _unpack_gradients(parameters: Mapping[str, nn.Parameter], tensors: dict[str, Tensor]) -> None:
    for name, parameter in parameters.items():
        if f"gradient.{name}" in tensors:
            parameter.grad = _laid_out_like(parameter, tensors[f"gradient.{name}"])


def _unpack_sums(run: TrainingRun, tensors: dict[str, Tensor]) -> None:
    """Restore the sums of the running epoch, which are those of the whole group and therefore count once."""
    running = run.progress.running
    if not run.progress.position.batch:
        return
    if len(tensors["epoch.sums"]) != len(running.sums):
        raise TrainerError("CHECKPOINT_MISMATCH", phrase("batches_differ"))
    if run.group.is_first:
        running.sums.copy_(tensors["epoch.sums"])
        running.right.copy_(tensors["epoch.right"])


def _laid_out_like(parameter: Tensor, value: Tensor) -> Tensor:
    """Files do not contain strides; sums over another memory order round differently."""
    return torch.empty_like(parameter, requires_grad=False).copy_(value)


def _refuse_other(state: dict[str, Any], config: dict[str, Any], data: PreparedData) -> None:
    for part, keys in config.items():
        for key, value in keys.items():
            before = state["config"][part].get(key)
            if key not in _MAY_DIFFER[part] and value != before:
                raise TrainerError(
                    "CHECKPOINT_MISMATCH",
                    phrase(
                        "setting_of_checkpoint_differs",
                        part=part,
                        key=key,
                        value=repr(value),
                        before=repr(before),
                    ),
                    join(phrase("resume_with_configuration"), _OR_FINE_TUNE, mark="space"),
                )
    classes = None if data.classes is None else list(data.classes)
    if state["classes"] != classes:
        raise TrainerError(
            "CHECKPOINT_MISMATCH",
            phrase("classes_of_checkpoint_differ", classes=str(classes), before=str(state["classes"])),
            phrase("new_training_class"),
        )
    if state["preprocessing"].get("images") != data.preprocessing.get("images"):
        raise TrainerError(
            "CHECKPOINT_MISMATCH",
            phrase("image_preprocessing_differs"),
            phrase("new_training_images"),
        )
    for split, digest in _digests_of(data).items():
        if state["data_digests"][split] != digest:
            raise TrainerError(
                "CHECKPOINT_MISMATCH",
                phrase("split_differs", split=split),
                join(phrase("resume_with_tables"), _OR_FINE_TUNE, mark="space"),
            )
    if _indicators(state["preprocessing"]) != _indicators(data.preprocessing):
        given = config["data"]["missing_indicator"]
        raise TrainerError(
            "CHECKPOINT_MISMATCH",
            phrase("indicator_differs", value=repr(given), before=repr(not given)),
            phrase("resume_or_new"),
        )


def _digests_of(data: PreparedData) -> dict[str, str]:
    parts = {"train": data.train, "val": data.val, HELD_OUT: data.held_out}
    return {split: cases.digest for split, cases in parts.items() if cases is not None}


def _indicators(preprocessing: dict[str, Any]) -> list[str]:
    """Columns with an indicator of gaps; none in versions before this key."""
    columns = preprocessing.get("table", {}).get("columns", [])
    return [column["name"] for column in columns if column.get("indicator", False)]
