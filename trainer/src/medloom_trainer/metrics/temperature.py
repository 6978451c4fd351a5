"""Temperature scaling (Guo et al. 2017): one number by which the logarithms of all probabilities are divided.

It changes how certain a model is, not its most probable class, nor the order of the cases of a binary task.
Logarithms of probabilities are logits up to a constant of the row, so only the probabilities are needed:
those of one network, or the mean of several.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile

_COLDEST, _HOTTEST = 0.05, 20.0
"""Limits of the temperature. Values beyond them mean that validation cannot determine it."""
NO_CLASSES = phrase("no_class_probabilities")
_SMALLEST = float(np.finfo(np.float64).tiny)


class Temperature(NamedTuple):
    """Temperature fitted on validation; value None if there is none."""

    value: float | None
    reason: str | None
    """Reason why there is none."""
    low: float | None = None
    """95 % interval of the fitted value, whether it is used or not."""
    high: float | None = None


def fit_temperature(
    labels: npt.ArrayLike, probabilities: npt.ArrayLike, patients: npt.NDArray[np.int64] | None = None
) -> Temperature:
    """The temperature with the largest likelihood: labels (N,) class indices, probabilities (N, K), patients
    (N,), None if each row is a separate patient.

    The log-likelihood is concave in 1 / temperature. At its maximum, which is found by bisection, the
    expected logarithm under the scaled probabilities equals that of the true class.
    """
    logs = _logs(np.asarray(probabilities, dtype=np.float64))
    own = np.take_along_axis(logs, np.asarray(labels, dtype=np.int64)[:, None], axis=1)[:, 0]

    def excess(sharpness: float) -> float:
        scaled = _softmax(logs * sharpness)
        return float(((scaled * logs).sum(axis=1) - own).mean())

    if not excess(1 / _HOTTEST) < 0:
        return Temperature(None, phrase("uninformative_probabilities"))
    if not excess(1 / _COLDEST) > 0:
        return Temperature(None, phrase("separated_perfectly"))
    sharpness = float(brentq(excess, 1 / _HOTTEST, 1 / _COLDEST, xtol=1e-13, rtol=1e-14))
    width = _width(logs, own, sharpness, Clusters.from_patients(patients, len(own)))
    return Temperature(1 / sharpness, None, 1 / (sharpness * width), width / sharpness)


def _width(logs: FloatArray, own: FloatArray, sharpness: float, clusters: Clusters) -> float:
    """Factor from the temperature to both ends of its 95 % interval: Student's interval of its logarithm,
    with the sandwich standard error of a likelihood whose cases are dependent within a patient.
    """
    if clusters.count < 2:
        return float("inf")
    scaled = _softmax(logs * sharpness)
    expected = (scaled * logs).sum(axis=1)
    information = float((scaled * (logs - expected[:, None]) ** 2).sum())
    scores = clusters.sums(own - expected)
    error = sqrt(clusters.count / (clusters.count - 1) * float((scores**2).sum())) / information
    return exp(t_quantile(clusters.count - 1) * error / sharpness)


def different_from_one(fitted: Temperature) -> Temperature:
    """The temperature if its interval excludes 1; otherwise none, and the reason: a change that is not
    significant harms new cases as often as it helps them."""
    value, _, low, high = fitted
    if value is None or low is None or high is None or high < 1 or low > 1:
        return fitted
    numbers = {"value": f"{value:.2f}", "low": f"{low:.2f}", "high": f"{high:.2f}"}
    reason = phrase("temperature_not_different", **numbers)
    return Temperature(None, reason, low, high)


def with_temperature(probabilities: npt.ArrayLike, temperature: float) -> FloatArray:
    """(N, K) → (N, K)."""
    return _softmax(_logs(np.asarray(probabilities, dtype=np.float64)) / temperature)


def threshold_with_temperature(threshold: float, temperature: float) -> float:
    """Convert a threshold of the positive class to one for scaled probabilities: the same cases are above
    it."""
    return float(with_temperature([[1 - threshold, threshold]], temperature)[0, 1])


def _logs(probabilities: FloatArray) -> FloatArray:
    logs: FloatArray = np.log(np.maximum(probabilities, _SMALLEST))
    return logs


def _softmax(logits: FloatArray) -> FloatArray:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return shares
