"""The difference of two training methods over folds of the same cases (Nadeau and Bengio 2003)."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from scipy.special import stdtr

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.clusters import t_quantile

_ROUNDING = 1e-12


class ResampledDifference(NamedTuple):
    """Mean difference over resampled splits with its 95 % interval."""

    estimate: float
    low: float
    high: float
    p: float
    """Two-sided, against no difference."""


def overlap_correction(held_out: float, trained: float, rest: float, repeats: int) -> float:
    """The share r of the variance between folds that is added to that of their mean. held_out: cases of a
    fold; trained: cases that one of its models learned from; rest: all that it does not hold out.

    Nadeau and Bengio (2003) take held_out / trained. Where models learn little, repeated divisions share
    more: two cases that agree by chance do so whichever of them trains and whichever is tested, so that each
    pair counts twice, if the other case trains. The larger of both corrections is taken. The second one is
    not published; docs/benchmarks.md has its simulated error rates.
    """
    return max(held_out / trained, (2 - 1 / repeats) * held_out * trained / rest**2)


def corrected_resampled_t(differences: FloatArray, correction: float) -> ResampledDifference | None:
    """Mean of J differences, one for each fold, with its 95 % interval and test; None with fewer than two
    folds, or if all folds differ by the same amount other than 0.

    Trainings of different folds share most of their cases, so the folds are not an independent sample: the
    variance of the mean is estimated as (1 / J + correction) times the variance between the folds, with J - 1
    degrees of freedom. correction: `overlap_correction`.
    """
    count = len(differences)
    if count < 2:
        return None
    mean, variance = float(differences.mean()), float(differences.var(ddof=1))
    if variance <= _ROUNDING**2:
        return ResampledDifference(0.0, 0.0, 0.0, 1.0) if abs(mean) <= _ROUNDING else None
    error = sqrt((1 / count + correction) * variance)
    half = t_quantile(count - 1) * error
    p = float(2 * stdtr(count - 1, -abs(mean) / error))
    return ResampledDifference(mean, mean - half, mean + half, p)
