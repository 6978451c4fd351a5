"""The scaling and the penalties that every fit of a linear model uses: those of the baselines, and those of
the models that complement networks of the table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.types import TableLayout

FloatArray = npt.NDArray[np.float64]

STRENGTHS = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)
"""Inverse penalties (C) of the logistic regression; for the ridge regression the penalties themselves."""


def scaled_values(layout: TableLayout) -> list[int]:
    """Positions of the encoded numbers that are scaled before a penalty applies to them; the others are 0 or
    1."""
    numbers = [column for column in layout.columns if column.kind in ("numeric", "target")]
    return [column.start + place for column in numbers for place in range(column.width)]


def standardization(matrix: FloatArray, scaled: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """(P,) mean and standard deviation of the scaled columns; 0 and 1 for the others."""
    center, scale = np.zeros(matrix.shape[1]), np.ones(matrix.shape[1])
    numbers = list(scaled)
    center[numbers] = matrix[:, numbers].mean(axis=0)
    deviation = matrix[:, numbers].std(axis=0)
    scale[numbers] = np.where(deviation > 0, deviation, 1.0)
    return center, scale
