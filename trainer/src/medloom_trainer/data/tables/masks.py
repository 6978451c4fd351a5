"""Files and columns with masks, which are not images of a case: recognized by their names, and set apart."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence

from medloom_trainer.data.tables.cells import image_stem

_WORD = (
    r"(?:mask(?:s|en?)?|seg(?:s|mentations?|mentierung(?:en)?)?|label(?:s|maps?)?|labels(?:tr|ts|val)"
    r"|ground[_\-. ]?truths?|gts?|annotations?|annots?|rois?|contours?|掩膜|掩码|分割|标注)"
)
_FOLDER = re.compile(rf"(?:.*[_\-. ])?{_WORD}(?:[_\-. ]?\d+)?|{_WORD}[_\-. ].*", re.IGNORECASE)
_WORN = re.compile(r"(?:.*[_\-. ])?(?:with|without|no|non|not|on|off|mit|ohne)(?:[_\-. ].*)?", re.IGNORECASE)
"""Names of folders such as `without_mask`: classes of pictures of people with masks."""
_END = re.compile(rf"[_\-. ]{_WORD}(?:[_\-. ]?\d+|[_\-. ]?\(\d+\))?$", re.IGNORECASE)
"""End of the name of a file with a mask, without its suffix: `case1_mask`, `case1_seg-2`, `case1_GT (1)`."""
_START = re.compile(rf"^{_WORD}[_\-. ]", re.IGNORECASE)
_COLUMN = re.compile(rf"(?:^|[_\-. ]){_WORD}(?:[_\-. ]|$)", re.IGNORECASE)
_CHANNEL = re.compile(r"_\d{4}(?=\.|$)")
"""The channel in names of nnU-Net: the mask of `case1_0000.nii.gz` is `case1.nii.gz`."""
_PLACE = re.compile(r"[_\-. ]")
_NUMBER = re.compile(r"\d+")
_MOST = 0.9
_FEWEST_PAIRS = 3


def without_masks(names: Sequence[str]) -> list[str]:
    """The names of files of one folder without masks of other files in it: `a.png` and `b_t1.png`, not
    `a_mask.png` and `b_seg.png`."""
    stem_of = {name: image_stem(name) for name in names}
    image_of = {name: _image_of(stem) for name, stem in stem_of.items()}
    images = [stem for name, stem in stem_of.items() if image_of[name] == stem]
    known = {
        *stem_of.values(),
        *(stem[: found.start()] for stem in images for found in _PLACE.finditer(stem)),
    }
    return [name for name in names if image_of[name] == stem_of[name] or image_of[name] not in known]


def _image_of(stem: str) -> str:
    """The name of the image of a mask, or the name itself: `case1` for `case1_mask` and `mask_case1`."""
    ended = _END.sub("", stem)
    return ended if ended != stem else _START.sub("", stem)


def masks_among(paths: Sequence[str]) -> set[str]:
    """The paths of masks of other files: in a folder of masks, or next to their images (`a_mask.png`)."""
    in_folder: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        folder, _, name = path.rpartition("/")
        in_folder[folder].append(name)
    masks = set()
    for folder, names in in_folder.items():
        kept = set(without_masks(names))
        if is_named_as_masks(folder.rpartition("/")[2]):
            others = [name for other, several in in_folder.items() if other != folder for name in several]
            kept = set() if is_mask_folder(folder.rpartition("/")[2], names, others) else kept
        masks |= {f"{folder}/{name}" if folder else name for name in names if name not in kept}
    return masks


def is_mask_folder(name: str, own: Collection[str], others: Collection[str]) -> bool:
    """Return whether a folder contains masks of images in other folders. own, others: names of files."""
    if not is_named_as_masks(name) or not own:
        return False
    images = {image_stem(other) for other in others}
    images |= {_CHANNEL.sub("", image) for image in images}
    stems = [image_stem(file) for file in own]
    return sum(stem in images or _image_of(stem) in images for stem in stems) >= _MOST * len(stems)


def is_named_as_masks(folder: str) -> bool:
    """Return whether a folder has a name such as `masks`."""
    return _FOLDER.fullmatch(folder) is not None and _WORN.fullmatch(folder) is None


def is_pair_of_masks(first: Collection[str], second: Collection[str]) -> bool:
    """Return whether nearly all files of two folders have the same names, so that one folder may have the
    masks of the other. Names that only count the files, such as `img_1`, may repeat in every class."""
    plain = [{_CHANNEL.sub("", _image_of(stem)) for stem in stems} for stems in (first, second)]
    common = plain[0] & plain[1]
    if len(common) < max(_FEWEST_PAIRS, _MOST * max(map(len, plain))):
        return False
    forms = {_NUMBER.sub("#", stem) for stem in common}
    numbers = {int(found[-1]) for stem in common if (found := _NUMBER.findall(stem))}
    counted = len(forms) == 1 and len(numbers) >= _MOST * (
        max(numbers, default=0) - min(numbers, default=0) + 1
    )
    return not counted or not numbers


def is_mask_column(column: str, files: Collection[str]) -> bool:
    """Return whether an image column or nearly all its files are named as masks."""
    if _COLUMN.search(column):
        return True
    stems = [image_stem(file) for file in files]
    return sum(_image_of(stem) != stem for stem in stems) >= _MOST * max(1, len(stems))
