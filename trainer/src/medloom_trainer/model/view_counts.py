"""Number of images that pass through a backbone together, if views are missing."""

from __future__ import annotations

SHAPES_COST = frozenset({"cuda"})
"""Kinds of devices that search the fastest kernels again for every number of images."""
_SIZES = 4


def shown_count(present: int, views: int, device: str, *, learns_statistics: bool) -> int:
    """Number of images for `present` of `views` existing ones: padded to the next quarter, so that there are
    few shapes. Not on the CPU, and not if BatchNorm learns: padding would distort its statistics.
    """
    if device not in SHAPES_COST or learns_statistics:
        return present
    step = -(-views // _SIZES)
    return min(views, -(-present // step) * step)
