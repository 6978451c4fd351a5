"""Check of whether two networks compute the same on given inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.export.network import Array, sample_inputs

_BATCH_SIZES = (1, 5)
"""Different from the size with which a graph is recorded, so that a fixed batch size is detected."""
TOLERANCE = 1e-5
"""Tolerance of a probability, or of a number in standard deviations of the label: other kernels sum in
another order. Measured for ONNX on a CPU, for small models of each kind of outcome: at most 3e-7."""

_CASES = 32
"""Number of cases in a batch."""

Compute = Callable[[Sequence[Array]], Array]
Batches = Sequence[Sequence[Array]]
"""Inputs in the order of document["inputs"]."""


def random_batches(document: Mapping[str, Any]) -> Batches:
    """For properties that must be valid on any input: another program computes the same as this one."""
    return [sample_inputs(document, count, seed=count) for count in _BATCH_SIZES]


def batches_of(document: Mapping[str, Any], cases: Mapping[str, Array]) -> Batches:
    """cases: name of the input → one row for each case. For properties that depend on the inputs: the effect
    of rounded weights on predictions.
    """
    arrays = [cases[facts["name"]] for facts in document["inputs"]]
    starts = range(0, len(arrays[0]), _CASES)
    return [[array[start : start + _CASES] for array in arrays] for start in starts]


def largest_difference(
    document: Mapping[str, Any], first: Compute, second: Compute, batches: Batches
) -> float:
    """Largest difference over all outputs, of a probability or in standard deviations of the label; infinite
    if either is not a number.
    """
    label = document["label_normalization"]
    unit = 1.0 if label is None else float(label["std"])
    largest = 0.0
    for inputs in batches:
        one, other = first(inputs).astype(np.float64), second(inputs).astype(np.float64)
        if one.shape != other.shape:
            return float("inf")
        difference = np.abs(one - other).max() / unit
        largest = max(largest, float(difference) if np.isfinite(difference) else float("inf"))
    return largest


def require_same(
    what: str, document: Mapping[str, Any], first: Compute, second: Compute, limit: float, batches: Batches
) -> float:
    """The largest difference. EXPORT_UNSUPPORTED if that of `what` from its original exceeds `limit`."""
    difference = largest_difference(document, first, second, batches)
    if difference > limit:
        message = phrase(
            "export_changes_predictions", what=what, change=f"{difference:.2g}", limit=f"{limit:g}"
        )
        raise TrainerError("EXPORT_UNSUPPORTED", message)
    return difference
