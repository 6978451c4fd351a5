"""Cells of a table: rules for missing values, and names of image files.

`scan.nii.gz#slice=2of3` names one slice of a volume: the second of three that divide it evenly, from foot to
head. `#slice=2of3&axis=coronal&spread=content` divides it along another axis, or only the slices that have
content. Without `#slice`, the cell means the whole volume: a training reads several slices of it
(`Slicing`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.column_texts import coded, distinct_of, once

_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"})
"""Markers of a missing value in a typed column, in any case. For ids and patients only an empty cell is
missing; UNK is a category.
"""
_LONGEST_MISSING = max(map(len, _MISSING))

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".dcm", ".nii", ".nii.gz")
Axis = Literal["axial", "coronal", "sagittal"]
Spread = Literal["content", "volume"]
_SLICE_SUFFIX = re.compile(
    r"#slice=([1-9]\d{0,3})of([1-9]\d{0,3})(?:&axis=(axial|coronal|sagittal))?(?:&spread=(content|volume))?$"
)
_SERIES_SUFFIX = re.compile(r"#series=([0-9a-f]{8})$")


class PresentText(str):
    """A value, whatever its text: of a column with its own codes for missing values, which a recipe lists, or
    the name of a folder. `None` is a class there."""

    __slots__ = ()


def is_missing(text: str) -> bool:
    # Case folding shortens no text.
    if len(text) > _LONGEST_MISSING or text.casefold() not in _MISSING:
        return False
    return not (text and isinstance(text, PresentText))


def is_declared(text: str) -> bool:
    """Return whether it is a value only because it is declared as one, which a file cannot express."""
    return bool(text) and isinstance(text, PresentText) and is_missing(str(text))


def missing_mask(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(N,) True if a typed column has no value."""
    mask: npt.NDArray[np.bool_] = _missing_distinct(texts)[coded(texts)[1]]
    return mask


def present_texts(texts: Sequence[str]) -> list[str]:
    """The different texts that are values, in the order of their first rows."""

    def present() -> list[str]:
        return list(compress(distinct_of(texts), (~_missing_distinct(texts)).tolist()))

    return once(texts, "present", present)


def _missing_distinct(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """True for each of the different texts that means a missing value."""

    def missing() -> npt.NDArray[np.bool_]:
        return np.array([is_missing(text) for text in distinct_of(texts)], dtype=np.bool_)

    return once(texts, "missing", missing)


@dataclass(frozen=True)
class Slice:
    """The `number`-th of `count` evenly spaced slices, from 1."""

    number: int
    count: int
    axis: Axis = "axial"
    """For volumes with known axes (NIfTI); frames and series are divided as they were acquired."""
    spread: Spread = "volume"
    """Over the slices that have content, or over all."""

    def index(self, depth: int) -> int:
        """Position among `depth` slices: the middle of the number-th of `count` equal parts."""
        return min(depth - 1, (2 * self.number - 1) * depth // (2 * self.count))


MIDDLE = Slice(1, 1)


@dataclass(frozen=True)
class Slicing:
    """Rule by which a volume becomes views (data.slices)."""

    count: int
    axis: Axis
    spread: Spread

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Slicing:
        return cls(settings["count"], settings["axis"], settings["spread"])

    def parts(self, most: int) -> list[Slice]:
        """The slices that represent a volume, at most `most`."""
        count = min(self.count, most)
        return [Slice(number, count, self.axis, self.spread) for number in range(1, count + 1)]


def split_slice(cell: str | Path) -> tuple[str, Slice | None]:
    """(path of the file, the slice that it names)."""
    text = str(cell)
    found = _SLICE_SUFFIX.search(text)
    if found is None or int(found[1]) > int(found[2]):
        return text, None
    axis, spread = cast(Axis, found[3] or "axial"), cast(Spread, found[4] or "volume")
    return text[: found.start()], Slice(int(found[1]), int(found[2]), axis, spread)


def split_series(path: str | Path) -> tuple[str, str | None]:
    """`folder#series=1a2b3c4d` → (folder, key of one of the series in it)."""
    text = str(path)
    found = _SERIES_SUFFIX.search(text)
    return (text, None) if found is None else (text[: found.start()], found[1])


def series_key(uid: str) -> str:
    """The key of a volume in its folder, from its name: the SeriesInstanceUID, and what divides a series."""
    return hashlib.sha256(uid.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def name_series(folder: str | Path, key: str) -> str:
    return f"{folder}#series={key}"


def name_slice(path: str | Path, part: Slice) -> str:
    """Inverse of `split_slice`."""
    axis = "" if part.axis == "axial" else f"&axis={part.axis}"
    spread = "" if part.spread == "volume" else f"&spread={part.spread}"
    return f"{path}#slice={part.number}of{part.count}{axis}{spread}"


def image_stem(path: str) -> str:
    """`a/b/scan.nii.gz` → `scan`; suffixes of other files are kept."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    for suffix in sorted(IMAGE_SUFFIXES, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name
