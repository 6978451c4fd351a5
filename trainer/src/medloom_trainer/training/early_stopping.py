"""The metric that selects the best epoch, and the end of a training without improvement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.metric_catalogue import lower_is_better
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.outcomes import OutcomeKind
from medloom_trainer.outcomes.epoch_metrics import epoch_metrics


@dataclass
class Monitor:
    """The best epoch so far, and the number of epochs without improvement. Fields with a default are part of
    the checkpoint.
    """

    metric: str
    patience: int | None
    min_delta: float
    best: dict[str, Any] | None = None
    """{"epoch", "metrics"}"""
    reference: float | None = None
    """The last value that improved on the previous one by more than min_delta: patience counts from it."""
    epochs_without_improvement: int = 0

    def end_epoch(self, epoch: int, metrics: Mapping[str, float | None]) -> bool:
        """Return whether this epoch is the best so far, by any difference; min_delta only applies to
        patience."""
        value = metrics.get(self.metric)
        is_best = self.best is None or self._is_better(value, self.best["metrics"][self.metric])
        if self.best is None or self._is_better(value, self.reference, by=self.min_delta):
            self.reference = value
            self.epochs_without_improvement = 0
        else:
            self.epochs_without_improvement += 1
        if is_best:
            self.best = {"epoch": epoch, "metrics": dict(metrics)}
        return is_best

    def state(self) -> dict[str, Any]:
        """JSON: content for a checkpoint."""
        return {
            "best": self.best,
            "reference": self.reference,
            "epochs_without_improvement": self.epochs_without_improvement,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        self.best = state["best"]
        self.epochs_without_improvement = state["epochs_without_improvement"]
        if "reference" in state:
            self.reference = state["reference"]
        elif self.best is not None:  # older checkpoints: min_delta also decided on the best epoch
            self.reference = self.best["metrics"][self.metric]

    def forget_best(self) -> None:
        """The next epoch is the best so far, and patience counts from it."""
        self.best = None

    def _is_better(self, value: float | None, before: float | None, *, by: float = 0.0) -> bool:
        """A number is better than None."""
        if value is None or before is None:
            return value is not None
        return value < before - by if lower_is_better(self.metric) else value > before + by

    @property
    def is_exhausted(self) -> bool:
        return self.patience is not None and self.epochs_without_improvement >= self.patience


def build_monitor(settings: Mapping[str, Any], kind: OutcomeKind, labels: npt.NDArray[Any]) -> Monitor:
    """settings: training.early_stopping. labels: of the validation split, which determine the metrics that
    are defined there.

    auto: val_loss, which depends on every case; on a small validation split the AUC changes abruptly between
    epochs. INVALID_CONFIG if the named metric is not available.
    """
    count = len(labels)
    metrics, notes = epoch_metrics(kind, labels, kind.guesses(count), np.zeros(count))
    metric = settings["monitor"]
    if metric == "auto":
        metric = "val_loss"
    if metrics.get(metric) is None:
        reason = notes.get(metric, phrase("not_a_metric_for", task=kind.task))
        raise TrainerError(
            "INVALID_CONFIG",
            phrase("monitor_not_defined", metric=metric, reason=reason),
            phrase("monitor_auto"),
        )
    return Monitor(metric, settings["patience"], settings["min_delta"])
