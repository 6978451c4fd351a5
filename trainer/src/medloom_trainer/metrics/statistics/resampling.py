"""Patients drawn with replacement, and the interval of a mean computed from such draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.clusters import Clusters

_HELD = 1 << 17
"""Numbers in memory at once (1 MiB): they stay in the cache, and memory does not grow with the table."""
_ROUNDING = 1e-12
"""Limit, relative to the value, below which a standard error is rounding."""


def patient_draws(count: int, replicates: int, seed: int, size: int) -> Iterator[FloatArray]:
    """Blocks (R, count), R replicates in all: the number of times that each patient was drawn. The same seed
    gives the same draws. size: numbers that the caller computes for each replicate."""
    generator = np.random.default_rng(seed)
    at_once = max(1, _HELD // size)
    for done in range(0, replicates, at_once):
        rows = min(at_once, replicates - done)
        drawn = generator.integers(count, size=(rows, count)) + np.arange(rows)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
        yield times.astype(np.float64)


class _Moments(NamedTuple):
    mean: FloatArray
    error: FloatArray
    """Standard error of the mean between patients."""


def studentized_mean(
    values: FloatArray, clusters: Clusters, *, positive: bool, replicates: int, seed: int
) -> tuple[float, float] | None:
    """95 % interval of the mean of values (N,), or None if they do not vary.

    Bootstrap-t (Hall 1988): the quantiles of (mean of a replicate - mean) / its standard error replace
    Student's, so that the interval of a skewed metric is longer on the side of its tail. positive: on the log
    scale.
    """
    center = float(values.mean())
    totals, rows = clusters.sums(values - center), clusters.sums(np.ones(len(values)))
    sums = np.stack([totals, rows, totals**2, totals * rows, rows**2], axis=1)
    whole = _moments(sums.sum(axis=0)[None, :], center, clusters.count)
    mean, error = float(whole.mean[0]), float(whole.error[0])
    if not error > _ROUNDING * abs(mean):
        return None
    draws = patient_draws(clusters.count, replicates, seed, clusters.count)
    parts = [_pivots(_moments(times @ sums, center, clusters.count), mean, positive) for times in draws]
    pivots = np.concatenate(parts)
    defined = pivots[np.isfinite(pivots)]
    if 2 * len(defined) < len(pivots):
        return None
    low, high = np.quantile(defined, [0.975, 0.025])
    if positive:
        return float(mean * np.exp(-low * error / mean)), float(mean * np.exp(-high * error / mean))
    return float(mean - low * error), float(mean - high * error)


def _moments(sums: FloatArray, center: float, patients: int) -> _Moments:
    """sums (R, 5) over patients, relative to center: values, rows, values², values x rows, rows²."""
    values, rows, squares, products, row_squares = sums.T
    distance = values / rows
    residual = squares - 2 * distance * products + distance**2 * row_squares
    variance = np.maximum(residual, 0) * patients / (patients - 1)
    return _Moments(center + distance, np.sqrt(variance) / rows)


def _pivots(found: _Moments, mean: float, positive: bool) -> FloatArray:
    """(R,) distances from the mean in standard errors; not finite if a replicate does not vary."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if positive:
            logs: FloatArray = np.log(found.mean / mean) / (found.error / found.mean)
            return logs
        plain: FloatArray = (found.mean - mean) / found.error
        return plain
