"""The score interval of a proportion (Wilson 1927), also for rows that share patients."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile

Z = NormalDist().inv_cdf(0.975)
"""Two-sided 95 %."""


def wilson(successes: float, trials: float, quantile: float = Z) -> tuple[float, float]:
    """95 % interval of successes / trials; trials > 0, both may be effective numbers and so fractions."""
    share = successes / trials
    width = quantile * sqrt(share * (1 - share) / trials + quantile**2 / (4 * trials * trials))
    center = share + quantile**2 / (2 * trials)
    shrink = 1 + quantile**2 / trials
    low = 0.0 if successes == 0 else (center - width) / shrink
    high = 1.0 if successes == trials else (center + width) / shrink
    return low, high


def clustered_wilson(
    success: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_], clusters: Clusters
) -> tuple[float, float] | None:
    """Wilson interval with the effective number of trials, from the variance between patients (effective
    sample size; Rao and Scott 1992, Korn and Graubard 1998). success, among: (N,). None with fewer than two
    patients.

    If all rows agree, the variance is not informative: each patient then counts as one trial.
    """
    hits, trials = clusters.sums(success & among), clusters.sums(among)
    patients = int((trials > 0).sum())
    if patients < 2:
        return None
    rows = float(trials.sum())
    share = float(hits.sum()) / rows
    residual = hits - share * trials
    variance = float(residual @ residual) * patients / (patients - 1) / rows**2
    exact = share * (1 - share)
    effective = float(patients) if exact == 0 or variance == 0 else min(rows, exact / variance)
    return wilson(share * effective, effective, t_quantile(patients - 1))
