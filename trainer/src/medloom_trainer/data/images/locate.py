"""Cells of image columns → real paths inside the folders that may be read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from medloom_trainer.data.images.decoded import UnreadableImage
from medloom_trainer.data.tables import ImageTable, is_missing, name_slice, require_column, split_slice

Located = Path | UnreadableImage | None
"""The real path of a cell, why it may not be read, or None for an empty cell."""


def locate_cells(source: ImageTable, columns: Sequence[str], roots: Sequence[Path]) -> list[list[Located]]:
    """N rows of V cells. COLUMN_NOT_FOUND where the table lacks a column."""
    for column in columns:
        require_column(source.table, column, "an image column")
    texts = [source.table.cells[column] for column in columns]
    return [
        [_locate_cell(column[row], source.image_root, roots) for column in texts]
        for row in range(len(source.table))
    ]


def paths_of(cells: Iterable[Sequence[Located]]) -> list[Path]:
    """Every path once, sorted."""
    return sorted({cell for row in cells for cell in row if isinstance(cell, Path)})


def locate(cell: str, image_root: Path, roots: Iterable[Path]) -> Path:
    """The real path of one cell; UnreadableImage when it leaves `image_root` and every root."""
    if "\0" in cell:
        raise UnreadableImage("not a file name")
    file, part = split_slice(cell)
    real = Path(os.path.realpath(image_root / file))
    if not any(real.is_relative_to(os.path.realpath(root)) for root in (image_root, *roots)):
        raise UnreadableImage("is outside the folders that may be read")
    return real if part is None else Path(name_slice(real, part.number, part.count))


def _locate_cell(text: str, image_root: Path, roots: Sequence[Path]) -> Located:
    try:
        return None if is_missing(text) else locate(text, image_root, roots)
    except UnreadableImage as error:
        return error
    except (OSError, ValueError):
        return UnreadableImage("not a file name")
