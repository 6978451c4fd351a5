"""The figures of a report: curves, reliability, confusion, scatter, and the most confident mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.binary import BinaryOutcome
from medloom_trainer.evaluation.metrics.calibration import reliability_bins
from medloom_trainer.evaluation.metrics.curves import pr_curve, roc_curve, thin
from medloom_trainer.evaluation.metrics.multiclass import MulticlassOutcome
from medloom_trainer.evaluation.metrics.outcome import Metrics
from medloom_trainer.evaluation.metrics.regression import RegressionOutcome

Measured = BinaryOutcome | MulticlassOutcome | RegressionOutcome
_MAX_FAILURES = 20
_MAX_SCATTER_POINTS = 5000


def confusion_matrix(outcome: Measured, num_classes: int) -> list[list[int]] | None:
    """Row: true class, column: predicted."""
    if isinstance(outcome, RegressionOutcome):
        return None
    cells = np.bincount(outcome.labels * num_classes + outcome.predicted, minlength=num_classes**2)
    matrix: list[list[int]] = cells.reshape(num_classes, num_classes).tolist()
    return matrix


def curves(outcome: Measured, classes: tuple[str, ...]) -> dict[str, list[dict[str, Any]] | None]:
    """ROC and precision-recall curves of the positive class, or of each class against the rest; only where
    defined."""
    if isinstance(outcome, RegressionOutcome):
        return {"roc": None, "pr": None}
    rankings = [ranked for name, ranked in outcome.rankings().items()]
    names = classes[1:] if isinstance(outcome, BinaryOutcome) else classes
    roc: list[dict[str, Any]] = []
    pr: list[dict[str, Any]] = []
    for name, ranked in zip(names, rankings, strict=True):
        prevalence = float(ranked.positive.mean())
        if 0 < prevalence < 1:
            roc.append({"name": name, "curve": _line(roc_curve(ranked))})
            pr.append({"name": name, "prevalence": prevalence, "curve": _line(pr_curve(ranked))})
    return {"roc": roc, "pr": pr}


def calibration(outcome: Measured, values: Metrics) -> dict[str, Any] | None:
    """Reliability of the positive class; with more classes, of the predicted class."""
    if isinstance(outcome, RegressionOutcome):
        return None
    if isinstance(outcome, BinaryOutcome):
        bins = reliability_bins(outcome.labels, outcome.probability)
        slope, intercept = values["calibration_slope"], values["calibration_intercept"]
        return {"bins": bins, "slope": slope, "intercept": intercept}
    return {
        "bins": reliability_bins(outcome.right, outcome.top_probability),
        "slope": None,
        "intercept": None,
    }


def scatter(outcome: Measured, values: Metrics) -> dict[str, Any] | None:
    """Truth, prediction and the limits of agreement; of a large table evenly spaced rows. None without
    limits (one case)."""
    if not isinstance(outcome, RegressionOutcome) or values["loa_low"] is None:
        return None
    shown = np.unique(
        np.linspace(0, outcome.size - 1, min(outcome.size, _MAX_SCATTER_POINTS)).astype(np.int64)
    )
    return {
        "truth": outcome.truth[shown].tolist(),
        "predicted": outcome.predicted[shown].tolist(),
        **{name: values[name] for name in ("bias", "loa_low", "loa_high")},
    }


def failures(
    outcome: Measured, classes: tuple[str, ...], places: Sequence[tuple[str, int]]
) -> list[dict[str, str | int | float]]:
    """The most confident mistakes: confidence is the probability of the class that was predicted. places:
    (file, line in it) of each case.

    Of a regression the largest errors: confidence is the absolute error in the units of the label.
    """
    if isinstance(outcome, RegressionOutcome):
        confidence = np.abs(outcome.error)
        wrong = np.flatnonzero(confidence > 0)
        truth, predicted = ([f"{value:.6g}" for value in x] for x in (outcome.truth, outcome.predicted))
    else:
        confidence = _confidence(outcome)
        wrong = np.flatnonzero(outcome.predicted != outcome.labels)
        truth, predicted = ([classes[k] for k in x] for x in (outcome.labels, outcome.predicted))
    first = sorted(wrong.tolist(), key=lambda case: (-confidence[case], places[case]))[:_MAX_FAILURES]
    return [
        {
            "file": places[i][0],
            "row": places[i][1],
            "truth": truth[i],
            "predicted": predicted[i],
            "confidence": float(confidence[i]),
        }
        for i in first
    ]


def _confidence(outcome: BinaryOutcome | MulticlassOutcome) -> npt.NDArray[np.float64]:
    if isinstance(outcome, MulticlassOutcome):
        return outcome.top_probability
    return np.where(outcome.predicted == 1, outcome.probability, 1 - outcome.probability)


def _line(points: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]) -> dict[str, list[float]]:
    x, y = thin(*points)
    return {"x": x.tolist(), "y": y.tolist()}
