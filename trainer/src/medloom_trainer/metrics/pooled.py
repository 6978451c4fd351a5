"""Metrics of several models of one training method under the same patients drawn with replacement, and
differences of two methods on the same cases.

The models may have been measured on different cases: each of them is one set of cases with their predictions.
The mean over the sets is uncertain because of the choice of tested patients (a bootstrap over patients, the
same ones in every set) and other random choices, such as the seed (the variance between the sets); both
variances are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.intervals import MANY_ROWS
from medloom_trainer.metrics.outcome import Outcome, estimate
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile
from medloom_trainer.metrics.statistics.minimum_patients import POOLED, too_few_to_compare
from medloom_trainer.metrics.statistics.resampling import patient_draws
from medloom_trainer.metrics.statistics.scales import scale_of

_REPLICATES = 1000
_FEWER_REPLICATES = 500
MIN_PATIENTS = 10
"""Minimum number of patients for resampling."""
_KEPT = 1 << 23
"""Limit of the numbers of draws that are kept between sets (64 MiB)."""
_ROUNDING = 1e-12
NO_INTERVAL = {"ece": phrase("biased")}


class CaseSet(NamedTuple):
    """N cases with the predictions of one model."""

    outcome: Outcome
    member: npt.NDArray[np.intp]
    """(N,) number of the patient of each case, among those of all sets."""


class Bounds(NamedTuple):
    """Pooled estimate, or difference of two, with its 95 % interval."""

    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    """Two-sided, against zero; only for a difference."""
    note: str | None
    """Reason why a value is None."""


class Resampled(NamedTuple):
    """Resampled metrics of one set."""

    values: Mapping[str, float | None]
    notes: Mapping[str, str]
    draws: Mapping[str, FloatArray]
    """Metric → (replicates,) values, NaN if undefined; empty with too few patients."""
    too_few: Mapping[str, str]
    """Metric → reason why it cannot distinguish two methods."""


class SharedDraws:
    """Resamples sets of cases with the same patients in each."""

    def __init__(self, patients: int, largest: int, *, seed: int = 0, replicates: int | None = None) -> None:
        """patients: of all sets together; largest: number of cases of the largest set."""
        self.patients, self._largest, self._seed = patients, largest, seed
        self.replicates = replicates or (_REPLICATES if largest <= MANY_ROWS else _FEWER_REPLICATES)
        self._draws: list[FloatArray] | None = None

    def resample(self, part: CaseSet) -> Resampled:
        values, notes = estimate(part.outcome)
        clusters = Clusters.from_patients(part.member, part.outcome.size)
        few = {name: too_few_to_compare(part.outcome, name, clusters, POOLED) for name in values}
        too_few = {name: reason for name, reason in few.items() if reason is not None}
        if self.patients < MIN_PATIENTS:
            return Resampled(values, notes, {}, too_few)
        found = [part.outcome.measure(times[:, part.member]) for times in self._blocks]
        return Resampled(
            values,
            notes,
            {name: np.concatenate([one[name] for one in found]) for name in values},
            too_few,
        )

    @property
    def _blocks(self) -> Iterable[FloatArray]:
        """Number of times that each patient is drawn; kept for the next set unless that takes much memory."""
        if self._draws is not None:
            return self._draws
        blocks = patient_draws(self.patients, self.replicates, self._seed, self._largest)
        if self.patients * self.replicates > _KEPT:
            return blocks
        self._draws = list(blocks)
        return self._draws

    def mean(self, metric: str, sets: Sequence[Resampled]) -> Bounds:
        """Mean over the sets, with its 95 % interval on the scale of the metric."""
        values, undefined = _values(metric, sets)
        if undefined is not None:
            return Bounds(None, None, None, None, undefined)
        center = float(values.mean())
        if metric in NO_INTERVAL:
            return Bounds(center, None, None, None, NO_INTERVAL[metric])
        draws = [one.draws[metric] for one in sets if one.draws]
        error = self._error(np.mean(draws, axis=0) if draws else None, values)
        if isinstance(error, str):
            return Bounds(center, None, None, None, error)
        bounds = scale_of(metric).interval(center, error.size, t_quantile(error.degrees))
        if bounds is None or not bounds[0] < bounds[1]:
            return Bounds(center, None, None, None, phrase("no_spread"))
        return Bounds(center, *bounds, None, None)

    def difference(self, metric: str, first: Sequence[Resampled], second: Sequence[Resampled]) -> Bounds:
        """Mean over the first sets minus the mean over the second ones, with Student's interval and test.
        Both have the same number of sets, on the same cases pair by pair."""
        (a, undefined), (b, other) = _values(metric, first), _values(metric, second)
        if undefined is not None or other is not None:
            return Bounds(None, None, None, None, undefined or other)
        center = float((a - b).mean())
        if metric in NO_INTERVAL:
            return Bounds(center, None, None, None, NO_INTERVAL[metric])
        few = next((one.too_few[metric] for one in (*first, *second) if metric in one.too_few), None)
        if few is not None:
            return Bounds(center, None, None, None, few)
        draws = [
            one.draws[metric] - two.draws[metric] for one, two in zip(first, second, strict=True) if one.draws
        ]
        error = self._error(np.mean(draws, axis=0) if draws else None, a - b)
        if isinstance(error, str):
            return Bounds(center, None, None, None, error)
        if error.size <= _ROUNDING:
            if abs(center) > _ROUNDING:
                return Bounds(center, None, None, None, phrase("no_spread"))
            return Bounds(0.0, 0.0, 0.0, 1.0, None)
        half = t_quantile(error.degrees) * error.size
        p = float(2 * stdtr(error.degrees, -abs(center) / error.size))
        return Bounds(center, center - half, center + half, p, None)

    def _error(self, draws: FloatArray | None, values: FloatArray) -> _Error | str:
        """Standard error of the mean of values (S,), or the reason why there is none; draws: the mean of each
        replicate."""
        if draws is None:
            return phrase("too_few_to_resample")
        defined = draws[np.isfinite(draws)]
        if 2 * len(defined) < len(draws):
            return phrase("undefined_in_most")
        count, sets = self.patients, len(values)
        drawn = float(defined.var(ddof=1)) * count / (count - 1)  # a bootstrap divides by N, not N - 1
        between = float(values.var(ddof=1)) / sets if sets > 1 else 0.0
        parts = [(drawn, count - 1), (between, max(sets - 1, 1))]
        total = drawn + between
        weight = sum(part**2 / degrees for part, degrees in parts)
        return _Error(sqrt(total), total**2 / weight if weight > 0 else count - 1)


class _Error(NamedTuple):
    size: float
    degrees: float
    """Satterthwaite's degrees of freedom."""


def _values(metric: str, sets: Sequence[Resampled]) -> tuple[FloatArray, str | None]:
    """(S,) values, or the reason why there are none."""
    found = [one.values[metric] for one in sets]
    if any(value is None for value in found):
        return np.empty(0), next(one.notes[metric] for one in sets if one.values[metric] is None)
    return np.asarray(found, dtype=np.float64), None
