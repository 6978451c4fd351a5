"""The figures of a report: curves, reliability, confusion and scatter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.calibration import reliability_bins
from medloom_trainer.metrics.curves import pr_curve, roc_curve, thin
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.outcome import Metrics
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.statistics.ranking import RankedScores

_MAX_SCATTER_POINTS = 5000


def confusion_matrix(outcome: BinaryOutcome | MulticlassOutcome, num_classes: int) -> list[list[int]]:
    """Rows: true class; columns: predicted class."""
    cells = np.bincount(outcome.labels * num_classes + outcome.predicted, minlength=num_classes**2)
    matrix: list[list[int]] = cells.reshape(num_classes, num_classes).tolist()
    return matrix


def curves(rankings: Mapping[str, RankedScores]) -> dict[str, list[dict[str, Any]]]:
    """{"roc", "pr"}: the curves of each name for which both classes occur."""
    roc: list[dict[str, Any]] = []
    pr: list[dict[str, Any]] = []
    for name, ranked in rankings.items():
        prevalence = float(ranked.positive.mean()) if len(ranked.positive) else 0.0
        if 0 < prevalence < 1:
            roc.append({"name": name, "curve": _line(roc_curve(ranked))})
            pr.append({"name": name, "prevalence": prevalence, "curve": _line(pr_curve(ranked))})
    return {"roc": roc, "pr": pr}


def reliability(
    events: npt.NDArray[Any],
    probability: FloatArray,
    slope: float | None = None,
    intercept: float | None = None,
) -> dict[str, Any]:
    """The calibration curve of events (N,) of 0/1, and the calibration line."""
    return {"bins": reliability_bins(events, probability), "slope": slope, "intercept": intercept}


def scatter(outcome: RegressionOutcome, values: Metrics) -> dict[str, Any] | None:
    """Truth, prediction and the limits of agreement; evenly spaced rows of a large table. None without limits
    (one case)."""
    if values["loa_low"] is None:
        return None
    shown = np.unique(
        np.linspace(0, outcome.size - 1, min(outcome.size, _MAX_SCATTER_POINTS)).astype(np.int64)
    )
    return {
        "truth": outcome.truth[shown].tolist(),
        "predicted": outcome.predicted[shown].tolist(),
        **{name: values[name] for name in ("bias", "loa_low", "loa_high")},
    }


def _line(points: tuple[FloatArray, FloatArray]) -> dict[str, list[float]]:
    x, y = thin(*points)
    return {"x": x.tolist(), "y": y.tolist()}
