"""Cells that name an image file, or one slice of a volume: `scan.nii.gz#slice=2of3` is the second of three
that divide it evenly. Without `#slice`, the middle slice is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".dcm", ".nii", ".nii.gz")
_SLICE_SUFFIX = re.compile(r"#slice=([1-9]\d{0,3})of([1-9]\d{0,3})$")


@dataclass(frozen=True)
class Slice:
    """The `number`-th of `count` evenly spaced slices, from 1."""

    number: int
    count: int

    def index(self, depth: int) -> int:
        """Position in a volume of `depth` slices: the middle of the number-th of `count` equal parts."""
        return min(depth - 1, (2 * self.number - 1) * depth // (2 * self.count))


MIDDLE = Slice(1, 1)


def split_slice(cell: str | Path) -> tuple[str, Slice | None]:
    """(path of the file, the slice it names)."""
    text = str(cell)
    found = _SLICE_SUFFIX.search(text)
    if found is None or int(found[1]) > int(found[2]):
        return text, None
    return text[: found.start()], Slice(int(found[1]), int(found[2]))


def name_slice(path: str | Path, number: int, count: int) -> str:
    return f"{path}#slice={number}of{count}"


def image_stem(path: str) -> str:
    """`a/b/scan.nii.gz` → `scan`; other suffixes than those of image files stay."""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    for suffix in sorted(IMAGE_SUFFIXES, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name
