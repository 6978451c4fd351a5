"""Whether two networks compute the same, on random inputs and on batches of several sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.errors import TrainerError
from medloom_trainer.export.network import Array, sample_inputs

_BATCH_SIZES = (1, 5)
"""None is the size that a graph is recorded with: a size that was baked in shows."""
TOLERANCE = 1e-4
"""Of a probability, or of a number in deviations of the label: other kernels sum in another order."""

Compute = Callable[[Sequence[Array]], Array]


def _largest_difference(document: Mapping[str, Any], first: Compute, second: Compute) -> float:
    """Over all outputs; infinite where either is not a number."""
    label = document["label_normalization"]
    unit = 1.0 if label is None else float(label["std"])
    largest = 0.0
    for count in _BATCH_SIZES:
        inputs = sample_inputs(document, count, seed=count)
        one, other = first(inputs).astype(np.float64), second(inputs).astype(np.float64)
        if one.shape != other.shape:
            return float("inf")
        difference = np.abs(one - other).max() / unit
        largest = max(largest, float(difference) if np.isfinite(difference) else float("inf"))
    return largest


def require_same(
    what: str, document: Mapping[str, Any], first: Compute, second: Compute, limit: float
) -> float:
    """EXPORT_UNSUPPORTED when `what` differs from its original by more than `limit`."""
    difference = _largest_difference(document, first, second)
    if difference > limit:
        message = f"{what} changes predictions by up to {difference:.2g}; {limit:g} is allowed"
        raise TrainerError("EXPORT_UNSUPPORTED", message)
    return difference
