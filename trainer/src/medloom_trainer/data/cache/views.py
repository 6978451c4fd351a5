"""Image cells of several tables → slots of one store. What is missing or unreadable is found for all of
them at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.cache.store import RecordStore, prepare_images
from medloom_trainer.data.cache.store_files import StoreParams
from medloom_trainer.data.images.decode import Depth, ImageHeader, UnreadableImage
from medloom_trainer.data.images.image_files import ImageFile, deepest, identify, locate
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.formats.csv_reader import Table
from medloom_trainer.data.tables.roles import require_column
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class ImageTable:
    """The rows of one split, and the folder that their image cells are relative to."""

    table: Table
    image_root: Path


@dataclass(frozen=True)
class Views:
    """The images of one split."""

    slots: npt.NDArray[np.int64]
    """(N, V) slots of the store, -1 where missing."""
    pixels: list[list[str]]
    """N lists: digest of the decoded pixels of each view that is there."""
    files: list[list[str]]
    """N lists of V: digest of the file, "" where missing."""
    headers: list[list[ImageHeader]]
    """N lists: header of each view that is there."""
    problems: list[tuple[int, str, str]]
    """(row, column, why) of every cell whose file cannot be used; rows count from 0."""
    missing: dict[str, int]
    """Column → cases without a usable image."""


def load_views(
    splits: Mapping[str, ImageTable],
    columns: Sequence[str],
    *,
    size: tuple[int, int],
    window: tuple[float, float] | None,
    depth: Depth | None,
    roots: Sequence[Path],
    cache_dir: Path,
    workers: int | None,
    report: Callable[[str, float], None],
) -> tuple[dict[str, Views], RecordStore, StoreParams]:
    """Find, identify and decode every image of every split. depth None: 16 bits when any file has more than
    8.

    `report(message, fraction)` is called between images and may raise to end the work.
    """
    located = {name: locate_cells(split, columns, roots) for name, split in splits.items()}
    paths = {cell for cells in located.values() for row in cells for cell in row if isinstance(cell, Path)}
    files = identify(
        sorted(paths),
        cache_dir / "prepared" / "files.jsonl",
        report=lambda done, total: report("looking at images", 0.2 * done / max(1, total)),
    )
    readable = [file for file in files.values() if isinstance(file, ImageFile)]
    params = StoreParams(size[0], size[1], deepest(readable) if depth is None else depth, window)
    prepared = prepare_images(
        readable,
        params,
        cache_dir,
        workers=workers or available_cores(),
        report=lambda done, total: report("decoding images", 0.2 + 0.8 * done / max(1, total)),
    )

    def resolve(cell: Path | UnreadableImage | None) -> ImageFile | UnreadableImage | None:
        found = files[cell] if isinstance(cell, Path) else cell
        return prepared.unreadable.get(found.digest, found) if isinstance(found, ImageFile) else found

    views = {}
    for name, cells in located.items():
        slots = np.full((len(cells), len(columns)), -1, dtype=np.int64)
        pixels: list[list[str]] = []
        digests: list[list[str]] = []
        headers: list[list[ImageHeader]] = []
        problems = []
        for row, row_cells in enumerate(cells):
            found = [resolve(cell) for cell in row_cells]
            usable = [file for file in found if isinstance(file, ImageFile)]
            pixels.append([prepared.entries[file.digest].pixels for file in usable])
            headers.append([file.header for file in usable])
            digests.append([file.digest if isinstance(file, ImageFile) else "" for file in found])
            for view, file in enumerate(found):
                if isinstance(file, ImageFile):
                    slots[row, view] = prepared.entries[file.digest].slot
                elif file is not None:
                    problems.append((row, columns[view], str(file)))
        missing = {column: int((slots[:, view] < 0).sum()) for view, column in enumerate(columns)}
        views[name] = Views(slots, pixels, digests, headers, problems, missing)
    return views, prepared.store, params


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def locate_cells(
    split: ImageTable, columns: Sequence[str], roots: Sequence[Path]
) -> list[list[Path | UnreadableImage | None]]:
    """N rows of V: the real path, why it may not be read, or None for an empty cell."""
    for column in columns:
        require_column(split.table, column, "an image column")
    rows = []
    for row in range(len(split.table)):
        cells: list[Path | UnreadableImage | None] = []
        for column in columns:
            text = split.table.cells[column][row]
            try:
                cells.append(None if is_missing(text) else locate(text, split.image_root, roots))
            except (UnreadableImage, OSError, ValueError) as error:
                cells.append(
                    error if isinstance(error, UnreadableImage) else UnreadableImage("not a file name")
                )
        rows.append(cells)
    return rows


def unusable_images(splits: Mapping[str, tuple[Table, Views]]) -> str | None:
    """One message about every image that cannot be used and every case without any image: counts, first
    20, row numbers.
    """
    told = []
    total = cases = 0
    for table, views in splits.values():
        lines = table.lines.tolist()
        for row, column, why in views.problems:
            told.append(f"{table.name} row {lines[row]} ({column}): {why}")
        total += len(views.problems)
        explained = {row for row, _, _ in views.problems}
        for row in np.flatnonzero((views.slots < 0).all(axis=1)).tolist():
            if row not in explained:
                told.append(f"{table.name} row {lines[row]}: no image in any image column")
                cases += 1
    if not told:
        return None
    parts = [
        f"{total} image files are missing or unreadable" if total else "",
        f"{cases} cases have no image" if cases else "",
    ]
    more = f"; and {len(told) - 20} more" if len(told) > 20 else ""
    return f"{' and '.join(filter(None, parts))}: {'; '.join(told[:20])}{more}"


def refuse_unusable(splits: Mapping[str, tuple[Table, Views]]) -> None:
    if message := unusable_images(splits):
        raise TrainerError("IMAGES_UNREADABLE", message)
