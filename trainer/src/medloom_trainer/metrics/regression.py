"""Metrics of a regression, in the units of the label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.outcome import Mean, Share, ratio
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.ranking import RankedScores

_LIMITS = 1.96
"""Distance of the Bland-Altman limits of agreement from the bias, in standard deviations (Bland and Altman
1986)."""
_ROUNDING = 1e-26
"""Limit, relative to the squares of the values, below which a sum of squares is rounding."""


class RegressionOutcome:
    """truth (N,) and predicted (N,) in original units."""

    def __init__(self, truth: npt.ArrayLike, predicted: npt.ArrayLike) -> None:
        self.truth = np.asarray(truth, dtype=np.float64)
        self.predicted = np.asarray(predicted, dtype=np.float64)
        self.error = self.predicted - self.truth
        self.size = len(self.truth)
        self._ranks = [RankedScores.from_scores(np.ones(self.size), x) for x in (self.truth, self.predicted)]
        self._magnitudes = np.stack([np.abs(self.error), np.square(self.error)], axis=1)

    def measure(self, weights: FloatArray) -> dict[str, FloatArray]:
        total = weights.sum(axis=1)
        absolute, squared = (weights @ self._magnitudes).T
        _, spread = _spread(weights, self.truth)
        bias, deviation = self._agreement(weights, total)
        truth_ranks, predicted_ranks = (_ranks(ranked, weights) for ranked in self._ranks)
        return {
            "accuracy": np.full(len(weights), np.nan),
            "auc": np.full(len(weights), np.nan),
            "f1_score": np.full(len(weights), np.nan),
            "mae": ratio(absolute, total),
            "rmse": np.sqrt(ratio(squared, total)),
            "r2": 1 - ratio(squared, spread),
            "pearson": _correlation(weights, self.truth, self.predicted),
            "spearman": _correlation(weights, truth_ranks, predicted_ranks),
            "bias": bias,
            "loa_low": bias - _LIMITS * deviation,
            "loa_high": bias + _LIMITS * deviation,
        }

    def _agreement(self, weights: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation (N - 1) of predicted - truth."""
        bias = ratio(weights @ self.error, total)
        _, spread = _spread(weights, self.error)
        return bias, np.sqrt(ratio(spread, np.maximum(total - 1, 0)))

    def explain(self, name: str) -> str:
        if name in ("accuracy", "auc", "f1_score"):
            return phrase("note_regression_classes")
        if self.size == 0:
            return phrase("note_no_cases")
        if self.size == 1:
            return phrase("note_one_case")
        return (
            phrase("note_constant_truth") if np.ptp(self.truth) == 0 else phrase("note_constant_prediction")
        )

    def proportions(self) -> Mapping[str, Share]:
        return {}

    def overlaps(self) -> Mapping[str, Share]:
        return {}

    def averages(self) -> Mapping[str, Sequence[str]]:
        return {}

    def means(self) -> Mapping[str, Mean]:
        absolute, squared = self._magnitudes.T
        return {"mae": Mean(absolute), "rmse": Mean(squared, root=True), "bias": Mean(self.error)}

    def rows_of(self, name: str) -> None:
        return None

    def rankings(self) -> Mapping[str, RankedScores]:
        return {}

    def standard_errors(self, clusters: Clusters) -> Mapping[str, float]:
        return {}

    def rarest(self, name: str, clusters: Clusters) -> int | None:
        return None


def _spread(weights: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """values (N,) or (R, N) → distances from the weighted mean (R, N), and the weighted sum of their squares
    (R,).

    The sum is exactly 0 if all values with a weight are equal, also if their mean is rounded.
    """
    means = ratio((weights * values).sum(axis=1), weights.sum(axis=1))[:, None]
    centered = values - np.where(np.isfinite(means), means, 0)
    squares = np.einsum("rn,rn,rn->r", weights, centered, centered)
    size = np.einsum("rn,rn->r", weights, np.broadcast_to(np.square(values), weights.shape))
    return centered, np.where(squares > _ROUNDING * size, squares, 0.0)


def _correlation(weights: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Weighted Pearson correlation of x and y, (N,) or (R, N); NaN if one of them is constant."""
    (x, xx), (y, yy) = _spread(weights, x), _spread(weights, y)
    return np.clip(ratio(np.einsum("rn,rn,rn->r", weights, x, y), np.sqrt(xx) * np.sqrt(yy)), -1, 1)


def _ranks(ranked: RankedScores, weights: FloatArray) -> FloatArray:
    """(R, N) ranks of the cases, each repeated by its `weight`; ties share their mean rank."""
    held, _ = ranked.counts(weights)
    middle = np.cumsum(held, axis=1) - (held - 1) / 2
    return middle[:, ranked.groups()]
