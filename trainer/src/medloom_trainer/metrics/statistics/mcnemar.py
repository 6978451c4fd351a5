"""Test of whether two classifiers are equally often correct on the same independent cases."""

from __future__ import annotations

from scipy.special import bdtr


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p (McNemar 1947; binomial). Only the cases that exactly one of the two classifies
    correctly are informative. 1 if there are none.
    """
    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), discordant, 0.5)))
