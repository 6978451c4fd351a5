"""Paths that the cells of tables name as images, in every role that the columns may have. The service decides
by their contents whether a result is still current, and serves them to trainings on other machines.

A path is included whether it exists or not, so that the answer depends only on the tables and on the folders
listed with it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.data.tables.cells import IMAGE_SUFFIXES, is_missing, split_series, split_slice
from medloom_trainer.data.tables.table_files import read_csv, read_table_file
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import is_file, local
from medloom_trainer.unicode_text import existing_path


@dataclass(frozen=True)
class _Source:
    """A table by columns, with each value that is not missing once, and the folder of its image cells."""

    columns: dict[str, list[str]]
    image_root: str


def named_images(params: Mapping[str, Any]) -> dict[str, Any]:
    """The result of the task `named_images`. A table that cannot be read names nothing: the training or node
    reports the reason.
    """
    sources = [_read(table) for table in params["tables"]]
    images = set(params["image_columns"])
    undecided: set[str] = set()
    for column in dict.fromkeys(column for source in sources for column in source.columns):
        if column in images:
            continue
        first = _first_paths(sources, column)
        if _looks_like_images(sources, column) or any(is_file(local(path)) for path in first):
            images.add(column)
        else:
            undecided.update(os.path.dirname(path) for path in first)
    return {"tables": [_by_folder(source, images) for source in sources], "undecided": sorted(undecided)}


def _read(table: Mapping[str, Any]) -> _Source:
    """The table as the node or the training reads it."""
    path, encoding = Path(table["path"]), table["encoding"]
    try:
        read = read_csv(path) if encoding is None else read_table_file(path, table["format"], encoding)
    except TrainerError:
        return _Source({}, table["image_root"])
    columns = {
        column: [text for text in dict.fromkeys(texts) if not is_missing(text) and "\0" not in text]
        for column, texts in read.cells.items()
    }
    return _Source(columns, table["image_root"])


def _looks_like_images(sources: Sequence[_Source], column: str) -> bool:
    """True if any value ends like an image file: roles require this of nearly all values, of all tables
    together.
    """
    return any(
        split_slice(value)[0].lower().endswith(IMAGE_SUFFIXES)
        for source in sources
        for value in source.columns.get(column, ())
    )


def _first_paths(sources: Sequence[_Source], column: str) -> list[str]:
    """The first value in each table, as a path. Without suffixes, roles require that a sample of values which
    contains the first one are files.
    """
    values = [(source, source.columns[column]) for source in sources if source.columns.get(column)]
    return [_path_of(value[0], source.image_root) for source, value in values]


def _path_of(cell: str, image_root: str) -> str:
    """The file, or folder of a series, that a cell names: its path as written, with links unresolved, so that
    a changed link is noticed.
    """
    place = split_series(split_slice(cell)[0])[0]
    return str(existing_path(os.path.normpath(os.path.join(image_root, place))))


def _by_folder(source: _Source, images: set[str]) -> list[dict[str, Any]]:
    """Sorted names by folder; a folder below `image_root` is relative to it, so that the answer is short."""
    cells = [value for column in images for value in source.columns.get(column, ())]
    folders: dict[str, list[str]] = {}
    for path in sorted({_path_of(cell, source.image_root) for cell in cells}):
        folder, name = os.path.split(path)
        folders.setdefault(folder, []).append(name)
    above = os.path.join(source.image_root, "")
    return [
        {"folder": "" if folder == source.image_root else folder.removeprefix(above), "names": names}
        for folder, names in folders.items()
    ]
