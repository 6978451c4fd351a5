"""Order of slices by their positions in space, whether they are files of a series or frames of a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import UnreadableImage

_Floats = npt.NDArray[np.float64]
_SAME_PLACE = 0.02
"""Millimeters: scanners round, and gantries are tilted by fractions of a degree."""
_FEWEST_STEPS = 3
_LARGEST_STEP = 1.5
"""Times the usual step. A missing slice leaves a step of two."""


def places_along(positions: _Floats, orientation: _Floats) -> _Floats:
    """(N,) positions along the normal of the slices in mm (PS3.3 C.7.6.2.1.1). positions: (N, 3).
    orientation: (6,) direction of rows, then of columns."""
    return np.asarray(positions @ np.cross(orientation[:3], orientation[3:]), dtype=np.float64)


def count_repeated(positions: _Floats, orientation: _Floats) -> int:
    """Number of slices at the position of another one."""
    places = np.round(places_along(positions, orientation), 1)
    ordered = positions[np.lexsort((*positions.T, places))]
    return int((np.linalg.norm(np.diff(ordered, axis=0), axis=1) < _SAME_PLACE).sum())


def refuse_gaps(places: Sequence[float] | _Floats) -> None:
    """places: in order, in mm. UnreadableImage if slices are missing between others."""
    steps = np.diff(places)
    if len(steps) < _FEWEST_STEPS:
        return
    usual = float(np.median(steps))
    missing = sum(round(step / usual) - 1 for step in steps.tolist() if step > _LARGEST_STEP * usual)
    if missing:
        sizes = {"gap": f"{float(steps.max()):.4g}", "usual": f"{usual:.4g}"}
        raise UnreadableImage(phrase("image_slices_missing", count=missing, **sizes))
