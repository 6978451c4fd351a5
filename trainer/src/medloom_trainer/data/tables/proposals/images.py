"""How the image files belong to the rows of a table, and which columns the paths of images without a table
have."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import image_stem, is_missing, split_slice
from medloom_trainer.data.tables.column_names import SPLIT_WORDS
from medloom_trainer.data.tables.folder_doubts import may_be_parts
from medloom_trainer.data.tables.proposals.tables import key_of_images
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.data.tables.table import Table
from medloom_trainer.unicode_text import existing_path

_MOST_FOLDERS = 5
"""More folders are written as one pattern."""
_ALL = 0.99
_MOST_CLASSES = 30
_PATIENT = re.compile(r"(?:patients?|pat|pt|subjects?|subj|sub|participants?|case)[_\-. ]?\d+", re.IGNORECASE)


def find_images(
    places: Places, table: Table, images: Sequence[str]
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """(images of the recipe, reasons); nothing if a column contains paths as they are."""
    if any(_is_path_column(places, texts) for texts in table.cells.values()):
        return [], []
    paths: dict[str, list[str]] = {}
    for path in images:
        paths.setdefault(image_stem(path), []).append(path)
    key = key_of_images(table, paths)
    if key is None:
        return [], [("images", phrase("recipe_no_images", count=len(images)))] if images else []
    column, count = key
    named = {text: paths[stem] for text in table.cells[column] if (stem := image_stem(text)) in paths}
    folders, smaller = _without_copies(places, named)
    found: dict[str, Any] = {"column": "image", "search": _written(folders)}
    if column != "image":
        found["key"] = column
    reason = phrase("recipe_images", column=column, count=count, folders=len(folders))
    reasons = [reason, *(phrase("recipe_smaller_copies", folder=name) for name in smaller[:_MOST_FOLDERS])]
    return [found], [("images[0]", reason) for reason in reasons]


def _without_copies(places: Places, named: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """(folders of the images, folders that are left out). named: text → paths. If several folders have the
    images of the same rows, such as `thumbnails`, the one with the larger files is used."""
    texts: dict[str, set[str]] = {}
    sizes: Counter[str] = Counter()
    several = {text for text, found in named.items() if len(found) > 1}
    for text, found in named.items():
        for path in found:
            folder = _folder_of(path, text)
            texts.setdefault(folder, set()).add(text)
            if text in several:
                sizes[folder] += _size(places, path)
    used: set[str] = set()
    folders: list[str] = []
    smaller: list[str] = []
    for folder in sorted(texts, key=lambda folder: (-sizes[folder], folder)):
        shared = texts[folder] & several
        (smaller if shared & used else folders).append(folder)
        if not shared & used:
            used |= shared
    return sorted(folders), sorted(smaller)


def _size(places: Places, path: str) -> int:
    try:
        return os.path.getsize(existing_path(places.folder / path))
    except OSError:
        return 0


def _folder_of(path: str, text: str) -> str:
    """The folder from which a text names the file: `part_1` for `a` or `a.png`, and `set` if the text is
    `images/a.png` and the file `set/images/a.png`."""
    for end in (text, f"{text}{path[len(path) - len(Path(path).name) + len(image_stem(path)) :]}"):
        if path == end:
            return "."
        if path.endswith(f"/{end}"):
            return path[: -len(end) - 1]
    return path.rpartition("/")[0] or "."


def _is_path_column(places: Places, texts: Sequence[str]) -> bool:
    """Return whether a sample of the texts are files below the folder."""
    values = [text for text in dict.fromkeys(texts) if not is_missing(text)]
    sample = [split_slice(value)[0] for value in values[:: max(1, len(values) // 20)]]
    return bool(sample) and all("." in value and _is_file(places, value) for value in sample)


def _is_file(places: Places, name: str) -> bool:
    real = places.allowed(existing_path(places.folder / name))
    return real is not None and os.path.isfile(real)


def _written(folders: Sequence[str]) -> list[str]:
    """Few folders by name; many of one depth as a pattern."""
    if len(folders) <= _MOST_FOLDERS:
        return list(folders)
    patterns = set()
    for depth in {folder.count("/") for folder in folders}:
        parts = [folder.split("/") for folder in folders if folder.count("/") == depth]
        patterns.add(
            "/".join(level[0] if len(set(level)) == 1 else "{_}" for level in zip(*parts, strict=True))
        )
    return sorted(patterns)


def pattern_of_paths(images: Sequence[str]) -> tuple[str, int] | None:
    """(pattern of the paths with a column for each level that varies, files that it fits); None if the files
    lie in one folder, so that their paths say nothing."""
    depth, _ = Counter(path.count("/") for path in images).most_common(1)[0]
    parts = [path.split("/") for path in images if path.count("/") == depth]
    if depth == 0:
        return None
    names: list[str] = []
    levels = list(zip(*parts, strict=True))
    files = [image_stem(name) for name in levels[-1]]
    for level in levels[:-1]:
        names.append(_column_of(level, files, names))
    if not any("{" in name for name in names):
        return None
    endings = {part[-1][len(image_stem(part[-1])) :] for part in parts}
    last = f"{{_}}{endings.pop()}" if len(endings) == 1 else "{_}"
    return "/".join([*names, last]), len(parts)


def _column_of(level: Sequence[str], files: Sequence[str], before: Sequence[str]) -> str:
    """A level of the paths: literal if it does not vary; else a column for the split, the patient, the part
    of the dataset, or the class. files: their names without extension."""
    distinct = set(level)
    if len(distinct) == 1:
        return level[0]
    named = [
        ("split", all(text.casefold() in SPLIT_WORDS for text in distinct)),
        ("patient", sum(_PATIENT.fullmatch(text) is not None for text in distinct) >= _ALL * len(distinct)),
        ("part", may_be_parts(level, files)),
        ("label", len(distinct) <= _MOST_CLASSES),
        (f"folder{len(before) + 1}", True),
    ]
    return next(f"{{{name}}}" for name, fits in named if fits and f"{{{name}}}" not in before)
