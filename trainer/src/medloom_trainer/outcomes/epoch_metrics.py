"""The metrics of the validation split after each epoch: only estimates, without intervals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.outcome import Metrics, Notes, estimate, finite
from medloom_trainer.outcomes.kind import OutcomeKind


def epoch_metrics(
    kind: OutcomeKind, labels: npt.ArrayLike, predictions: npt.ArrayLike, losses: npt.ArrayLike
) -> tuple[Metrics, Notes]:
    """labels and predictions in the form of the kind of outcome, losses (N,) of the samples → (metrics,
    notes).

    val_loss is the mean over samples, not over batches. Before a threshold is chosen a binary case counts as
    positive from 0.5. For regression val_accuracy and val_auc are None. Every None has its reason in the
    notes.
    """
    truth, predicted = np.asarray(labels), np.asarray(predictions, dtype=np.float64)
    per_sample = np.asarray(losses, dtype=np.float64)
    loss = finite(per_sample.mean()) if per_sample.size else None
    metrics: Metrics = {"val_loss": loss}
    notes: Notes = {}
    if loss is None:
        notes["val_loss"] = "the loss is not finite" if per_sample.size else "no cases"

    names = kind.epoch_metrics
    if not np.isfinite(predicted).all():
        metrics |= dict.fromkeys(names)
        return metrics, notes | dict.fromkeys(names, "predictions are not finite")
    values, reasons = estimate(kind.measured(truth, predicted, kind.threshold_or_default(None)))
    metrics |= {name: values[source] for name, source in names.items()}
    notes |= {name: reasons[source] for name, source in names.items() if source in reasons}
    return metrics, notes
