"""The predictions of a baseline, which an evaluation compares with those of its model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased
from medloom_trainer.outcomes.kind import Threshold


@dataclass(frozen=True)
class BaselinePrediction:
    """Predictions of a baseline for the cases of an evaluation."""

    name: str
    title: Phrased
    settings: str
    threshold: Threshold
    """For binary tasks: chosen on validation."""
    predictions: npt.NDArray[np.float64]
    """(N, K) probabilities, or (N,) in original units."""
    fitted_on: Mapping[str, Any] | None = None
    """Contract FittedOn: the rows that it learned from, and whether they are the same as those of the
    model."""
