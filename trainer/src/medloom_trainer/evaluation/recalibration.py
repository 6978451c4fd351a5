"""Effect of a refit of the predictions to the evaluated cases themselves: contract Recalibration.

For two classes the logistic recalibration of Cox (1958), in the order of Steyerberg et al. (2004): only the
intercept, then intercept and slope. For a number the linear one. Both are fitted to the same cases on which
they are measured: they show the best possible effect of a local update, and are not results of the model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.evaluation.subgroups import MIN_EVENTS, MIN_PATIENTS
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.calibration import CalibrationLine, logits_of
from medloom_trainer.metrics.outcome import Outcome, estimate
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.statistics.clusters import Clusters

_OF_CLASSES = ("brier", "log_loss", "ece", "calibration_slope", "calibration_intercept")
_OF_NUMBERS = ("mae", "rmse", "r2", "bias")
_ROUNDING = 1e-9
_HALF = 0.5
"""Any threshold: no metric here depends on it."""


def recalibration(outcome: Outcome, patients: npt.NDArray[np.int64] | None) -> dict[str, Any] | None:
    """None for an outcome without such an update; without numbers and with a reason if there are too few
    patients."""
    if not isinstance(outcome, BinaryOutcome | RegressionOutcome):
        return None
    reason = _too_few(outcome, Clusters.from_patients(patients, outcome.size))
    names = _OF_CLASSES if isinstance(outcome, BinaryOutcome) else _OF_NUMBERS
    found = with_phrases({"reason": reason, "original": _metrics(outcome, names), "updates": []})
    if reason is not None:
        return found
    lines = _of_classes(outcome) if isinstance(outcome, BinaryOutcome) else _of_numbers(outcome)
    for name, (intercept, slope) in lines.items():
        if not np.isfinite([intercept, slope]).all():
            continue
        updated = _updated(outcome, intercept, slope)
        entry = {"name": name, "intercept": intercept, "slope": slope, "metrics": _metrics(updated, names)}
        found["updates"].append(entry)
    return found


def _too_few(outcome: BinaryOutcome | RegressionOutcome, clusters: Clusters) -> str | None:
    if clusters.count < MIN_PATIENTS:
        return phrase("fewer_patients", needed=MIN_PATIENTS)
    rarest = outcome.rarest("brier", clusters)
    if rarest is not None and rarest < MIN_EVENTS:
        return phrase("fewer_patients_of_class", needed=MIN_EVENTS)
    return None


def _of_classes(outcome: BinaryOutcome) -> dict[str, tuple[float, float]]:
    """Name → (intercept, slope) of logit p."""
    line = CalibrationLine(outcome.labels, outcome.probability)
    _, level = line.fit(np.ones((1, outcome.size)))
    intercept, slope = line.coefficients()
    return {"intercept": (float(level[0]), 1.0), "intercept_and_slope": (intercept, slope)}


def _of_numbers(outcome: RegressionOutcome) -> dict[str, tuple[float, float]]:
    """Name → (intercept, slope) of truth on prediction, by least squares."""
    lines = {"intercept": (float(np.mean(outcome.truth - outcome.predicted)), 1.0)}
    if np.ptp(outcome.predicted) > 0:
        slope, intercept = np.polyfit(outcome.predicted, outcome.truth, 1).tolist()
        lines["intercept_and_slope"] = (intercept, slope)
    return lines


def _updated(outcome: BinaryOutcome | RegressionOutcome, intercept: float, slope: float) -> Outcome:
    if isinstance(outcome, RegressionOutcome):
        return RegressionOutcome(outcome.truth, intercept + slope * outcome.predicted)
    probability: FloatArray = expit(intercept + slope * logits_of(outcome.probability))
    return BinaryOutcome(outcome.labels, probability, _HALF)


def _metrics(outcome: Outcome, names: tuple[str, ...]) -> dict[str, float | None]:
    values, _ = estimate(outcome)
    # A value that the fit sets to 0 is shown as 0, without rounding errors.
    return {name: 0.0 if abs(values[name] or 1) < _ROUNDING else values[name] for name in names}
