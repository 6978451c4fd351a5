"""The eight rotations and reflections of a square image by quarter turns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float32]

ROTATIONS = [(quarters, mirrored) for mirrored in (False, True) for quarters in range(4)]
"""(quarters, mirrored); every second one keeps the shape of a rectangle."""


def rotate(gray: _Floats, quarters: int, mirrored: bool) -> _Floats:
    """(M, side, side) → each rotated by this number of quarter turns, then mirrored from left to right."""
    rotated = np.rot90(gray, quarters, axes=(1, 2))
    return rotated[:, :, ::-1] if mirrored else rotated
