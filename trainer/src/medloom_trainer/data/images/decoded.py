"""What a decoded image is, and why a file is not one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

MAX_PIXELS = 100_000_000
"""A file whose header claims more is refused before a pixel is decoded (a decompression bomb claims
billions).
"""

Pixels = npt.NDArray[Any]
Depth = Literal[8, 16]


class UnreadableImage(Exception):
    """Why a file is no usable image; names no path and no value."""


@dataclass(frozen=True)
class ImageHeader:
    """What the first bytes of a file say. Width and height are those on the screen (EXIF applied by the
    decoder).
    """

    width: int
    height: int
    channels: int
    depth: Depth


@dataclass(frozen=True)
class Calibrated:
    """One channel in the units of its modality (CT: Hounsfield units), and the range that is shown unless a
    window is configured.
    """

    values: npt.NDArray[np.float32]
    """(H, W, 1)"""
    low: float
    """Shown black."""
    high: float
    """Shown white."""
    inverted: bool
    """MONOCHROME1: black and white change places."""
