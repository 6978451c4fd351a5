"""Results for the use of predictions, in addition to metrics: with a temperature, at thresholds chosen by a
rule, for decisions, by patient, and as sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, stored_phrases, with_phrases
from medloom_trainer.evaluation.patient_level import patient_level
from medloom_trainer.evaluation.postprocessing import NOTHING_FITTED, Postprocessing
from medloom_trainer.evaluation.prediction_sets import prediction_sets
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.decision_curve import decision_curve
from medloom_trainer.metrics.intervals import Interval, intervals
from medloom_trainer.metrics.operating_points import at_operating_point
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.threshold_grid import threshold_grid
from medloom_trainer.outcomes.kind import Labels

_OF_CALIBRATION = ("log_loss", "brier", "ece", "calibration_slope", "calibration_intercept")
_NOT_BINARY = phrase("not_two_classes")


def use_of_predictions(
    applied: Postprocessing,
    labels: Labels,
    patients: npt.NDArray[np.int64] | None,
    shown: Mapping[str, Interval],
    seed: int,
) -> dict[str, Any]:
    """Return fields of the result. labels (N,), patients (N,), None if each row is a separate patient; shown:
    intervals of the metrics of all cases.
    """
    return {
        "temperature": _temperature(applied, labels, patients, shown, seed),
        "operating_points": _operating_points(applied, labels, patients),
        "thresholds": _thresholds(applied, labels, patients),
        "decision_curve": _decision_curve(applied, labels, patients, seed),
        "patient_level": patient_level(applied, labels, patients, seed),
        "conformal": prediction_sets(applied, labels, patients),
    }


def _temperature(
    applied: Postprocessing,
    labels: Labels,
    patients: npt.NDArray[np.int64] | None,
    shown: Mapping[str, Interval],
    seed: int,
) -> dict[str, Any]:
    """The calibration metrics of these cases without and with the temperature."""
    fitted = applied.fitted or {"cases": None, "patients": None}
    facts = {**applied.temperature, "cases": fitted["cases"], "patients": fitted["patients"]}
    here = {name: shown[name] for name in _OF_CALIBRATION if name in shown}
    other = applied.other_way()
    if other is None:
        return {**facts, "before": here or None, "after": None}
    outcome = other.outcome(labels)
    there = intervals(outcome, *estimate(outcome), patients, names=list(here), seed=seed)
    before, after = (there, here) if applied.temperature["applied"] else (here, there)
    return {**facts, "before": before, "after": after}


def _operating_points(
    applied: Postprocessing, labels: Labels, patients: npt.NDArray[np.int64] | None
) -> dict[str, Any]:
    if applied.kind.positive_class is None:
        return with_phrases({"reason": _NOT_BINARY, "points": []})
    if applied.fitted is None:
        return with_phrases({"reason": NOTHING_FITTED, "points": []})
    points = [_point(applied, point, labels, patients) for point in applied.fitted["operating_points"]]
    reason = stored_phrases(applied.fitted, "reason") or phrase("not_requested")
    return with_phrases({"reason": None if points else reason, "points": points})


def _point(
    applied: Postprocessing, point: Mapping[str, Any], labels: Labels, patients: npt.NDArray[np.int64] | None
) -> dict[str, Any]:
    """point: from the checkpoint, see OperatingPoint."""
    given = point["threshold"]
    if given is None:
        nothing = dict.fromkeys(("threshold", "validation", "metrics", "confusion"))
        return with_phrases({"rule": point["rule"], "reason": stored_phrases(point, "reason"), **nothing})
    threshold = applied.shown_threshold(given)
    outcome = BinaryOutcome(labels, applied.predictions[:, 1], threshold)
    return {
        "rule": point["rule"],
        "threshold": threshold,
        "reason": None,
        "validation": {"sensitivity": point["sensitivity"], "specificity": point["specificity"]},
        **at_operating_point(outcome, patients),
    }


def _thresholds(
    applied: Postprocessing, labels: Labels, patients: npt.NDArray[np.int64] | None
) -> dict[str, Any]:
    if applied.kind.positive_class is None:
        return with_phrases({"reason": _NOT_BINARY, "grid": None})
    return {"reason": None, "grid": threshold_grid(labels, applied.predictions[:, 1], patients)}


def _decision_curve(
    applied: Postprocessing, labels: Labels, patients: npt.NDArray[np.int64] | None, seed: int
) -> dict[str, Any]:
    if applied.kind.positive_class is None:
        return with_phrases({"reason": _NOT_BINARY, "curve": None})
    if np.ptp(labels) == 0:
        return with_phrases({"reason": phrase("one_class_only"), "curve": None})
    return {"reason": None, "curve": decision_curve(labels, applied.predictions[:, 1], patients, seed)}
