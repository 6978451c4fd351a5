"""Files and columns with masks, which are not images of a case: recognized by their names, and set apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from medloom_trainer.data.tables.cells import image_stem

_FOLDERS = frozenset(
    {"mask", "masks", "segmentation", "segmentations", "labelmaps", "labelstr", "groundtruth", "gt"}
)
_WORD = r"(?:masks?|seg(?:mentation)?|labelmap|roi)"
_NAME = re.compile(rf"[_\-. ]{_WORD}(?:[_\-. ]?\d+)?$", re.IGNORECASE)
"""End of the name of a file with a mask, without its suffix: `case1_mask`, `case1_seg-2`."""
_COLUMN = re.compile(rf"(?:^|[_\-. ]){_WORD}(?:[_\-. ]|$)", re.IGNORECASE)
_MOST = 0.9


def without_masks(names: Sequence[str]) -> list[str]:
    """The names of files of one folder without masks of other files in it: `a.png`, not `a_mask.png`."""
    stem_of = {name: image_stem(name) for name in names}
    stems = set(stem_of.values())
    image_of = {name: _NAME.sub("", stem) for name, stem in stem_of.items()}
    return [name for name in names if image_of[name] == stem_of[name] or image_of[name] not in stems]


def masks_among(paths: Sequence[str]) -> set[str]:
    """The paths of masks of other files: in a folder of masks, or next to their images (`a_mask.png`)."""
    in_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        in_folder[folder].append(name)
    masks = set()
    for folder, names in in_folder.items():
        kept = set(without_masks(names))
        if folder.rpartition("/")[2].casefold() in _FOLDERS:
            others = [name for other, several in in_folder.items() if other != folder for name in several]
            kept = set() if is_mask_folder(folder.rpartition("/")[2], names, others) else kept
        masks |= {f"{folder}/{name}" if folder else name for name in names if name not in kept}
    return masks


def is_mask_folder(name: str, own: Collection[str], others: Collection[str]) -> bool:
    """Return whether a folder contains masks of images in other folders. own, others: names of files."""
    if not is_named_as_masks(name) or not own:
        return False
    images = {image_stem(other) for other in others}
    stems = [image_stem(file) for file in own]
    return sum(stem in images or _NAME.sub("", stem) in images for stem in stems) >= _MOST * len(stems)


def is_named_as_masks(folder: str) -> bool:
    """Return whether a folder has a name such as `masks`."""
    return folder.casefold() in _FOLDERS


def is_mask_column(column: str, files: Collection[str]) -> bool:
    """Return whether an image column or nearly all its files are named as masks."""
    if _COLUMN.search(column):
        return True
    return sum(_NAME.search(image_stem(file)) is not None for file in files) >= _MOST * max(1, len(files))
