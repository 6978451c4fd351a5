"""Conformal sets of classes, or intervals of numbers, that a training calibrated on validation: their
coverage on these cases, and their size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import stored_phrases, with_phrases
from medloom_trainer.evaluation.postprocessing import NOTHING_FITTED, Postprocessing
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.conformal import class_sets
from medloom_trainer.metrics.intervals import share_interval
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes.kind import Labels, OutcomeKind

_NUMBERS = ("alpha", "method", "quantile", "coverage", "mean_size", "empty", "single", "width", "per_class")


def prediction_sets(
    applied: Postprocessing, labels: Labels, patients: npt.NDArray[np.int64] | None
) -> dict[str, Any]:
    """Return field `conformal` of the result. labels (N,), patients (N,), None if each row is a separate
    patient."""
    facts = calibrated_sets(applied)
    if facts is None:
        fitted = None if applied.fitted is None else applied.fitted["conformal"]
        reason = NOTHING_FITTED if fitted is None else stored_phrases(fitted, "reason")
        return with_phrases({"reason": reason, **dict.fromkeys(_NUMBERS)})
    quantile = facts["quantile"]
    clusters = Clusters.from_patients(patients, len(labels))
    if applied.kind.one_of_classes:
        inside = class_sets(applied.predictions, facts["method"], quantile)
        found = _of_sets(inside, labels, clusters, applied.kind)
    else:
        covered = np.abs(labels - applied.predictions) <= quantile
        found = {"coverage": share_interval(covered, np.ones_like(covered), clusters), "width": 2 * quantile}
    return {"reason": None, **dict.fromkeys(_NUMBERS), **facts, **found}


def calibrated_sets(applied: Postprocessing) -> dict[str, Any] | None:
    """alpha, method and quantile of the sets or intervals; None if the training calibrated none."""
    fitted = None if applied.fitted is None else applied.fitted["conformal"]
    if fitted is None or fitted["quantile"] is None:
        return None
    quantile = fitted["calibrated_quantile" if applied.temperature["applied"] else "quantile"]
    return {"alpha": fitted["alpha"], "method": fitted["method"], "quantile": quantile}


def set_columns(
    result: Mapping[str, Any], kind: OutcomeKind, predictions: FloatArray
) -> dict[str, list[Any]]:
    """Columns of the table of predictions: prediction_set, its classes separated by |; or interval_low and
    interval_high in units of the label. No columns if the result has no sets. predictions: as the result
    shows them."""
    conformal = result.get("conformal") or {}
    quantile = conformal.get("quantile")
    if quantile is None:
        return {}
    if not kind.one_of_classes:
        return {
            "interval_low": (predictions - quantile).tolist(),
            "interval_high": (predictions + quantile).tolist(),
        }
    names = kind.classes or ()
    inside = class_sets(predictions, conformal["method"], quantile)
    return {"prediction_set": ["|".join(names[k] for k in np.flatnonzero(row)) for row in inside]}


def _of_sets(
    inside: npt.NDArray[np.bool_], labels: Labels, clusters: Clusters, kind: OutcomeKind
) -> dict[str, Any]:
    """inside (N, K)."""
    covered = inside[np.arange(len(labels)), labels]
    sizes = inside.sum(axis=1)
    return {
        "coverage": share_interval(covered, np.ones_like(covered), clusters),
        "mean_size": float(sizes.mean()),
        "empty": int((sizes == 0).sum()),
        "single": int((sizes == 1).sum()),
        "per_class": [
            {
                "name": name,
                "cases": int((labels == k).sum()),
                "coverage": share_interval(covered, labels == k, clusters),
            }
            for k, name in enumerate(kind.classes or ())
        ],
    }
