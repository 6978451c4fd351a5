"""The training loop, from prepared data to the best checkpoint."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from torch import nn

from medloom_trainer.contract.members import linear_share, members_of
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events, finite
from medloom_trainer.inference.predict import StopRequested
from medloom_trainer.training.build import TrainingRun, build_run, labels_of
from medloom_trainer.training.compilation import compile_backbone
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.distributed.unused_parameters import may_leave_unused_parameters
from medloom_trainer.training.epoch import Validation, train_epoch, validate_epoch
from medloom_trainer.training.fine_tuning import start_from_trained, with_members, with_origin
from medloom_trainer.training.frozen_features import with_frozen_features
from medloom_trainer.training.history import append_epoch, begin_history, publish_history
from medloom_trainer.training.members.epoch import (
    best_validation,
    restore_best_outputs,
    train_ensemble_epoch,
    validate_ensemble_epoch,
)
from medloom_trainer.training.resume import resume_run, save_run
from medloom_trainer.training.validation_fit import fit_on_validation
from medloom_trainer.warnings import Warnings

Metrics = dict[str, float | None]
Status = Literal["completed", "stopped"]


@dataclass(frozen=True)
class Outcome:
    """Result of a training."""

    status: Status
    reason: str
    epoch: int
    metrics: Metrics
    best: dict[str, Any] | None
    best_checkpoint: str | None
    """Relative to the run directory; after a stop in the first epoch it is the last checkpoint, the only
    one.
    """
    best_predictions: npt.NDArray[np.float64] | None
    """Predictions of the validation split by the best checkpoint; None if an earlier job trained that
    epoch."""
    baseline_verdict: dict[str, Any] | None = None
    """Contract BaselineVerdict: the best baseline on the validation split."""


def train(spec: Spec, data: PreparedData, *, events: Events, control: Control, group: Group) -> Outcome:
    """Train to the end, to early stopping, or until a stop or finish is requested. Writes events, checkpoints
    and the history. Preparing the data ensures that the batch is at most as large as the training split.

    Raises TrainerError (LOSS_NOT_FINITE, DISK_FULL, CHECKPOINT_MISMATCH, …).
    """
    run = build_run(with_members(with_origin(spec)), data, events=events, control=control, group=group)
    _report_prepared(run, compile_backbone(run))
    if spec.resume_from is not None:
        resume_run(run, spec.resume_from)
        restore_best_outputs(run)
    else:
        start_from_trained(run)
    if group.is_first:
        begin_history(run)
    try:
        outcome = _train_epochs(run)
    except BaseException:
        run.saver.settle()
        with suppress(TrainerError, OSError):
            _publish_history(run)
        raise
    _publish_history(run)
    return outcome


def _publish_history(run: TrainingRun) -> None:
    if run.group.is_first and run.progress.history:
        publish_history(run)


def _train_epochs(run: TrainingRun) -> Outcome:
    """Train from the position of the run."""
    events, group = run.events, run.group
    if _was_exhausted(run):
        return _outcome(run, "completed", _early_stopping(run), run.progress.position.epoch - 1)
    try:
        run = with_frozen_features(run)
    except StopRequested:
        return _stop_inside(run, run.progress.position.epoch)
    model = group.wrap(
        run.components.network, some_unused=group.size > 1 and may_leave_unused_parameters(run)
    )
    epochs = run.loop["epochs"]
    for epoch in range(run.progress.position.epoch, epochs + 1):
        started = time.perf_counter()
        if not _train_epoch(run, model, epoch):
            return _stop_inside(run, epoch)
        trained = time.perf_counter()
        validation = _validate_epoch(run, epoch)
        if validation is None:
            return _stop_inside(run, epoch)
        metrics = _record_epoch(run, epoch, validation)
        is_best = _choose_best(run, epoch, metrics, validation)
        report = partial(
            events.epoch_end,
            epoch=epoch,
            total_epochs=epochs,
            metrics=metrics,
            duration_seconds=time.perf_counter() - started,
            is_best=is_best,
        )
        _save_epoch(run, epoch, metrics, is_best, report)
        run.throughput.seconds_between = time.perf_counter() - trained
        end = _end_after(run, epoch)
        if end is not None:
            return _outcome(run, *end, epoch)
    return _outcome(run, "completed", phrase("all_epochs_done"), epochs)


def _train_epoch(run: TrainingRun, model: nn.Module, epoch: int) -> bool:
    learners = run.components.learners
    return train_epoch(run, model, epoch) if learners is None else train_ensemble_epoch(run, learners, epoch)


def _validate_epoch(run: TrainingRun, epoch: int) -> Validation | None:
    learners = run.components.learners
    return validate_epoch(run, epoch) if learners is None else validate_ensemble_epoch(run, learners, epoch)


def _report_prepared(run: TrainingRun, found: Warnings) -> None:
    """found: warnings in addition to those of the data."""
    for new in found:
        print(f"{new['code']}: {new['message']}", flush=True)
    network, group = run.components.network, run.group
    members = members_of(run.spec.config)
    run.events.prepared(
        {
            **run.data.summary,
            "warnings": [*run.data.summary["warnings"], *found],
            "members": members.count,
            "member_validation": members.validation,
            "linear_share": linear_share(run.spec.config),
            "parameters": sum(parameter.numel() for parameter in network.parameters()),
            "trainable_parameters": sum(p.numel() for p in network.parameters() if p.requires_grad),
            "device": str(group.device) if group.size == 1 else run.loop["device"],
            "mixed_precision": run.components.precision,
            "monitor": run.components.monitor.metric,
        }
    )


def _record_epoch(run: TrainingRun, epoch: int, validation: Validation) -> Metrics:
    """Add the epoch to the history. → its metrics"""
    progress, parts = run.progress, run.components
    loss, accuracy = progress.running.totals(run.plan.num_cases, run.group)
    metrics = finite(
        {
            "train_loss": loss,
            **({} if accuracy is None else {"train_accuracy": accuracy}),
            **validation.metrics,
            "learning_rate": parts.schedule.apply(parts.optimizer, progress.position.step - 1),
        }
    )
    progress.history.append({"epoch": epoch, "metrics": metrics, "notes": validation.notes})
    run.events.validation(epoch, {**validation.metrics, "loss": loss, "accuracy": accuracy}, validation.notes)
    return metrics


def _choose_best(run: TrainingRun, epoch: int, metrics: Metrics, validation: Validation) -> bool:
    """Return whether no earlier epoch was better. Update the schedule, and fit the values that depend on
    validation."""
    learners, monitor = run.components.learners, run.components.monitor
    if learners is None:
        is_best, best = monitor.end_epoch(epoch, metrics), validation
    else:
        is_best = learners.end_epoch(epoch, validation.outputs, validation.of_networks)
        monitor.epochs_without_improvement = learners.epochs_without_improvement
        best = best_validation(run, learners)
        if is_best:
            monitor.best = {"epoch": epoch, "metrics": finite({**metrics, **best.metrics})}
    run.components.schedule.end_epoch(is_best)
    progress, fitted = run.progress, _fit_on(run, validation)
    progress.threshold = fitted["threshold"]
    progress.fitted_on_validation = fitted["fitted_on_validation"]
    if is_best:
        progress.best_predictions = best.predictions
        progress.of_best = {} if learners is None else _fit_on(run, best)
    return is_best


def _fit_on(run: TrainingRun, validation: Validation) -> dict[str, Any]:
    """Values of the checkpoint state that were chosen or fitted on the validation split."""
    val, predictions = run.data.val, validation.predictions
    return {
        "threshold": run.kind.choose_threshold(labels_of(val), predictions),
        "fitted_on_validation": fit_on_validation(
            run.kind,
            labels_of(val),
            val.patients,
            predictions,
            run.loop,
            out_of_fold=run.data.member_folds is not None,
        ),
    }


def _save_epoch(
    run: TrainingRun, epoch: int, metrics: Metrics, is_best: bool, report: Callable[[], None]
) -> None:
    """Save history and checkpoints, from which a training continues at the beginning of the next epoch.
    `report` writes the end of the epoch once they are durable.
    """
    run.events.phase("checkpointing", epoch)
    progress, interval = run.progress, run.loop["checkpoint_interval"]
    progress.position.epoch, progress.position.batch = epoch + 1, 0
    progress.running.clear()
    names = ["best"] if is_best else []
    if interval and epoch % interval == 0:
        names.append(f"epoch-{epoch:04d}")
    write = partial(append_epoch, run, progress.history[-1])
    save_run(run, *names, metrics=metrics, epoch=epoch, write=write, report=report)


def _was_exhausted(run: TrainingRun) -> bool:
    """Return whether the training had already ended early when it was interrupted, after its last
    checkpoint."""
    progress, monitor = run.progress, run.components.monitor
    return (
        bool(progress.history)
        and progress.position.batch == 0
        and monitor.best is not None
        and monitor.is_exhausted
    )


def _early_stopping(run: TrainingRun) -> str:
    monitor = run.components.monitor
    return phrase("early_stopping", metric=monitor.metric, count=monitor.patience or 0)


def _end_after(run: TrainingRun, epoch: int) -> tuple[Status, str] | None:
    """Return status and reason if the training ends with this epoch although others remain. The group
    votes."""
    monitor = run.components.monitor
    if run.group.any(run.control.stops()):
        return "stopped", phrase("stopped_on_request")
    if run.group.any(run.control.request() == "finish"):
        return "completed", phrase("finished_on_request")
    if monitor.is_exhausted and epoch < run.loop["epochs"]:
        return "completed", _early_stopping(run)
    return None


def _stop_inside(run: TrainingRun, epoch: int) -> Outcome:
    """Save the finished part of the running epoch; a resumed training continues with the next batch."""
    run.events.phase("checkpointing", epoch)
    run.progress.running.refuse_non_finite(epoch, run.progress.position.batch)
    if run.progress.has_moved:
        save_run(run, metrics=run.progress.latest_metrics, epoch=epoch - 1)
    return _outcome(run, "stopped", phrase("stopped_on_request"), epoch)


def _outcome(run: TrainingRun, status: Status, reason: str, epoch: int) -> Outcome:
    run.saver.wait()
    best, directory = run.components.monitor.best, run.directory
    saved = directory.checkpoint("last" if best is None else "best")
    return Outcome(
        status=status,
        reason=reason,
        epoch=epoch,
        metrics=run.progress.latest_metrics,
        best=best,
        best_checkpoint=directory.relative(saved) if best is not None or saved.exists() else None,
        best_predictions=run.progress.best_predictions,
    )
