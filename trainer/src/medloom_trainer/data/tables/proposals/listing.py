"""The tables and images of a folder and its sub-folders, without masks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import IMAGE_SUFFIXES
from medloom_trainer.data.tables.masks import is_mask_folder, is_named_as_masks, without_masks
from medloom_trainer.data.tables.table_files import TABLE_SUFFIXES
from medloom_trainer.errors import TrainerError
from medloom_trainer.unicode_text import plain_text

_MOST_FILES = 1_000_000
"""More than any published set has. A folder with more is probably the wrong one, such as a whole disk."""


@dataclass(frozen=True)
class Listing:
    """Files relative to the folder, in the order of their names."""

    tables: tuple[str, ...]
    images: tuple[str, ...]
    masks: int
    """Files with masks of other images, which are not among `images`."""


def list_files(folder: Path) -> Listing:
    """DATASET_INVALID for a folder with too many files."""
    tables: list[str] = []
    images: dict[str, list[str]] = {}
    count = 0
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        count += len(names)
        if count > _MOST_FILES:
            message = f"{folder.name} contains more than {_MOST_FILES:,} files"
            raise TrainerError("DATASET_INVALID", message, "Choose the folder of one dataset.")
        above = plain_text(Path(place).relative_to(folder).as_posix())
        for name in sorted(plain_text(name) for name in names if not name.startswith(".")):
            lowered = name.lower()
            if lowered.endswith(IMAGE_SUFFIXES):
                images.setdefault(above, []).append(name)
            elif lowered.endswith(TABLE_SUFFIXES):
                tables.append(_joined(above, name))
    kept = _without_masks(images)
    paths = [_joined(above, name) for above, names in sorted(kept.items()) for name in names]
    total = sum(len(names) for names in images.values())
    return Listing(tuple(sorted(tables)), tuple(paths), total - len(paths))


def _without_masks(images: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Folder → its images, without masks in the same folder and without folders of masks of any image."""
    kept: dict[str, Sequence[str]] = {}
    for above, names in images.items():
        folder = above.rsplit("/", 1)[-1]
        if not is_named_as_masks(folder) or not is_mask_folder(folder, names, _beside(images, above)):
            kept[above] = without_masks(names)
    return kept


def _beside(images: Mapping[str, Sequence[str]], folder: str) -> list[str]:
    """The images in the other folders of the same folder, and below them."""
    parent = folder.rpartition("/")[0]
    return [
        name
        for other, names in images.items()
        if other != folder and other.startswith(parent)
        for name in names
    ]


def _joined(above: str, name: str) -> str:
    return name if above in ("", ".") else f"{above}/{name}"


def found_masks(listing: Listing) -> list[tuple[str, str]]:
    """(key of the recipe, reason) if masks were left out."""
    return [("files", phrase("recipe_masks", count=listing.masks))] if listing.masks else []
