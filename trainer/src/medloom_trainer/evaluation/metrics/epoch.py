"""The metrics of the validation split after each epoch: estimates alone, without intervals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.types import Task
from medloom_trainer.evaluation.metrics.binary import BinaryOutcome
from medloom_trainer.evaluation.metrics.multiclass import MulticlassOutcome
from medloom_trainer.evaluation.metrics.outcome import Metrics, Notes, Outcome, estimate, finite
from medloom_trainer.evaluation.metrics.regression import RegressionOutcome

_CLASSIFICATION = {
    "val_accuracy": "accuracy",
    "val_auc": "auc",
    "val_balanced_accuracy": "balanced_accuracy",
    "val_f1": "f1_score",
}
_REGRESSION = {
    "val_accuracy": "accuracy",
    "val_auc": "auc",
    "val_mae": "mae",
    "val_rmse": "rmse",
    "val_r2": "r2",
}


def epoch_metrics(
    task: Task, labels: npt.ArrayLike, predictions: npt.ArrayLike, losses: npt.ArrayLike
) -> tuple[Metrics, Notes]:
    """labels (N,), predictions (N, K) probabilities or (N,) in original units, losses (N,) per sample →
    (metrics, notes).

    val_loss is the mean over samples, not over batches. Before a threshold is chosen a binary case counts
    as positive from 0.5. For regression val_accuracy and val_auc are None. Every None has its reason in the
    notes.
    """
    truth, predicted = np.asarray(labels), np.asarray(predictions, dtype=np.float64)
    per_sample = np.asarray(losses, dtype=np.float64)
    loss = finite(per_sample.mean()) if per_sample.size else None
    metrics: Metrics = {"val_loss": loss}
    notes: Notes = {}
    if loss is None:
        notes["val_loss"] = "the loss is not finite" if per_sample.size else "no cases"

    names = _CLASSIFICATION if task == "classification" else _REGRESSION
    if not np.isfinite(predicted).all():
        metrics |= dict.fromkeys(names)
        return metrics, notes | dict.fromkeys(names, "predictions are not finite")
    values, reasons = estimate(_outcome(task, truth, predicted))
    metrics |= {name: values[source] for name, source in names.items()}
    notes |= {name: reasons[source] for name, source in names.items() if source in reasons}
    return metrics, notes


def _outcome(task: Task, labels: npt.NDArray[np.generic], predictions: npt.NDArray[np.float64]) -> Outcome:
    if task == "regression":
        return RegressionOutcome(labels, predictions)
    if predictions.shape[1] == 2:
        return BinaryOutcome(labels, predictions[:, 1], threshold=0.5)
    return MulticlassOutcome(labels, predictions, tuple(f"class {k}" for k in range(predictions.shape[1])))
