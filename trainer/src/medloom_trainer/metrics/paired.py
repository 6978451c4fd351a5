"""Training methods compared on the same cases: the mean of a metric over the models of one method, and the
difference of the means of two methods.

Such a number is uncertain for two reasons: the choice of tested patients, and the seeds of the trainings. The
first is estimated by a bootstrap over patients that draws the same patients for every model; the second by
the variance between the models of one method. Both variances are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.intervals import bootstrap
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.statistics.clusters import Clusters

REPLICATES = 2000


class Bounds(NamedTuple):
    """Paired difference with its 95 % interval."""

    estimate: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


class _Mean(NamedTuple):
    """The mean of a metric over the models of one training method."""

    estimate: float
    draws: FloatArray
    """(replicates,) the mean under patients drawn with replacement, NaN if undefined."""
    seed_variance: float
    """Variance of the mean between trainings."""
    seed_degrees: int


class PairedModels:
    """One metric of several groups of models on the same cases. A group of one model counts as fixed: its
    intervals do not describe the variation of repeated trainings.
    """

    def __init__(
        self,
        groups: Sequence[Sequence[Outcome]],
        metric: str,
        patients: npt.NDArray[np.int64] | None,
        *,
        replicates: int = REPLICATES,
        seed: int = 0,
    ) -> None:
        """groups: the outcomes of the models of each training method, all on the same cases in the same
        order; patients (N,), None if every row is a separate patient. ValueError if the cases differ in
        number or the metric is undefined on them.
        """
        sizes = {outcome.size for group in groups for outcome in group}
        if len(sizes) != 1:
            raise ValueError("the models were not measured on the same cases")
        self.clusters = Clusters.from_patients(patients, sizes.pop())
        self._means = [_mean_of(group, metric, self.clusters, replicates, seed) for group in groups]

    def mean(self, group: int, level: float = 0.95) -> Bounds:
        """The mean over the models of a group."""
        mean = self._means[group]
        return self._bounds(mean.estimate, mean.draws, [mean], level)

    def difference(self, first: int, second: int, level: float = 0.95) -> Bounds:
        """Mean of the first group minus the mean of the second, on the same patients."""
        a, b = self._means[first], self._means[second]
        return self._bounds(a.estimate - b.estimate, a.draws - b.draws, [a, b], level)

    def _bounds(self, estimate: float, draws: FloatArray, means: Sequence[_Mean], level: float) -> Bounds:
        """Student's interval, with Satterthwaite's degrees of freedom."""
        count = self.clusters.count
        defined = draws[np.isfinite(draws)]
        if count < 2 or 2 * len(defined) < len(draws):
            raise ValueError("the metric is undefined in most replicates")
        drawn = float(defined.var(ddof=1)) * count / (count - 1)  # a bootstrap divides by N, not N - 1
        parts = [(drawn, count - 1), *((mean.seed_variance, mean.seed_degrees) for mean in means)]
        variance = sum(part for part, _ in parts)
        if variance == 0:
            return Bounds(estimate, estimate, estimate)
        degrees = variance**2 / sum(part**2 / degree for part, degree in parts if part > 0)
        half = float(stdtrit(degrees, (1 + level) / 2)) * sqrt(variance)
        return Bounds(estimate, estimate - half, estimate + half)


def _mean_of(group: Sequence[Outcome], metric: str, clusters: Clusters, replicates: int, seed: int) -> _Mean:
    values = np.array([outcome.measure(np.ones((1, outcome.size)))[metric][0] for outcome in group])
    if not np.isfinite(values).all():
        raise ValueError(f"{metric} is undefined: {group[0].explain(metric)}")
    # The same seed draws the same patients for every model.
    draws = np.mean([bootstrap(outcome, clusters, replicates, seed)[metric] for outcome in group], axis=0)
    count = len(group)
    between = float(values.var(ddof=1)) / count if count > 1 else 0.0
    return _Mean(float(values.mean()), draws, between, max(count - 1, 1))
