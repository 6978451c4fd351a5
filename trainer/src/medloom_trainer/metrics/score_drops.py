"""Decrease of the main metric of the outcome if something is removed from the inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.multilabel import MultilabelOutcome
from medloom_trainer.metrics.outcome import Outcome, ratio
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.resampling import patient_draws

_REPLICATES = 200

Rows = npt.NDArray[np.intp] | slice


@dataclass(frozen=True)
class MainScore:
    """The AUROC, or its mean for several classes or labels; for a number the mean absolute error."""

    metric: str
    ranked: tuple[tuple[Rows, RankedScores], ...]
    """Ranking of each class, or of each label on the cases where it is known."""
    errors: FloatArray | None
    """(N,) absolute errors."""

    @staticmethod
    def from_outcome(outcome: Outcome) -> MainScore | None:
        """None for an outcome that has neither."""
        if isinstance(outcome, MultilabelOutcome):
            parts = zip(outcome.rows, outcome.parts, strict=True)
            return MainScore("auc", tuple((rows, part.ranked) for rows, part in parts), None)
        ranked = tuple((slice(None), one) for one in outcome.rankings().values())
        if ranked:
            return MainScore("auc", ranked, None)
        mean = outcome.means().get("mae")
        return None if mean is None else MainScore("mae", (), mean.values)

    def goodness(self, weights: FloatArray) -> FloatArray:
        """Weights (R, N) → (R,), higher is better: the area, or the negative error."""
        if self.errors is not None:
            return -ratio(weights @ self.errors, weights.sum(axis=1))
        areas: FloatArray = np.mean([one.areas(weights[:, rows])[0] for rows, one in self.ranked], axis=0)
        return areas


class Drop(NamedTuple):
    """Decrease of the main metric with its 95 % interval."""

    drop: float
    """In units of the metric; above 0 if the predictions become worse."""
    low: float
    high: float


class ScoreDrops:
    """Decreases from the same predictions, under the same draws of patients."""

    def __init__(self, score: MainScore, clusters: Clusters, seed: int) -> None:
        self._clusters = clusters
        draws = patient_draws(clusters.count, _REPLICATES, seed, clusters.count)
        drawn = [times[:, clusters.member] for times in draws]
        # The original cases first, then each draw.
        self._weights = np.concatenate([np.ones((1, len(clusters.member))), *drawn])
        self._before = score.goodness(self._weights)

    def measure(self, after: Sequence[MainScore]) -> Drop:
        """The mean over several ways to remove the same input, with a 95 % interval: Student's, with the
        variance between patients (bootstrap) and that of the mean over the ways."""
        drops = self._before - np.stack([score.goodness(self._weights) for score in after])
        means = drops.mean(axis=0)
        drawn = means[1:][np.isfinite(means[1:])]
        count = self._clusters.count
        variance = float(drawn.var(ddof=1)) * count / (count - 1)
        if len(after) > 1:
            variance += float(drops[:, 0].var(ddof=1)) / len(after)
        half = t_quantile(count - 1) * sqrt(variance)
        estimate = float(means[0])
        return Drop(estimate, estimate - half, estimate + half)
