"""Pixels wider than 16 bits, as TIFF files hold them: whole numbers of 32 bits and floating point.

Such numbers have no largest value that could be shown white. Those of a known range (0..65535, or 0..1 as
programs write that divide by the largest value) keep it, so that images compare; others are measurements,
shown over the range of their file unless a window is configured.
"""

from __future__ import annotations

import numpy as np

from medloom_trainer.data.images.decoded import Calibrated, Pixels, UnreadableImage


def from_integers(values: Pixels) -> Pixels | Calibrated:
    """(H, W) of any integers → uint16 where that loses nothing."""
    low, high = int(values.min()), int(values.max())
    if low >= 0 and high <= 65535:
        return values.astype(np.uint16)[:, :, None]
    return _measured(values.astype(np.float32), low, high)


def from_floats(values: Pixels) -> Calibrated:
    """(H, W) float32. NaN shows as the lowest value; UnreadableImage where there is no number."""
    known = values[np.isfinite(values)]
    if not known.size:
        raise UnreadableImage("holds no number")
    low, high = float(known.min()), float(known.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return _measured(np.nan_to_num(values, nan=low, posinf=high, neginf=low), low, high)


def _measured(values: Pixels, low: float, high: float) -> Calibrated:
    return Calibrated(values[:, :, None], low, high if high > low else low + 1, False)
