"""Step "images": image columns whose cells are found from other columns, by a pattern or in several folders.

A file that is not found keeps the path at which it was expected, so that `data.unreadable_images` decides
about it like about every missing file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import join, phrase, quoted
from medloom_trainer.data.tables.cells import IMAGE_SUFFIXES, is_missing
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.recipe.patterns import Pattern
from medloom_trainer.data.tables.recipe.places import Places, is_file_entry
from medloom_trainer.data.tables.recipe.read import nothing_matches
from medloom_trainer.data.tables.recipe.report import State, located
from medloom_trainer.data.tables.table import Table, with_columns
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class _Cells:
    texts: list[str]
    """N paths, empty if the row names no file."""
    not_found: int | None
    """Rows that name a file that does not exist; None if only reading it will show that."""


def find_images(state: State, images: Sequence[Mapping[str, Any]], places: Places) -> None:
    for image in images:
        column = image["column"]
        if "pattern" in image:
            cells = _by_pattern(state.table, column, Pattern(image["pattern"]), places)
        else:
            cells = _by_name(state.table, image, places)
        state.table = with_columns(state.table, state.table.cells | {column: cells.texts})
        named = sum(bool(text) for text in cells.texts)
        message = phrase("step_images", column=column, count=named)
        if cells.not_found:
            message = join(message, phrase("of_them_not_found", count=cells.not_found))
        state.note("images", message, not_found=cells.not_found or 0, without=len(cells.texts) - named)


def _by_pattern(table: Table, column: str, pattern: Pattern, places: Places) -> _Cells:
    place = f'the pattern of the image column "{column}" in data.recipe'
    for name in pattern.names:
        require_column(table, name, place)
    keys = list(zip(*(table.cells[name] for name in pattern.names), strict=True)) or [()] * len(table)
    if not pattern.drops:
        built = {
            key: "" if not all(key) else pattern.build(dict(zip(pattern.names, key, strict=True)))
            for key in dict.fromkeys(keys)
        }
        return _Cells([built[key] for key in keys], None)
    found: dict[tuple[str, ...], list[str]] = {}
    for match in places.files(places.image_root, pattern):
        found.setdefault(tuple(match.values[name] for name in pattern.names), []).append(match.name)
    if not found:
        raise nothing_matches(column, pattern, places.image_root)
    _refuse_several(table, column, [found.get(key, []) for key in keys])
    expected = [
        found[key][0] if key in found else "" if not all(key) else _expected(pattern, key) for key in keys
    ]
    return _Cells(expected, sum(all(key) and key not in found for key in keys))


def _expected(pattern: Pattern, key: tuple[str, ...]) -> str:
    return pattern.build({**dict(zip(pattern.names, key, strict=True)), "_": "_"})


def _by_name(table: Table, image: Mapping[str, Any], places: Places) -> _Cells:
    """The name of a file from a column, with a prefix and one of several suffixes, in one of several
    folders."""
    column, key = image["column"], image.get("key", image["column"])
    require_column(table, key, f'the names of the image column "{column}" in data.recipe')
    prefix, suffixes = image.get("prefix", ""), image.get("suffixes")
    names = [prefix + text if text and not is_missing(text) else "" for text in table.cells[key]]
    if "search" not in image:
        if suffixes is not None and len(suffixes) == 1:
            return _Cells([name and name + suffixes[0] for name in names], None)
        folders = [(places.image_root, "")]
        search = _Search(places, suffixes, folders)
        return search.cells(table, column, names)
    folders = [
        (path, name and f"{name}/")
        for pattern in image["search"]
        for path, name in places.folders(places.image_root, pattern)
    ]
    if not folders:
        message = phrase("no_folder_matches", folder=places.image_root.name, patterns=quoted(image["search"]))
        raise TrainerError("FILE_NOT_FOUND", message, phrase("correct_search"))
    return _Search(places, suffixes, folders).cells(table, column, names)


class _Search:
    """Files of several folders by their names with and without suffix."""

    def __init__(
        self, places: Places, suffixes: Sequence[str] | None, folders: Sequence[tuple[Path, str]]
    ) -> None:
        self._places = places
        self._suffixes = suffixes
        self._folders = dict.fromkeys(folders)
        self._listed: dict[str, dict[str, list[str]]] = {}
        self._names: dict[str, list[str]] | None = None
        """Name in the table → paths of the files of all folders."""

    def cells(self, table: Table, column: str, names: Sequence[str]) -> _Cells:
        found = {name: self._find(name) for name in dict.fromkeys(names) if name}
        _refuse_several(table, column, [found.get(name, []) for name in names])
        start = next(iter(self._folders))[1]
        texts = [next(iter(found[name]), f"{start}{name}") if name else "" for name in names]
        return _Cells(texts, sum(bool(name) and not found[name] for name in names))

    def _find(self, name: str) -> list[str]:
        """Paths of the files with this name, which may itself begin with folders."""
        above, slash, last = name.rpartition("/")
        if not slash:
            return self._all_names().get(last, [])
        return [
            path
            for folder, start in self._folders
            for path in self._index(folder, start, f"{above}/").get(last, ())
        ]

    def _all_names(self) -> dict[str, list[str]]:
        """One index, because a lookup in each folder for each row takes long with many folders."""
        if self._names is None:
            self._names = {}
            for folder, start in self._folders:
                for name, paths in self._index(folder, start, "").items():
                    self._names.setdefault(name, []).extend(paths)
        return self._names

    def _index(self, folder: Path, start: str, above: str) -> dict[str, list[str]]:
        """Name in the table → paths of the files of one folder; none outside the folders that may be read."""
        whole = f"{start}{above}"
        if whole not in self._listed:
            listed: dict[str, list[str]] = {}
            outside = above.startswith("/") and start != ""  # a folder from a cell, not below this one
            inner = None if outside else self._places.allowed(folder / above)
            for entry, name in [] if inner is None else self._places.entries(inner):
                if is_file_entry(entry):
                    for key in self._keys_of(name):
                        listed.setdefault(key, []).append(f"{whole}{name}")
            self._listed[whole] = listed
        return self._listed[whole]

    def _keys_of(self, name: str) -> list[str]:
        """Texts of a table that name this file."""
        if self._suffixes is not None:
            return [name[: -len(suffix)] for suffix in self._suffixes if name.endswith(suffix)]
        folded = name.lower()
        return [name, *(name[: -len(suffix)] for suffix in IMAGE_SUFFIXES if folded.endswith(suffix))]


def _refuse_several(table: Table, column: str, found: Sequence[Sequence[str]]) -> None:
    """DATASET_INVALID if a row names several files."""
    rows = [row for row, paths in enumerate(found) if len(paths) > 1]
    if rows:
        message = phrase(
            "several_files_match",
            column=column,
            rows=phrase("rows_counted", count=len(rows)),
            places=located(table, rows),
        )
        remedy = phrase("make_search_specific")
        raise TrainerError("DATASET_INVALID", message, remedy)
