"""Image cells of several tables → slots of one store. What is missing or unreadable is found for all of them
at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.cache.params import StoreParams
from medloom_trainer.data.cache.store import Preparation, RecordStore, prepare_images
from medloom_trainer.data.images import (
    Depth,
    ImageFile,
    ImageHeader,
    Located,
    UnreadableImage,
    deepest,
    identify,
    locate_cells,
    paths_of,
)
from medloom_trainer.data.tables import ImageTable


@dataclass(frozen=True)
class Views:
    """The images of one split: N cases, V image columns."""

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

    def take(self, rows: npt.NDArray[np.int64]) -> Views:
        """The images of the cases at these positions; what cannot be used was judged before."""
        slots, picked = self.slots[rows], rows.tolist()
        return Views(
            slots,
            [self.pixels[row] for row in picked],
            [self.files[row] for row in picked],
            [self.headers[row] for row in picked],
            [],
            _missing(slots, list(self.missing)),
        )


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
    """Find, identify and decode every image of every split. size: (width, height). depth None: 16 bits when
    any file has more than 8. workers None: as many as there are cores.

    `report(message, fraction)` is called between images and may raise to end the work.
    """
    located = {name: locate_cells(split, columns, roots) for name, split in splits.items()}
    files = identify(
        paths_of(row for cells in located.values() for row in cells),
        cache_dir,
        report=lambda done, total: report("looking at images", 0.2 * done / max(1, total)),
    )
    readable = [file for file in files.values() if isinstance(file, ImageFile)]
    params = StoreParams(size[0], size[1], deepest(readable) if depth is None else depth, window)
    prepared = prepare_images(
        readable,
        params,
        cache_dir,
        workers=workers or _available_cores(),
        report=lambda done, total: report("decoding images", 0.2 + 0.8 * done / max(1, total)),
    )
    views = {name: _views_of(cells, columns, files, prepared) for name, cells in located.items()}
    return views, prepared.store, params


def _views_of(
    cells: Sequence[Sequence[Located]],
    columns: Sequence[str],
    files: Mapping[Path, ImageFile | UnreadableImage],
    prepared: Preparation,
) -> Views:
    slots = np.full((len(cells), len(columns)), -1, dtype=np.int64)
    pixels: list[list[str]] = []
    digests: list[list[str]] = []
    headers: list[list[ImageHeader]] = []
    problems = []
    for row, row_cells in enumerate(cells):
        found = [_outcome(cell, files, prepared) for cell in row_cells]
        usable = [file for file in found if isinstance(file, ImageFile)]
        pixels.append([prepared.entries[file.digest].pixels for file in usable])
        headers.append([file.header for file in usable])
        digests.append([file.digest if isinstance(file, ImageFile) else "" for file in found])
        for view, file in enumerate(found):
            if isinstance(file, ImageFile):
                slots[row, view] = prepared.entries[file.digest].slot
            elif file is not None:
                problems.append((row, columns[view], str(file)))
    return Views(slots, pixels, digests, headers, problems, _missing(slots, columns))


def _outcome(
    cell: Located, files: Mapping[Path, ImageFile | UnreadableImage], prepared: Preparation
) -> ImageFile | UnreadableImage | None:
    """What became of one cell: a decoded file, why there is none, or None where the cell is empty."""
    found = files[cell] if isinstance(cell, Path) else cell
    return prepared.unreadable.get(found.digest, found) if isinstance(found, ImageFile) else found


def _missing(slots: npt.NDArray[np.int64], columns: Sequence[str]) -> dict[str, int]:
    return {column: int((slots[:, view] < 0).sum()) for view, column in enumerate(columns)}


def _available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
