"""A sample of the images of a training, examined before any image is decoded. Nothing is stored."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from medloom_trainer.data.cache.views import Cell, ImageSettings, widths_of
from medloom_trainer.data.images import (
    MISSING,
    Gaps,
    ImageFile,
    Located,
    UnreadableImage,
    decode_parts,
    locate_cells,
    open_image,
    whole_of,
)
from medloom_trainer.data.tables import ImageTable, split_series

_MOST_CASES = 2000
"""Limit for the cases of each split whose files are searched: the answer must not wait for a million of
them."""
_MOST_HEADERS = 12
"""Limit for each column of a split, evenly spaced: headers show whether files are volumes and whether they
can be read, and reading one may take a second."""
_MOST_VOLUMES = 4
"""Limit for the volumes of each column of a split that are decoded, among these: a header may be complete in
a damaged file."""


@dataclass(frozen=True)
class ImageSample:
    """Results of the sample."""

    views: int
    """Views of a case, as far as the headers show."""
    has_volumes: bool
    gaps: Sequence[Gaps]
    """Searched files that do not exist or cannot be opened, and cases without an image, by split."""


def sample_images(
    splits: Mapping[str, ImageTable], columns: Sequence[str], data: Mapping[str, Any], roots: Sequence[Path]
) -> ImageSample:
    """data: that part of the configuration. COLUMN_NOT_FOUND if a split lacks a column."""
    rows: list[Sequence[Cell]] = []
    gaps = []
    for split in splits.values():
        chosen = split.take(np.unique(np.linspace(0, len(split.table) - 1, _MOST_CASES).astype(np.int64)))
        cells = [[_found(cell) for cell in row] for row in locate_cells(chosen, columns, roots)]
        opened = _headers(cells, columns)
        problems = [
            (row, column, cell.reason)
            for row, row_cells in enumerate(cells)
            for column, cell in zip(columns, row_cells, strict=True)
            if isinstance(cell, UnreadableImage)
        ]
        damaged = [(row, columns[place], cell.reason) for row, place, cell in opened if _is_damaged(cell)]
        without = [row for row, row_cells in enumerate(cells) if all(cell is None for cell in row_cells)]
        gaps.append(Gaps(chosen.table, [*problems, *damaged], without))
        rows += [[cell if at == place else None for at in range(len(columns))] for _, place, cell in opened]
    settings = ImageSettings.of_config(data)
    widths = widths_of([rows], columns, settings)
    files = [cell for row in rows for cell in row if isinstance(cell, ImageFile)]
    return ImageSample(sum(widths.values()), any(file.header.is_volume for file in files), gaps)


def _found(cell: Located) -> Located:
    """The cell, or the reason why its file does not exist."""
    if isinstance(cell, Path) and not os.path.exists(split_series(whole_of(cell))[0]):
        return UnreadableImage(MISSING)
    return cell


def _is_damaged(cell: Cell) -> TypeGuard[UnreadableImage]:
    return isinstance(cell, UnreadableImage)


def _headers(cells: Sequence[Sequence[Located]], columns: Sequence[str]) -> list[tuple[int, int, Cell]]:
    """(row, place of the column, file or the reason why it cannot be opened) of some files of each column."""
    opened: list[tuple[int, int, Cell]] = []
    for place in range(len(columns)):
        paths = [(row, cell) for row, found in enumerate(cells) if isinstance(cell := found[place], Path)]
        volumes = 0
        for row, path in paths[:: -(-len(paths) // _MOST_HEADERS) or 1]:
            try:
                content, header = open_image(path)
                volumes += header.is_volume
                if not header.is_volume or volumes <= _MOST_VOLUMES:
                    decode_parts(content, [None])
                opened.append((row, place, ImageFile(path, "", header)))
            except UnreadableImage as error:
                opened.append((row, place, error))
    return opened
