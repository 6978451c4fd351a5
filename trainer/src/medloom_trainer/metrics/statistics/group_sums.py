"""Sums of case weights within groups, for any number of weightings at once: one pass over the weights, in
memory that does not grow with the number of groups."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from medloom_trainer.metrics.arrays import FloatArray


def sums_of_groups(group: npt.NDArray[np.intp], count: int) -> csr_array:
    """group (N,) of each case, 0 to count - 1 → (count, N); its product with weights (N, R) is the sums
    (count, R)."""
    size = len(group)
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=count))
    return csr_array((np.ones(size), order, np.append(0, ends)), shape=(count, size))


def by_case(weights: FloatArray) -> FloatArray:
    """Weights (R, N) → (N, R), with the replicates of a case contiguous; no copy if they are already."""
    return np.ascontiguousarray(weights.T)
