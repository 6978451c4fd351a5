"""Adjustment of p values for several tests, which controls the probability of any false finding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the given order (Holm 1979): the probability of one or more false rejections among
    all of these tests is at most the level that they are compared with."""
    count = len(p_values)
    order = np.argsort(p_values, kind="stable")
    steps = np.asarray(p_values, dtype=np.float64)[order] * (count - np.arange(count))
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return [float(value) for value in adjusted]
