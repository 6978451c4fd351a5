"""The score interval of a proportion (Wilson 1927)."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

Z = NormalDist().inv_cdf(0.975)
"""Two-sided 95 %."""


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """95 % interval of successes / trials; trials > 0."""
    share = successes / trials
    width = Z * sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    center = share + Z * Z / (2 * trials)
    shrink = 1 + Z * Z / trials
    low = 0.0 if successes == 0 else (center - width) / shrink
    high = 1.0 if successes == trials else (center + width) / shrink
    return low, high
