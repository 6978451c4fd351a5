"""Intervals of the area under the ROC curve, also for rows that share patients, and the difference of two
areas on the same cases."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.wilson import Z

FEW = 20
"""Number of patients of a class below which the estimated variance is too uncertain: in simulations DeLong's
interval then covers the true area in 85 to 92 % of the samples."""
_EDGE = 1e-12


class AreaInterval(NamedTuple):
    """95 % interval of an area under the ROC curve."""

    method: Phrased
    low: float
    high: float


class AreaDifference(NamedTuple):
    """Difference of two areas under the ROC curve with its 95 % interval."""

    estimate: float
    low: float
    high: float
    p: float
    """Two-sided, against no difference."""


class _Variance(NamedTuple):
    area: float
    variance: float
    as_rows: float
    """The variance if each row were a separate patient."""
    degrees: float
    """Satterthwaite's degrees of freedom."""


def area_interval(ranked: RankedScores, clusters: Clusters) -> AreaInterval | None:
    """95 % interval; None with fewer than two patients of a class.

    DeLong's variance (DeLong, DeLong and Clarke-Pearson 1988; over patients Obuchowski 1997) on the logit
    scale, where bounds stay within 0 and 1, with Student's quantile. With few patients of a class, and for an
    area of 0 or 1, whose estimated variance is zero, Newcombe's score interval (2006, method 5): it uses the
    variance that each possible area would have, so it also gives a bound there.
    """
    positive = _positives(ranked)
    patients = clusters.having(positive), clusters.having(~positive)
    if min(patients) < 2:
        return None
    found = _variance(ranked, positive, clusters)
    edge = found.variance <= 1e-24 or not _EDGE < found.area < 1 - _EDGE
    if min(patients) < FEW or edge:
        sizes = (float(positive.sum()), float((~positive).sum()))
        effect = 1.0 if found.as_rows <= 0 else max(1.0, found.variance / found.as_rows)
        worth = patients if edge else (sizes[0] / effect, sizes[1] / effect)
        method = phrase("newcombe" if clusters.one_row_each else "newcombe_effective")
        return AreaInterval(method, *newcombe(found.area, *worth))
    half = t_quantile(found.degrees) * sqrt(found.variance) / (found.area * (1 - found.area))
    middle = float(logit(found.area))
    method = phrase("delong" if clusters.one_row_each else "delong_of_patients")
    return AreaInterval(method, float(expit(middle - half)), float(expit(middle + half)))


def area_difference(first: RankedScores, second: RankedScores, clusters: Clusters) -> AreaDifference | None:
    """Area of the first scores minus that of the second on the same cases, with its 95 % interval and the
    test of DeLong, DeLong and Clarke-Pearson (1988), over patients as in Obuchowski (1997); None with fewer
    than two patients of a class. Two scores that rank every case equally differ by exactly 0.
    """
    positive = _positives(first)
    if min(clusters.having(positive), clusters.having(~positive)) < 2:
        return None
    (area, placement), (other_area, other_placement) = _placements(first), _placements(second)
    estimate = area - other_area
    total = np.zeros(clusters.count)
    for side in (positive, ~positive):
        residual = np.where(side, (placement - other_placement - estimate) / side.sum(), 0.0)
        patients = clusters.having(side)
        total += clusters.sums(residual) * sqrt(patients / (patients - 1))
    error = sqrt(float(total @ total))
    if error <= _EDGE:
        return AreaDifference(estimate, estimate, estimate, 1.0 if abs(estimate) <= _EDGE else 0.0)
    p = float(2 * ndtr(-abs(estimate) / error))
    return AreaDifference(estimate, estimate - Z * error, estimate + Z * error, p)


def newcombe(area: float, positives: float, negatives: float) -> tuple[float, float]:
    """Both areas whose distance to `area` is Z of their own standard errors. The standard error is Hanley and
    McNeil's (1982) with both class sizes replaced by their mean in its numerator."""
    mean = (positives + negatives) / 2

    def excess(true: float) -> float:
        shared = (1 - true) / (2 - true) + true / (1 + true)
        variance = true * (1 - true) * (1 + (mean - 1) * shared) / (positives * negatives)
        return float((true - area) ** 2 - Z * Z * variance)

    inside = min(max(area, _EDGE), 1 - _EDGE)  # the variance is zero at the ends for all sizes
    low = 0.0 if area <= _EDGE else float(brentq(excess, 0.0, inside))
    high = 1.0 if area >= 1 - _EDGE else float(brentq(excess, inside, 1.0))
    return low, high


def _variance(ranked: RankedScores, positive: npt.NDArray[np.bool_], clusters: Clusters) -> _Variance:
    """DeLong's variance with the rows of a patient summed (Obuchowski 1997); exactly DeLong's if each row is
    a separate patient."""
    area, placement = _placements(ranked)
    parts, as_rows, degrees = [], 0.0, 0.0
    for side in (positive, ~positive):
        size, patients = int(side.sum()), clusters.having(side)
        residual = np.where(side, (placement - area) / size, 0.0)
        of_patients = clusters.sums(residual)
        parts.append(of_patients * sqrt(patients / (patients - 1)))
        as_rows += float(residual @ residual) * size / (size - 1)
        degrees += float(parts[-1] @ parts[-1]) ** 2 / (patients - 1)
    total = parts[0] + parts[1]
    variance = float(total @ total)
    return _Variance(area, variance, as_rows, variance**2 / degrees if degrees > 0 else 1.0)


def _positives(ranked: RankedScores) -> npt.NDArray[np.bool_]:
    """(N,) positive cases, in the order of the cases."""
    positive = np.zeros(len(ranked.order), dtype=bool)
    positive[ranked.order] = ranked.positive == 1
    return positive


def _placements(ranked: RankedScores) -> tuple[float, FloatArray]:
    """The area, and for each case (N,) the share of the other class that it is ranked correctly against."""
    p, n = (side[0] for side in ranked.counts(np.ones((1, len(ranked.order)))))  # (G,)
    above, below = (np.cumsum(n) - n / 2) / n.sum(), 1 - (np.cumsum(p) - p / 2) / p.sum()
    group, positive = ranked.groups(), _positives(ranked)
    placement = np.where(positive, above[group], below[group])
    return float(placement[positive].mean()), placement
