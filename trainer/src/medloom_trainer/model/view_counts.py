"""How many images pass a backbone at once, where views are missing."""

from __future__ import annotations

SHAPES_COST = frozenset({"cuda"})
"""Kinds of devices that look for the fastest kernels anew for every number of images."""
_SIZES = 4


def shown_count(present: int, views: int, device: str, *, learns_statistics: bool) -> int:
    """Of `views` images, `present` of which are there: filled up to the next quarter, so that there are few
    shapes. Not on the CPU, and not where BatchNorm learns: what fills up would bend its statistics.
    """
    if device not in SHAPES_COST or learns_statistics:
        return present
    step = -(-views // _SIZES)
    return min(views, -(-present // step) * step)
