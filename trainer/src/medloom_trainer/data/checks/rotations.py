"""The eight ways to mirror and turn a square image by quarters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float32]

ROTATIONS = [(quarters, mirrored) for mirrored in (False, True) for quarters in range(4)]
"""(quarters, mirrored); every second one keeps the shape of a rectangle."""


def turned(gray: _Floats, quarters: int, mirrored: bool) -> _Floats:
    """(M, side, side) → each turned by so many quarters, then mirrored from left to right."""
    rotated = np.rot90(gray, quarters, axes=(1, 2))
    return rotated[:, :, ::-1] if mirrored else rotated
