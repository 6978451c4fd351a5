"""Calibration of probabilities: expected calibration error, calibration line, reliability bins."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.logistic import fit_logistic
from medloom_trainer.metrics.statistics.ties import settled
from medloom_trainer.metrics.statistics.wilson import wilson

_BINS = 10
"""Bins of the expected calibration error: [0, 0.1), [0.1, 0.2), … [0.9, 1]. The curve has at most this
number."""
_CASES_PER_BIN = 20
"""Minimum of cases in a bin of the curve: with fewer cases the interval of a share is too wide to be
useful."""
SMALLEST = float(np.finfo(np.float64).eps)
"""Distance of probabilities from 0 and 1 inside logarithms, as in scikit-learn."""


def bin_gaps(events: npt.NDArray[Any], probability: FloatArray) -> FloatArray:
    """(N, _BINS): event - probability in the bin of the case, 0 in the others.

    The sum over weighted cases, as absolute values, added up and divided by the weight, is the expected
    calibration error.
    """
    gaps = np.zeros((len(probability), _BINS))
    gaps[np.arange(len(probability)), _bin_of(probability)] = events - probability
    return gaps


def reliability_bins(events: npt.NDArray[Any], probability: FloatArray) -> list[dict[str, float | int]]:
    """The calibration curve, one entry for each bin by ascending probability: mean prediction, share of
    events with its Wilson interval, count, and range of the predictions.

    Bins contain about equally many cases, and their number depends on the number of cases: with a fixed width
    most bins would contain only a few cases if predictions are concentrated. Equal probabilities share a
    bin.
    """
    bins: list[dict[str, float | int]] = []
    index = _crowded_bin_of(probability)
    for number in np.unique(index):
        inside = index == number
        count, happened = int(inside.sum()), int(events[inside].sum())
        low, high = wilson(happened, count)
        predicted = float(probability[inside].mean())
        bins.append(
            {
                "predicted": predicted,
                "observed": happened / count,
                "count": count,
                "low": low,
                "high": high,
                "least": float(probability[inside].min()),
                "most": float(probability[inside].max()),
            }
        )
    return bins


class CalibrationLine:
    """Logistic recalibration (Cox 1958; Van Calster et al. 2019) of probability (N,) against labels (N,) of
    0/1.

    slope: b of logit P(event) = a + b * logit(p), ideally 1. intercept: a of logit P(event) = a + logit(p),
    with the slope fixed at 1 (calibration in the large), ideally 0.
    """

    def __init__(self, labels: npt.NDArray[np.int64], probability: FloatArray) -> None:
        logits = logits_of(probability)
        self._order = np.argsort(logits, kind="stable")
        self._logits = logits[self._order]
        self._labels = labels[self._order].astype(np.float64)
        self._design = np.stack([np.ones(len(logits)), self._logits], axis=1)

    def fit(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights (R, N) → slope (R,) and intercept (R,); NaN if the likelihood has no finite maximum."""
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

    def coefficients(self) -> tuple[float, float]:
        """(a, b) of logit P(event) = a + b * logit(p); NaN if the likelihood has no finite maximum."""
        every = np.ones((1, len(self._logits)))
        if not self._classes_overlap(every)[0]:
            return float("nan"), float("nan")
        intercept, slope = self._fit_slope(every, self._start_of_slope)[0].tolist()
        return intercept, slope

    def standard_errors(self, clusters: Clusters) -> tuple[float, float]:
        """Standard errors of slope and intercept; NaN if they are not defined.

        Slope: from the information of the likelihood. Intercept: from the scores themselves (sandwich), since
        its model fixes the slope at 1, which is rarely its true value. If rows share patients, both are
        widened by the design effect: the variance of the summed scores of patients relative to that of
        rows.
        """
        slope, intercept = self._start_of_slope, self._start_of_intercept
        ordered = Clusters(clusters.member[self._order], clusters.count)
        of_line = self._variances(self._design, self._design @ slope, ordered)
        level = self._logits + intercept
        of_level = self._variances(self._design[:, :1], level, ordered, from_scores=True)
        return float(np.sqrt(of_line[-1])), float(np.sqrt(of_level[-1]))

    def _variances(
        self, design: FloatArray, fitted: FloatArray, clusters: Clusters, from_scores: bool = False
    ) -> FloatArray:
        """design (N, D), fitted logits (N,) → variances of the coefficients (D,)."""
        probability = expit(fitted)
        information = design.T @ (design * (probability * (1 - probability))[:, None])
        if np.linalg.matrix_rank(information) < len(information):
            return np.full(len(information), np.nan)
        inverse: FloatArray = np.linalg.inv(information)
        variances: FloatArray = np.diag(inverse)
        influence = (design * (self._labels - probability)[:, None]) @ inverse
        if from_scores:
            variances = np.square(influence).sum(axis=0) * len(influence) / max(len(influence) - 1, 1)
        if clusters.one_row_each:
            return variances
        of_patients = np.stack([clusters.sums(column) for column in influence.T], axis=1)
        effect = np.square(of_patients).sum(axis=0) / np.square(influence).sum(axis=0)
        widened: FloatArray = variances * np.maximum(effect, 1)
        return widened

    def _fit_slope(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        return fit_logistic(self._design, np.zeros(len(self._logits)), self._labels, weights, start)

    def _fit_intercept(self, weights: FloatArray, start: FloatArray) -> FloatArray:
        return fit_logistic(self._design[:, :1], self._logits, self._labels, weights, start)

    @cached_property
    def _start_of_slope(self) -> FloatArray:
        """The fit to the unweighted cases, from which the fits of replicates are one or two steps away."""
        every = np.ones((1, len(self._logits)))
        fitted = self._fit_slope(every, np.zeros(2))[0] if self._classes_overlap(every)[0] else np.zeros(2)
        return np.where(np.isfinite(fitted).all(), fitted, 0.0)

    @cached_property
    def _start_of_intercept(self) -> FloatArray:
        fitted = self._fit_intercept(np.ones((1, len(self._logits))), np.zeros(1))[0]
        return np.where(np.isfinite(fitted), fitted, 0.0)

    def _classes_overlap(self, weights: FloatArray) -> npt.NDArray[np.bool_]:
        """Neither class is completely at or above the other: only then is the slope finite. Logits ascend."""
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


def logits_of(probability: FloatArray) -> FloatArray:
    """Finite logits of probabilities, which are limited to SMALLEST from 0 and 1."""
    clipped = np.clip(probability, SMALLEST, 1 - SMALLEST)
    logits: FloatArray = np.log(clipped) - np.log1p(-clipped)
    return logits


def _bin_of(probability: FloatArray) -> npt.NDArray[np.int64]:
    return np.minimum((probability * _BINS).astype(np.int64), _BINS - 1)


def _crowded_bin_of(probability: FloatArray) -> npt.NDArray[np.int64]:
    """(N,) the bin of each case. A bin has at least _CASES_PER_BIN cases and about one _BINS-th of all."""
    _, value_of, counts = np.unique(settled(probability), return_inverse=True, return_counts=True)
    smallest = max(_CASES_PER_BIN, len(probability) // _BINS)
    bins, filled, current = np.zeros(len(counts), dtype=np.int64), 0, 0
    for value, count in enumerate(counts.tolist()):
        bins[value] = current
        filled += count
        if filled >= smallest:
            filled, current = 0, current + 1
    complete = current if filled == 0 else max(1, current)
    return np.asarray(np.minimum(bins, complete - 1)[value_of])
