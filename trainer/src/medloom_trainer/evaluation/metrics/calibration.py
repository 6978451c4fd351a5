"""Calibration of probabilities: expected calibration error, calibration line, reliability bins."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.arrays import FloatArray
from medloom_trainer.evaluation.metrics.statistics.logistic import fit_logistic
from medloom_trainer.evaluation.metrics.statistics.wilson import wilson

_BINS = 10
"""Equal-width bins [0, 0.1), [0.1, 0.2), … [0.9, 1]."""
SMALLEST = float(np.finfo(np.float64).eps)
"""Probabilities are kept this far from 0 and 1 inside logarithms, as scikit-learn does."""


def bin_gaps(events: npt.NDArray[Any], probability: FloatArray) -> FloatArray:
    """(N, _BINS): event - probability in the bin of the case, 0 in the others.

    Summed over weighted cases, taken absolute, added up and divided by the weight: the expected calibration
    error.
    """
    gaps = np.zeros((len(probability), _BINS))
    gaps[np.arange(len(probability)), _bin_of(probability)] = events - probability
    return gaps


def reliability_bins(events: npt.NDArray[Any], probability: FloatArray) -> list[dict[str, float | int]]:
    """One entry per bin that has cases: mean prediction, share of events with its Wilson interval, count."""
    bins: list[dict[str, float | int]] = []
    index = _bin_of(probability)
    for number in np.unique(index):
        inside = index == number
        count, happened = int(inside.sum()), int(events[inside].sum())
        low, high = wilson(happened, count)
        predicted = float(probability[inside].mean())
        bins.append(
            {"predicted": predicted, "observed": happened / count, "count": count, "low": low, "high": high}
        )
    return bins


class CalibrationLine:
    """Logistic recalibration (Cox 1958; Van Calster et al. 2019) of probability (N,) against labels (N,) of
    0/1.

    slope: b of logit P(event) = a + b * logit(p), 1 when right. intercept: a of logit P(event) = a +
    logit(p), the slope held at 1 (calibration in the large), 0 when right.
    """

    def __init__(self, labels: npt.NDArray[np.int64], probability: FloatArray) -> None:
        kept = np.clip(probability, SMALLEST, 1 - SMALLEST)
        logits = np.log(kept) - np.log1p(-kept)
        self._order = np.argsort(logits, kind="stable")
        self._logits = logits[self._order]
        self._labels = labels[self._order].astype(np.float64)
        self._design = np.stack([np.ones(len(logits)), self._logits], axis=1)

    def fit(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights (R, N) → slope (R,) and intercept (R,); NaN where the likelihood has no finite maximum."""
        weights = np.take(weights, self._order, axis=1)
        slope, intercept = np.full((2, len(weights)), np.nan)
        events = weights @ self._labels
        both = (events > 0) & (events < weights.sum(axis=1))
        if not both.any():
            return slope, intercept
        overlap = both.copy()
        overlap[both] = self._classes_overlap(weights[both])
        if overlap.any():
            slope[overlap] = self._fit_slope(weights[overlap], self._start_of_slope)[:, 1]
        intercept[both] = self._fit_intercept(weights[both], self._start_of_intercept)[:, 0]
        return slope, intercept

    def _fit_slope(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        return fit_logistic(self._design, np.zeros(len(self._logits)), self._labels, weights, start)

    def _fit_intercept(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        return fit_logistic(self._design[:, :1], self._logits, self._labels, weights, start)

    @cached_property
    def _start_of_slope(self) -> FloatArray:
        """The fit to the unweighted cases, from which replicates are a step or two away."""
        every = np.ones((1, len(self._logits)))
        fitted = self._fit_slope(every, np.zeros(2))[0] if self._classes_overlap(every)[0] else np.zeros(2)
        return np.where(np.isfinite(fitted).all(), fitted, 0.0)

    @cached_property
    def _start_of_intercept(self) -> FloatArray:
        fitted = self._fit_intercept(np.ones((1, len(self._logits))), np.zeros(1))[0]
        return np.where(np.isfinite(fitted), fitted, 0.0)

    def _classes_overlap(self, weights: FloatArray) -> npt.NDArray[np.bool_]:
        """Neither class lies wholly at or above the other: only then is the slope finite. Logits ascend."""
        positive = (weights > 0) & (self._labels == 1)
        negative = (weights > 0) & (self._labels == 0)
        overlap: npt.NDArray[np.bool_] = (self._lowest(positive) < self._highest(negative)) & (
            self._lowest(negative) < self._highest(positive)
        )
        return overlap

    def _lowest(self, members: npt.NDArray[np.bool_]) -> FloatArray:
        """(R, N) → (R,) logit of the first member."""
        found: FloatArray = self._logits[members.argmax(axis=1)]
        return found

    def _highest(self, members: npt.NDArray[np.bool_]) -> FloatArray:
        found: FloatArray = self._logits[len(self._logits) - 1 - members[:, ::-1].argmax(axis=1)]
        return found


def _bin_of(probability: FloatArray) -> npt.NDArray[np.int64]:
    return np.minimum((probability * _BINS).astype(np.int64), _BINS - 1)
