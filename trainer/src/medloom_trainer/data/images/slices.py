"""The range of a volume, and the choice of slices with content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import MIDDLE, Slice

_ABOVE_BACKGROUND = 0.05
"""Share of the range of the volume."""
_LEAST_SHARE = 0.1
"""Share of the content of the fullest slice."""
_USUAL = (0.5, 99.5)
"""In percent."""
CT_RANGE = (-1024.0, 3071.0)
"""In Hounsfield units."""
_AIR = (-1100, -900)
"""Hounsfield units of air and lung."""
_LEAST_AIR = 0.005
_DENSE, _MOST_DENSE = 1500, 0.05
"""Hounsfield units of dense bone, and the largest share of a body that is denser."""


def usual_range(values: npt.NDArray[Any]) -> tuple[float, float]:
    """From the 0.5th to the 99.5th percentile of the finite values; high is above low."""
    known = values[np.isfinite(values)]
    low, high = (float(edge) for edge in np.percentile(known, _USUAL)) if known.size else (0.0, 1.0)
    if high <= low:  # few voxels differ from the background: use their range
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    return low, high if high > low else low + 1


def looks_like_ct(values: npt.NDArray[Any]) -> bool:
    """Return whether values are Hounsfield units: some are those of air, and few are denser than bone."""
    known = values[np.isfinite(values)]
    if not known.size or known.min() > _AIR[1]:
        return False
    air = ((known >= _AIR[0]) & (known <= _AIR[1])).mean()
    return bool(air >= _LEAST_AIR and (known > _DENSE).mean() <= _MOST_DENSE)


def robust_range(values: npt.NDArray[Any]) -> tuple[float, float]:
    """From the minimum to the 99.5th percentile of the finite values; high is above low. A minimum that is
    further below the usual range than its width is a code for a missing value."""
    low, high = usual_range(values)
    known = values[np.isfinite(values)]
    return (max(float(known.min()), low - (high - low)) if known.size else low), high


def slices_with_content(slices: Sequence[npt.NDArray[Any]], low: float, high: float) -> npt.NDArray[np.int64]:
    """Positions of the slices that have content: at least a tenth of that of the fullest slice, in pixels
    above the lowest twentieth of the range low..high of the volume; NaN is background. All slices if none has
    content: a volume without background, or a blank one.
    """
    least = low + _ABOVE_BACKGROUND * (high - low)
    shares = np.asarray([_share(values, least) for values in slices])
    chosen = np.flatnonzero(shares >= _LEAST_SHARE * shares.max())
    return chosen if shares.max() > 0 else np.arange(len(slices), dtype=np.int64)


def _share(values: npt.NDArray[Any], least: float) -> float:
    """Share of content of a slice; 0 if all values are equal, because it shows nothing."""
    if (values == values.flat[0]).all():
        return 0.0
    return float((values > least).mean())


def position(part: Slice | None, depth: int, content: npt.NDArray[np.int64] | None) -> int:
    """Position of the slice that `part` names; None: the middle of the volume. content: from
    `slices_with_content`, needed for a part with spread "content".
    """
    part = part or MIDDLE
    if part.spread == "content" and content is not None:
        return int(content[part.index(len(content))])
    return part.index(depth)
