"""Which metric picks the best epoch, and when there has been no better one for too long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.metrics.epoch import epoch_metrics

_SMALLER_IS_BETTER = ("val_loss", "val_mae")


@dataclass
class Monitor:
    """The best epoch so far. `best` and `epochs_without_improvement` are part of the checkpoint."""

    metric: str
    patience: int | None
    min_delta: float
    best: dict[str, Any] | None = None
    """{"epoch", "metrics"}"""
    epochs_without_improvement: int = 0

    def end_epoch(self, epoch: int, metrics: Mapping[str, float | None]) -> bool:
        """Whether this epoch is the best so far, by more than min_delta."""
        value = metrics.get(self.metric)
        before = None if self.best is None else self.best["metrics"][self.metric]
        if value is None:
            improved = self.best is None  # something must be kept
        elif before is None:
            improved = True
        elif self.metric in _SMALLER_IS_BETTER:
            improved = value < before - self.min_delta
        else:
            improved = value > before + self.min_delta
        if improved:
            self.best = {"epoch": epoch, "metrics": dict(metrics)}
            self.epochs_without_improvement = 0
        else:
            self.epochs_without_improvement += 1
        return improved

    @property
    def is_exhausted(self) -> bool:
        return self.patience is not None and self.epochs_without_improvement >= self.patience


def build_monitor(
    settings: Mapping[str, Any], *, task: Task, num_classes: int, labels: npt.NDArray[Any]
) -> Monitor:
    """settings: training.early_stopping. labels: of the validation split, which decide what is defined there.

    auto: val_loss, which every case moves; on a small validation split the AUC jumps from epoch to epoch.
    INVALID_CONFIG when the named metric cannot be had.
    """
    count = len(labels)
    guesses = np.full((count, num_classes), 1 / num_classes) if task == "classification" else np.zeros(count)
    metrics, notes = epoch_metrics(task, labels, guesses, np.zeros(count))
    metric = settings["monitor"]
    if metric == "auto":
        metric = "val_loss"
    if metrics.get(metric) is None:
        reason = notes.get(metric, f"it is not a metric of a {task}")
        raise TrainerError(
            "INVALID_CONFIG",
            f"training.early_stopping.monitor is {metric}, which is not defined on the validation split: "
            f"{reason}",
            'Use "auto" or "val_loss".',
        )
    return Monitor(metric, settings["patience"], settings["min_delta"])
