"""Equality of scores that only differ by rounding: one rule for ranks, decisions and bins.

The same model gives scores that differ in the last digits if its sums are computed in another order, on
another device or as a mean over members. Such differences must neither rank two cases nor decide one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.arrays import FloatArray

ROUNDING = 1e-12
"""Relative difference from a threshold that counts as rounding: some thousand times the spacing of
float64."""
_NEIGHBORS = 4 * ROUNDING
"""Relative difference of two neighboring scores that counts as rounding: a threshold midway between two
scores that differ by more is not reached by the lower one."""


def settled(scores: npt.ArrayLike, *, within: float = 0.0) -> FloatArray:
    """(...) scores; those that differ from their next lower neighbor by rounding, or by `within`, get its
    value."""
    values = np.asarray(scores, dtype=np.float64)
    order = np.argsort(values, axis=None, kind="stable")
    ascending = values.ravel()[order]
    first = starts_of_groups(ascending, within=within)
    if len(first) == len(ascending):
        return values
    sizes = np.diff(np.append(first, len(ascending)))
    found = np.empty(len(ascending))
    found[order] = np.repeat(ascending[first], sizes)
    return found.reshape(values.shape)


def starts_of_groups(ascending: FloatArray, *, within: float = 0.0) -> npt.NDArray[np.intp]:
    """(G,) the position of the first score of each group of equal ones. ascending (N,)."""
    lower, upper = ascending[:-1], ascending[1:]
    tolerance = np.maximum(_NEIGHBORS * np.maximum(np.abs(lower), np.abs(upper)), within)
    is_first = np.ones(len(ascending), dtype=bool)
    is_first[1:] = upper - lower > tolerance
    return np.flatnonzero(is_first)


def reaches(scores: FloatArray, threshold: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return whether each score is at or above the threshold."""
    limit = np.asarray(threshold, dtype=np.float64)
    reached: npt.NDArray[np.bool_] = scores >= limit - ROUNDING * np.abs(limit)
    return reached


def most_probable(probabilities: FloatArray) -> npt.NDArray[np.int64]:
    """(N, K) → (N,) the first of the classes with the highest probability."""
    top = probabilities.max(axis=1, keepdims=True)
    found: npt.NDArray[Any] = reaches(probabilities, top).argmax(axis=1)
    return found.astype(np.int64)
