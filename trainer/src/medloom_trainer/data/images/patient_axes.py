"""Orientation in which a slice is shown, from its directions in the patient (PS3.3 C.7.6.2.1.1): that of
NIfTI volumes, whatever the position of the patient in the scanner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.images.decoded import Calibrated, Pixels

_SHOWN = {0: (1, 1, 2, -1), 1: (0, 1, 2, -1), 2: (0, 1, 1, 1)}
"""Axis of the normal → axis and sign of the direction to the right, then of that downward. Axes are left,
posterior and head. Axial slices have the front above, others the head."""
_ORDER = (-1, -1, 1)
"""Sign of the normal in which slices are counted: toward the right, the front and the head."""
_LEAST_NORMAL = 0.5


@dataclass(frozen=True)
class Turn:
    """Changes of the stored slices. Rows and columns are exchanged first."""

    transposed: bool = False
    mirrored: bool = False
    """Left and right are exchanged."""
    upended: bool = False
    """Top and bottom are exchanged."""
    reverses: bool = False
    """The order of the slices is reversed."""

    def apply(self, pixels: Pixels | Calibrated) -> Pixels | Calibrated:
        """(H, W, C) stored slice → the shown one."""
        if not isinstance(pixels, Calibrated):
            return self._turned(pixels)
        looked_up = None if pixels.looked_up is None else self._turned(pixels.looked_up)
        aspect = 1 / pixels.aspect if self.transposed else pixels.aspect
        return replace(pixels, values=self._turned(pixels.values), looked_up=looked_up, aspect=aspect)

    def _turned(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if not (self.transposed or self.mirrored or self.upended):
            return values
        turned = values.swapaxes(0, 1) if self.transposed else values
        turned = turned[:, ::-1] if self.mirrored else turned
        return np.ascontiguousarray(turned[::-1] if self.upended else turned)


def turn_of(orientation: npt.NDArray[np.float64] | None) -> Turn:
    """orientation: (6,) direction of the rows, then of the columns; None if a file does not contain it."""
    if orientation is None or not np.isfinite(orientation).all():
        return Turn()
    across, down = orientation[:3], orientation[3:]
    normal = np.cross(across, down)
    if np.linalg.norm(normal) < _LEAST_NORMAL:
        return Turn()
    plane = int(np.abs(normal).argmax())
    to_right, right, to_bottom, bottom = _SHOWN[plane]
    transposed = bool(abs(across[to_right]) < abs(across[to_bottom]))
    if transposed:
        across, down = down, across
    return Turn(
        transposed,
        bool(across[to_right] * right < 0),
        bool(down[to_bottom] * bottom < 0),
        bool(normal[plane] * _ORDER[plane] < 0),
    )
