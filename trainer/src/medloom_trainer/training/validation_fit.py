"""Values fitted on the predictions of the validation split, in addition to the threshold, and stored in the
checkpoint: evaluations apply them and never fit them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.conformal import (
    ConformalFit,
    class_scores,
    conformal_quantile,
    no_conformal,
    patients_needed,
)
from medloom_trainer.metrics.operating_points import OperatingPoint, choose_operating_point
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.temperature import (
    NO_CLASSES,
    Temperature,
    different_from_one,
    fit_temperature,
    with_temperature,
)
from medloom_trainer.metrics.validation_size import (
    MIN_FOR_TEMPERATURE,
    MIN_OF_A_CLASS_FOR_TEMPERATURE,
    MIN_PATIENTS,
    too_small,
    too_small_for_classes,
)
from medloom_trainer.outcomes.kind import Labels, OutcomeKind

_OF_SINGLE_NETWORKS = phrase("predicted_by_single_networks")


def fit_on_validation(
    kind: OutcomeKind,
    labels: Labels,
    patients: npt.NDArray[np.int64] | None,
    predictions: FloatArray,
    loop: Mapping[str, Any],
    *,
    out_of_fold: bool = False,
) -> dict[str, Any]:
    """labels and predictions (N, ...) in the form of the kind of outcome, without a temperature; patients
    (N,), None if each row is a separate patient; loop: the training part of the configuration; out_of_fold:
    each case is predicted by the one network that did not learn from it, not by the model as a whole. → JSON,
    null with its reason if the cases are not sufficient for a value
    """
    temperature = _temperature(kind, labels, patients, predictions, out_of_fold=out_of_fold)
    points = loop["operating_points"] if kind.positive_class is not None else []
    conformal = _conformal(kind, labels, patients, predictions, temperature.value, loop["conformal"])
    fitted = {
        "cases": len(labels),
        "patients": None if patients is None else Clusters.from_patients(patients, len(labels)).count,
        "threshold_reason": kind.why_no_threshold(labels, predictions),
        "temperature": with_phrases(temperature._asdict()),
        "operating_points": [
            with_phrases(_operating_point(rule, labels, patients, predictions)._asdict()) for rule in points
        ],
        "conformal": with_phrases(conformal._asdict()),
    }
    return with_phrases(fitted)


def _operating_point(
    rule: Mapping[str, Any],
    labels: Labels,
    patients: npt.NDArray[np.int64] | None,
    predictions: FloatArray,
) -> OperatingPoint:
    reason = too_small_for_classes(patients, labels, 2)
    if reason is not None:
        return OperatingPoint(rule, None, reason, None, None)
    return choose_operating_point(rule, labels, predictions[:, 1])


def _temperature(
    kind: OutcomeKind,
    labels: Labels,
    patients: npt.NDArray[np.int64] | None,
    predictions: FloatArray,
    *,
    out_of_fold: bool,
) -> Temperature:
    if not kind.one_of_classes:
        return Temperature(None, NO_CLASSES)
    if out_of_fold:
        return Temperature(None, _OF_SINGLE_NETWORKS)
    classes = predictions.shape[1]
    few = too_small_for_classes(
        patients, labels, classes, MIN_FOR_TEMPERATURE, MIN_OF_A_CLASS_FOR_TEMPERATURE
    )
    if few is not None:
        return Temperature(None, few)
    return different_from_one(fit_temperature(labels, predictions, patients))


def _conformal(
    kind: OutcomeKind,
    labels: Labels,
    patients: npt.NDArray[np.int64] | None,
    predictions: FloatArray,
    temperature: float | None,
    settings: Mapping[str, Any] | None,
) -> ConformalFit:
    """settings: training.conformal."""
    if settings is None:
        return no_conformal(phrase("not_requested"))
    if not (kind.one_of_classes or kind.is_number):
        return no_conformal(phrase("no_sets_in_task"))
    alpha, method = settings["alpha"], settings["method"]
    reason = too_small(patients, labels, max(MIN_PATIENTS, patients_needed(alpha)))
    if reason is not None:
        return no_conformal(reason)
    clusters = Clusters.from_patients(patients, len(labels))
    if kind.is_number:
        quantile = conformal_quantile(np.abs(labels - predictions), clusters, alpha)
        return ConformalFit(alpha, "absolute_error", quantile, None, None)

    def fitted(probabilities: FloatArray) -> float:
        scores = class_scores(probabilities, method)[np.arange(len(labels)), labels]
        return conformal_quantile(scores, clusters, alpha)

    scaled = None if temperature is None else fitted(with_temperature(predictions, temperature))
    return ConformalFit(alpha, method, fitted(predictions), scaled, None)
