"""P values of the hypothesis that nothing has changed since the training. They are valid for skewed numbers
and rare categories, because an alarm must not depend on the shape of a column.

Cases of one patient are not independent: the tests of inputs take the number of independent cases, and those
of calibration one case of each patient.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import expit, gammainc, gammaincc, gammaln, ndtr

from medloom_trainer.metrics.arrays import FloatArray

_DRAWS = 9999
_LARGE = 100.0
"""Variance of a sum of outcomes from which it is normal for all that matters here."""
_NO_SKEW = 1e-3
_ROUNDING = 1e-9


def mean_changed(mean: float, independent: float, pool: FloatArray, trained: float) -> float:
    """The mean differs from that of the training. mean: in its standard deviations from its mean, pool: all
    collected values of the column, independent and trained: independent cases of the window and the training.

    The difference of the means has the skewness of the values, so that its distribution is a gamma
    distribution (Pearson's type III) instead of the normal one. The larger of both variances is used: that of
    a few training cases may be too small.
    """
    ours, theirs = 1 / independent, 1 / trained
    variance = max(1.0, float(pool.var(ddof=1)))
    size = mean / sqrt(variance * (ours + theirs))
    skewness = _skewness(pool) * (ours**2 - theirs**2) / (ours + theirs) ** 1.5
    if abs(skewness) < _NO_SKEW:
        return float(2 * ndtr(-abs(size)))
    if skewness < 0:
        size, skewness = -size, -skewness
    shape = 4 / skewness**2
    place = max(0.0, shape + size * sqrt(shape))
    return float(min(1.0, 2 * min(gammainc(shape, place), gammaincc(shape, place))))


def _skewness(values: FloatArray) -> float:
    centered = values - values.mean()
    spread = float(np.sqrt(np.mean(centered**2)))
    return 0.0 if spread == 0 else float(np.mean(centered**3)) / spread**3


def shares_changed(counts: FloatArray, trained: FloatArray, seed: int) -> float:
    """Shares of K categories differ from those of the training; counts and trained (K,) independent cases,
    which are rounded.

    The chi-squared statistic under all divisions of these cases in two groups of these sizes, which is exact
    for any counts. With two categories all divisions are counted; with more, a random sample is drawn.
    """
    first, second = np.rint(counts).astype(np.int64), np.rint(trained).astype(np.int64)
    held = (first + second) > 0
    first, second = first[held], second[held]
    if len(first) < 2 or not first.sum() or not second.sum():
        return 1.0
    total, size = first + second, int(first.sum())
    expected = total * (size / total.sum())

    def statistic(drawn: npt.NDArray[np.int64]) -> FloatArray:
        found: FloatArray = ((drawn - expected) ** 2 / expected).sum(axis=-1)
        return found

    limit = statistic(first) * (1 - _ROUNDING)
    if len(total) == 2:
        divisions, probabilities = _divisions_of_two(total, size)
        return float(min(1.0, probabilities[statistic(divisions) >= limit].sum()))
    draws = np.random.default_rng(seed).multivariate_hypergeometric(
        total, size, size=_DRAWS, method="marginals"
    )
    return float(1 + (statistic(draws) >= limit).sum()) / (_DRAWS + 1)


def _divisions_of_two(total: npt.NDArray[np.int64], size: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """(D, 2) counts of all divisions that put `size` of the cases in the first group, and (D,) their
    probabilities.
    """
    one = np.arange(max(0, size - int(total[1])), min(int(total[0]), size) + 1)
    divisions = np.stack([one, size - one], axis=1)
    ways = (gammaln(total + 1) - gammaln(divisions + 1) - gammaln(total - divisions + 1)).sum(axis=1)
    probabilities: FloatArray = np.exp(ways - ways.max())
    return divisions, probabilities / probabilities.sum()


def calibration_changed(
    labels: npt.NDArray[np.int64],
    logits: FloatArray,
    line: FloatArray,
    covariance: FloatArray,
    seed: int,
) -> tuple[float, float]:
    """(level, slope): the outcomes of N cases do not follow the calibration line of the development, of which
    line (2,) has intercept and slope, with their covariance (2, 2).

    Score tests: the sum of the residuals, and their sum weighted by the logit. Their distribution is drawn:
    first a line, as uncertain as the development leaves it, then outcomes of the cases.
    """
    generator = np.random.default_rng(seed)
    fitted = expit(line[0] + line[1] * logits)
    weight = fitted * (1 - fitted)
    centered = logits - float((weight * logits).sum() / weight.sum())
    parts = np.stack([np.ones(len(logits)), centered])  # (2, N)
    observed = parts @ (labels - fitted)
    lines = generator.multivariate_normal(line, covariance, size=_DRAWS, method="eigh")
    drawn = _sums(lines, logits, fitted, parts, generator)
    reached = np.abs(drawn) >= np.abs(observed) * (1 - _ROUNDING)
    level, slope = ((1 + reached.sum(axis=0)) / (_DRAWS + 1)).tolist()
    return level, slope


def _sums(
    lines: FloatArray,
    logits: FloatArray,
    fitted: FloatArray,
    parts: FloatArray,
    generator: np.random.Generator,
) -> FloatArray:
    """(R, 2) both statistics of outcomes that follow R lines."""
    at_once = max(1, 2_000_000 // len(logits))
    found = np.empty((len(lines), 2))
    normal = float((fitted * (1 - fitted)).sum()) > _LARGE
    for start in range(0, len(lines), at_once):
        part = lines[start : start + at_once]
        probability = expit(part[:, :1] + part[:, 1:] * logits)  # (r, N)
        means = (probability - fitted) @ parts.T
        if normal:
            spread = np.sqrt((probability * (1 - probability)) @ (parts**2).T)
            found[start : start + at_once] = means + spread * generator.standard_normal(means.shape)
        else:
            outcomes = generator.random(probability.shape) < probability
            found[start : start + at_once] = (outcomes - fitted) @ parts.T
    return found
