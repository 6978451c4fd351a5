"""The training loop, from prepared data to the best checkpoint."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION, Spec
from medloom_trainer.data.types import PreparedData
from medloom_trainer.evaluation.metrics.threshold import choose_threshold
from medloom_trainer.files import write_json
from medloom_trainer.training.build import TrainingRun, build_run, labels_of, num_outputs
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.epoch import Validation, train_epoch, validate_epoch
from medloom_trainer.training.fine_tuning import start_from_trained, with_origin
from medloom_trainer.training.resume import resume_run, save_run
from medloom_trainer.worker.control import Control
from medloom_trainer.worker.events import Events, finite

Metrics = dict[str, float | None]
Status = Literal["completed", "stopped"]


@dataclass(frozen=True)
class Outcome:
    """How a training ended."""

    status: Status
    reason: str
    epoch: int
    metrics: Metrics
    best: dict[str, Any] | None
    best_checkpoint: str | None
    """Relative to the run directory; after a stop in the first epoch it is the last checkpoint, the only one
    there is.
    """
    best_predictions: npt.NDArray[np.float64] | None
    """Of the validation split, by the best checkpoint; None when that epoch was trained by an earlier job."""


def train(spec: Spec, data: PreparedData, *, events: Events, control: Control, group: Group) -> Outcome:
    """Train to the end, to early stopping, or until a stop or finish is requested. Writes events, checkpoints
    and metrics.json. The batch is at most as large as the training split: preparing the data ensures it.

    Raises TrainerError (LOSS_NOT_FINITE, DISK_FULL, CHECKPOINT_MISMATCH, …).
    """
    run = build_run(with_origin(spec), data, events=events, control=control, group=group)
    _report_prepared(run)
    if spec.resume_from is not None:
        resume_run(run, spec.resume_from)
    else:
        start_from_trained(run)
    model = group.wrap(run.components.network)
    epochs = run.loop["epochs"]
    for epoch in range(run.progress.position.epoch, epochs + 1):
        started = time.perf_counter()
        if not train_epoch(run, model, epoch):
            return _stop_inside(run, epoch)
        trained = time.perf_counter()
        validation = validate_epoch(run, epoch)
        if validation is None:
            return _stop_inside(run, epoch)
        metrics = _record_epoch(run, epoch, validation)
        is_best = _choose_best(run, epoch, metrics, validation)
        _save_epoch(run, epoch, metrics, is_best)
        run.throughput.seconds_between = time.perf_counter() - trained
        events.epoch_end(
            epoch=epoch,
            total_epochs=epochs,
            metrics=metrics,
            duration_seconds=time.perf_counter() - started,
            is_best=is_best,
        )
        end = _end_after(run, epoch)
        if end is not None:
            return _outcome(run, *end, epoch)
    return _outcome(run, "completed", "all epochs done", epochs)


def _report_prepared(run: TrainingRun) -> None:
    network, group = run.components.network, run.group
    run.events.prepared(
        {
            **run.data.summary,
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
    loss, accuracy = progress.running.totals(run.plan.num_cases, run.data.task, run.group)
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
    """Whether no epoch so far was better. The schedule hears of it, and a binary task gets its threshold."""
    is_best = run.components.monitor.end_epoch(epoch, metrics)
    run.components.schedule.end_epoch(is_best)
    if num_outputs(run.data) == 2:
        run.progress.threshold = choose_threshold(labels_of(run.data.val), validation.predictions[:, 1])
    if is_best:
        run.progress.best_predictions = validation.predictions
    return is_best


def _save_epoch(run: TrainingRun, epoch: int, metrics: Metrics, is_best: bool) -> None:
    """Checkpoints and metrics.json, from which a training goes on at the beginning of the next epoch."""
    run.events.phase("checkpointing", epoch)
    progress, interval = run.progress, run.loop["checkpoint_interval"]
    progress.position.epoch, progress.position.batch = epoch + 1, 0
    progress.running.clear()
    names = ["best"] if is_best else []
    if interval and epoch % interval == 0:
        names.append(f"epoch-{epoch:04d}")
    save_run(run, *names, metrics=metrics, epoch=epoch)
    if run.group.is_first:
        with run.fence.turn():
            run.fence.check(run.directory.metrics)
            write_json(
                run.directory.metrics,
                {
                    "schema_version": RUN_SCHEMA_VERSION,
                    "attempt": run.spec.attempt,
                    "epochs": progress.history,
                },
            )


def _end_after(run: TrainingRun, epoch: int) -> tuple[Status, str] | None:
    """Whether the training ends with this epoch though others remain: status and reason. The group votes."""
    monitor = run.components.monitor
    if run.group.any(run.control.stops()):
        return "stopped", "stopped on request"
    if run.group.any(run.control.request() == "finish"):
        return "completed", "finished on request"
    if monitor.is_exhausted and epoch < run.loop["epochs"]:
        return "completed", f"early stopping: no better {monitor.metric} for {monitor.patience} epochs"
    return None


def _stop_inside(run: TrainingRun, epoch: int) -> Outcome:
    """Save what the running epoch has trained so far; a resumed training goes on with the next batch."""
    run.events.phase("checkpointing", epoch)
    run.progress.running.refuse_non_finite(epoch, run.progress.position.batch)
    save_run(run, metrics=run.progress.latest_metrics, epoch=epoch - 1)
    return _outcome(run, "stopped", "stopped on request", epoch)


def _outcome(run: TrainingRun, status: Status, reason: str, epoch: int) -> Outcome:
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
