"""A sample of the images of a training, examined before any image is decoded. Nothing is stored."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.data.cache.views import Cell, ImageSettings, widths_of
from medloom_trainer.data.images import ImageFile, UnreadableImage, locate_cells, open_image, whole_of
from medloom_trainer.data.tables import ImageTable, split_series

_MOST_CASES = 2000
"""Limit for the cases of each split whose files are searched: the answer must not wait for a million of
them."""
_MOST_HEADERS = 2
"""Limit for each column of a split: headers show whether it contains volumes, and reading one may take a
second."""


@dataclass(frozen=True)
class ImageSample:
    """Results of the sample."""

    views: int
    """Views of a case, as far as the headers show."""
    has_volumes: bool
    looked_for: int
    missing: int
    """Searched files that do not exist or may not be read."""


def sample_images(
    splits: Mapping[str, ImageTable], columns: Sequence[str], data: Mapping[str, Any], roots: Sequence[Path]
) -> ImageSample:
    """data: that part of the configuration. COLUMN_NOT_FOUND if a split lacks a column."""
    rows: list[Sequence[Cell]] = []
    looked_for = missing = 0
    for split in splits.values():
        chosen = np.unique(np.linspace(0, len(split.table) - 1, _MOST_CASES).astype(np.int64))
        cells = locate_cells(split.take(chosen), columns, roots)
        there = [[cell for cell in row if isinstance(cell, Path) and _is_there(cell)] for row in cells]
        looked_for += sum(cell is not None for row in cells for cell in row)
        missing += sum(cell is not None for row in cells for cell in row) - sum(map(len, there))
        rows += _headers(cells, columns)
    settings = ImageSettings.of_config(data)
    widths = widths_of([rows], columns, settings)
    files = [cell for row in rows for cell in row if isinstance(cell, ImageFile)]
    return ImageSample(
        sum(widths.values()), any(file.header.is_volume for file in files), looked_for, missing
    )


def _is_there(path: Path) -> bool:
    return os.path.exists(split_series(whole_of(path))[0])


def _headers(cells: Sequence[Sequence[Any]], columns: Sequence[str]) -> Iterator[Sequence[Cell]]:
    """Yield the first files of each column, each as a row without other cells."""
    for column in range(len(columns)):
        paths = [row[column] for row in cells if isinstance(row[column], Path)]
        for path in paths[:_MOST_HEADERS]:
            found: list[Cell] = [None] * len(columns)
            try:
                found[column] = ImageFile(path, "", open_image(path)[1])
            except UnreadableImage as error:
                found[column] = error
            yield found
