"""Split conformal prediction: sets of classes, or intervals of numbers, that contain the truth of a new
patient with a chosen probability.

The scores of the validation cases measure the distance of predictions from the truth; the set of a new
prediction contains all answers within that distance. This is valid for any model, provided that new patients
are like those of validation (exchangeable). Rows of one patient are not exchangeable with those of others:
every patient counts once, shared among the rows (Lee, Barber and Willett 2023); with one row for each patient
this is the usual quantile.
"""

from __future__ import annotations

from math import ceil
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.clusters import Clusters

Method = Literal["lac", "aps"]
_ROUNDING = 1e-12


def class_scores(probabilities: FloatArray, method: Method) -> FloatArray:
    """(N, K) probabilities → (N, K) the score of each class, which is low for a likely answer.

    lac: 1 - probability (Sadinle, Lei and Wasserman 2019), which gives the smallest sets on average. aps: the
    probability of all classes that are at least as probable (Romano, Sesia and Candès 2020, without their
    random number), whose sets are larger for difficult cases.
    """
    if method == "lac":
        return 1 - probabilities
    order = np.argsort(-probabilities, axis=1, kind="stable")
    reached = np.take_along_axis(probabilities, order, axis=1).cumsum(axis=1)
    scores = np.empty_like(probabilities)
    np.put_along_axis(scores, order, reached, axis=1)
    return scores


def patients_needed(alpha: float) -> int:
    """Minimum number of patients for a finite quantile."""
    return ceil((1 - alpha) / alpha - _ROUNDING)


def conformal_quantile(scores: FloatArray, clusters: Clusters, alpha: float) -> float:
    """scores (N,) of the truth of the cases → the smallest score that a row of a new patient does not exceed
    with probability 1 - alpha; infinite with fewer than `patients_needed`."""
    rows = clusters.sums(np.ones(len(scores)))
    weights = 1 / rows[clusters.member] / (clusters.count + 1)
    order = np.argsort(scores, kind="stable")
    enough = np.cumsum(weights[order]) >= 1 - alpha - _ROUNDING
    return float(scores[order][enough.argmax()]) if enough.any() else float("inf")


class ConformalFit(NamedTuple):
    """The conformal fit as the state of a checkpoint stores it."""

    alpha: float | None
    method: str | None
    quantile: float | None
    calibrated_quantile: float | None
    """Quantile for probabilities with the temperature."""
    reason: str | None
    """Reason why there is no quantile."""


def no_conformal(reason: str) -> ConformalFit:
    """Return the fit of a calibration that is not possible."""
    return ConformalFit(None, None, None, None, reason)


def class_sets(probabilities: FloatArray, method: Method, quantile: float) -> npt.NDArray[np.bool_]:
    """(N, K) membership of each class in the set of each case."""
    inside: npt.NDArray[np.bool_] = class_scores(probabilities, method) <= quantile
    return inside
