"""Reasons to doubt that the subfolders of a folder are classes: a table names their images, they are named
as parts of one dataset, or one has the masks of another. A training would then learn the number of a part.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.data.tables.cells import image_stem
from medloom_trainer.data.tables.class_folders import ClassFile
from medloom_trainer.data.tables.column_names import SPLIT_WORDS
from medloom_trainer.data.tables.key_names import are_whole_amounts, is_named_as_key, is_quantity
from medloom_trainer.data.tables.masks import is_pair_of_masks
from medloom_trainer.data.tables.table import Table
from medloom_trainer.data.tables.table_files import TABLE_SUFFIXES, read_table_file
from medloom_trainer.errors import TrainerError

_NAMED = 0.1
"""Minimum share of the images that a table names, in a folder that does not have classes alone."""
_FEWEST = 2
_MOST_TABLES = 20
_MOST_CLASSES = 50
"""Subfolders that are compared pair by pair."""
_SPLIT = "|".join(sorted(SPLIT_WORDS, key=len, reverse=True))
_PART = re.compile(
    rf"(?:(?:{_SPLIT}|all)[_\-. ]?)?(?:images?|imgs?|pictures?|photos?|scans?|slides?|frames?|files?|data"
    rf"|bilder|set|图像|图片)(?:tr|ts|[_\-. ]?\d+)?|{_SPLIT}|eval(?:uation)?",
    re.IGNORECASE,
)
"""A whole name: `images`, `imagesTr`, `train_images`, `img2`."""
_NUMBERED = re.compile(
    r"(.*?(?:part|batch|chunk|shard|fold|folder|images?|imgs?|data|(?:sub)?set|teil|patients?|pat|subjects?|subj"
    r"|sub|participants?|cases?))[_\-. ]?\d+",
    re.IGNORECASE,
)
"""One name with several numbers: `HAM10000_images_part_1`."""
_LAST_NUMBER = re.compile(r"(\d+)\D*$")


def doubts_about(folder: Path, files: Sequence[ClassFile]) -> list[tuple[Phrased, Phrased]]:
    """(message, remedy) of each reason. files: from `class_files`."""
    classes: dict[str, dict[str, set[str]]] = {}
    for split, name, file in files:
        classes.setdefault(split, {}).setdefault(name, set()).add(image_stem(file.name))
    names = list(dict.fromkeys(name for _, name, _ in files))
    doubts = []
    if named := _naming_table(folder, {image_stem(file.name) for _, _, file in files}):
        table, count, total = named
        message = phrase("table_names_images", table=table, count=count, total=total)
        doubts.append((message, phrase("adopt_table_of_folder")))
    if _are_parts(names):
        message = phrase("folders_are_parts", folders=listing([f'"{name}"' for name in names], 10))
        doubts.append((message, phrase("adopt_or_make_classes")))
    for stems in classes.values():
        for first, second in _pairs(stems):
            message = phrase("folders_are_pairs", first=first, second=second)
            doubts.append((message, phrase("rename_masks_or_list")))
    return doubts


def may_be_parts(folders: Sequence[str], files: Sequence[str]) -> bool:
    """Return whether folders are named as parts of one dataset, or contain the masks of one another. folders,
    files: of each image, without file extension."""
    stems: dict[str, set[str]] = {}
    for folder, file in zip(folders, files, strict=True):
        stems.setdefault(folder, set()).add(file)
    return _are_parts(list(stems)) or bool(_pairs(stems))


def tables_below(folder: Path) -> list[Path]:
    """The tables of every format in a folder and in its subfolders, without hidden ones."""
    folders = [folder, *(child for child in folder.iterdir() if child.is_dir() and child.name[0] != ".")]
    return sorted(
        file
        for place in folders
        for file in place.iterdir()
        if file.name.lower().endswith(TABLE_SUFFIXES) and file.suffix.lower() != ".npz"
        if file.name[0] != "." and file.is_file()
    )


def _naming_table(folder: Path, images: Collection[str]) -> tuple[str, int, int] | None:
    """(table, images that it names, all images) of the table that names most, if these are not few."""
    found: list[tuple[int, str]] = []
    for path in tables_below(folder)[:_MOST_TABLES]:
        try:
            table = read_table_file(path, None, None)
        except TrainerError:  # reported where the table is read
            continue
        found.append((_count_named(table, images), path.relative_to(folder).as_posix()))
    count, name = max(found, default=(0, ""))
    return (name, count, len(images)) if count >= max(_FEWEST, _NAMED * len(images)) else None


def _count_named(table: Table, images: Collection[str]) -> int:
    """The images that the best column names: with or without file extension, or by the number at the end."""
    numbers = {int(found[1]) for image in images if (found := _LAST_NUMBER.search(image))}
    counts = [0]
    for column, texts in table.cells.items():
        distinct = {text for text in texts if text}
        if is_quantity(column, distinct):
            continue
        counts.append(len({image_stem(text) for text in distinct} & set(images)))
        if are_whole_amounts(distinct) and is_named_as_key(column) and len(numbers) == len(images):
            counts.append(len({int(float(text)) for text in distinct} & numbers))
    return max(counts)


def _are_parts(names: Sequence[str]) -> bool:
    """Return whether all names mean parts of one dataset, or one of its patients each."""
    if all(_PART.fullmatch(name) for name in names):
        return True
    parts = {found[1].casefold() if (found := _NUMBERED.fullmatch(name)) else None for name in names}
    return len(names) > 1 and len(parts) == 1 and None not in parts


def _pairs(stems: Mapping[str, Collection[str]]) -> list[tuple[str, str]]:
    if len(stems) > _MOST_CLASSES:
        return []
    return [pair for pair in combinations(stems, 2) if is_pair_of_masks(stems[pair[0]], stems[pair[1]])]
