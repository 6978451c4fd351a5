"""The tables and images of a folder and its subfolders, without masks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import IMAGE_SUFFIXES
from medloom_trainer.data.tables.masks import is_mask_folder, is_named_as_masks, without_masks
from medloom_trainer.data.tables.recipe.places import Places, is_folder_entry
from medloom_trainer.data.tables.table_files import TABLE_SUFFIXES
from medloom_trainer.errors import TrainerError

_MOST_FILES = 1_000_000
"""More than any published set has. A folder with more is probably the wrong one, such as a whole disk."""
_MOST_SHOWN = 10
"""Names that are left out, each with its reason."""


@dataclass(frozen=True)
class Listing:
    """Files relative to the folder, in the order of their names."""

    tables: tuple[str, ...]
    images: tuple[str, ...]
    masks: int
    """Files with masks of other images, which are not among `images`."""
    unwritable: tuple[str, ...] = ()
    """Folders and tables that are left out, because a recipe cannot contain their names."""


def list_files(folder: Path, places: Places) -> Listing:
    """Files inside the folders that may be read, after links are resolved. DATASET_INVALID for a folder with
    too many files."""
    tables: list[str] = []
    images: dict[str, list[str]] = {}
    unwritable: list[str] = []
    count = 0
    for place, names in _walk(folder, "", places, unwritable):
        count += len(names)
        if count > _MOST_FILES:
            message = phrase("too_many_files_in_folder", folder=folder.name, limit=_MOST_FILES)
            raise TrainerError("DATASET_INVALID", message, phrase("choose_one_dataset"))
        for name in sorted(names):
            lowered = name.lower()
            if lowered.endswith(IMAGE_SUFFIXES):
                images.setdefault(place, []).append(name)
            elif lowered.endswith(TABLE_SUFFIXES):
                (unwritable if _is_unwritable(name) else tables).append(_joined(place, name))
    kept = _without_masks(images)
    paths = [_joined(above, name) for above, names in sorted(kept.items()) for name in names]
    total = sum(len(names) for names in images.values())
    return Listing(tuple(sorted(tables)), tuple(paths), total - len(paths), tuple(unwritable))


def _walk(folder: Path, above: str, places: Places, unwritable: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(folder, names of its files) below a folder, as plain text. Links to folders are not followed."""
    names, folders = [], []
    for entry, name in places.entries(folder):
        if not is_folder_entry(entry):
            if not entry.is_symlink() or places.allowed(Path(entry.path)) is not None:
                names.append(name)
        elif entry.is_symlink():
            continue
        elif _is_unwritable(name):
            unwritable.append(_joined(above, name))
        else:
            folders.append((name, Path(entry.path)))
    yield above, names
    for name, path in sorted(folders):
        yield from _walk(path, _joined(above, name), places, unwritable)


def _is_unwritable(name: str) -> bool:
    """Return whether the contract refuses a recipe with this name: braces are placeholders there."""
    return any(sign in name for sign in "\\{}")


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


def left_out(listing: Listing) -> list[tuple[str, str]]:
    """(key of the recipe, reason) of files and folders that were left out."""
    reasons = [phrase("recipe_unwritable", name=name) for name in listing.unwritable[:_MOST_SHOWN]]
    if listing.masks:
        reasons.append(phrase("recipe_masks", count=listing.masks))
    return [("files", reason) for reason in reasons]
