"""Image cells of several tables → slots of one store. Missing and unreadable images of all tables are found
together; then the run is refused, or they count as missing views and are listed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.data.cache.decoding import NEWEST_VERSION, StoreParams
from medloom_trainer.data.cache.memory_store import InMemory, MemoryStore, fits, prepare_in_memory
from medloom_trainer.data.cache.store import Preparation, RecordStore, prepare_images
from medloom_trainer.data.images import (
    FIRST_RULES,
    NEWEST_RULES,
    Depth,
    Fit,
    Gaps,
    ImageFile,
    ImageHeader,
    UnreadableImage,
    deepest,
    describe_blank,
    describe_unusable,
    describe_volumes,
    identify,
    locate_cells,
    paths_of,
    slice_of,
    volumes_read,
)
from medloom_trainer.data.tables import ImageTable, Slice, Slicing, split_slice
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_MOST_VIEWS = 64
"""Limit for one volume."""
Cell = ImageFile | UnreadableImage | None
"""A file, the reason why there is none, or an empty cell."""


@dataclass(frozen=True)
class Views:
    """The images of one split: N cases, V views."""

    slots: npt.NDArray[np.int64]
    """(N, V) slots of the store, -1 if missing; V views, one or more for each image column."""
    pixels: list[list[str]]
    """N lists: digest of the decoded pixels of each view that exists and is not blank."""
    files: list[list[str]]
    """N lists of V: digest of the file, "" if missing."""
    headers: list[list[ImageHeader]]
    """N lists: header of each existing view."""
    problems: list[tuple[int, str, str]]
    """(row, column, reason) of every cell whose file cannot be used; rows count from 0."""
    missing: dict[str, int]
    """Column → cases without a usable image."""
    blank: int
    """Number of views in which every pixel has the same value."""
    volumes: int
    """Number of volumes that are read as slices."""
    columns: tuple[str, ...]
    """Image column of each view."""

    @property
    def without(self) -> list[int]:
        """Rows whose cells are all empty."""
        explained = {row for row, _, _ in self.problems}
        absent = np.flatnonzero((self.slots < 0).all(axis=1)).tolist()
        return [row for row in absent if row not in explained]

    def take(self, rows: npt.NDArray[np.int64]) -> Views:
        """The images of the cases at these positions; unusable images were judged before."""
        slots, picked = self.slots[rows], rows.tolist()
        return Views(
            slots,
            [self.pixels[row] for row in picked],
            [self.files[row] for row in picked],
            [self.headers[row] for row in picked],
            [],
            _missing(slots, self.columns),
            0,
            0,
            self.columns,
        )


@dataclass(frozen=True)
class ImageSettings:
    """Settings that convert image files to views of one size."""

    size: tuple[int, int]
    """(width, height)"""
    window: tuple[float, float] | None
    depth: Depth | None
    """None: 16 bits if any file has more than 8."""
    fit: Fit
    slicing: Slicing
    """Slices of volumes for which no slice is named."""
    widths: Mapping[str, int] | None
    """Image column → views of a training; None: the number that its volumes have."""
    version: int = NEWEST_VERSION
    """Version of the store, which determines the digests of pixels; not part of the state."""
    rules: int | None = None
    """Version of the rules of medical images; None: the newest, if there is such an image."""

    @classmethod
    def of_config(cls, data: Mapping[str, Any]) -> ImageSettings:
        """data: that part of the configuration of a training."""
        window = data["window"]
        return cls(
            (data["image_size"][0], data["image_size"][1]),
            (window["center"], window["width"]) if window else None,
            None,
            "letterbox",
            Slicing.from_settings(data["slices"]),
            None,
        )

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> ImageSettings:
        """state: from `to_state`, or of an older version, which stretched images and used the middle slice of
        a volume."""
        slices = state.get("slices", {"count": 1, "axis": "axial", "spread": "volume"})
        return cls(
            (state["size"][0], state["size"][1]),
            tuple(state["window"]) if state["window"] else None,
            state["depth"],
            state.get("fit", "stretch"),
            Slicing.from_settings(slices),
            state.get("views", {}),
            rules=state.get("rules", FIRST_RULES),
        )

    def to_state(self) -> dict[str, Any]:
        """JSON, for the checkpoint."""
        return {
            "size": list(self.size),
            "depth": self.depth,
            "window": None if self.window is None else list(self.window),
            "fit": self.fit,
            "slices": asdict(self.slicing),
            "views": dict(self.widths or {}),
            **({} if self.rules in (None, FIRST_RULES) else {"rules": self.rules}),
        }

    def volumes_in(self, views: Mapping[str, Views]) -> dict[str, Any] | None:
        """JSON: contract VolumesRead, for all splits together."""
        return volumes_read(sum(found.volumes for found in views.values()), self.slicing)


def load_views(
    splits: Mapping[str, ImageTable],
    columns: Sequence[str],
    settings: ImageSettings,
    *,
    roots: Sequence[Path],
    cache_dir: Path,
    workers: int | None,
    report: Callable[[str, float], None],
    in_memory: bool = False,
) -> tuple[dict[str, Views], RecordStore | MemoryStore, ImageSettings]:
    """Find, identify and decode every image of every split; volumes become several views of their column.
    workers None: the number of cores. in_memory: a few images, of which nothing is stored. → also the
    settings, completed from the files.

    `report(message, fraction)` is called between images and may raise to end the work.
    """
    located = {name: locate_cells(split, columns, roots) for name, split in splits.items()}
    files = identify(
        paths_of(row for cells in located.values() for row in cells),
        None if in_memory else cache_dir,
        report=lambda done, total: report(phrase("examining_images"), 0.2 * done / max(1, total)),
    )
    cells = {
        name: [[files[cell] if isinstance(cell, Path) else cell for cell in row] for row in rows]
        for name, rows in located.items()
    }
    widths = widths_of(cells.values(), columns, settings)
    volumes = {
        name: sum(_is_whole_volume(cell) for row in rows for cell in row) for name, rows in cells.items()
    }
    parts = {
        name: [_views_of_row(row, columns, widths, settings) for row in rows] for name, rows in cells.items()
    }
    readable = [
        view for rows in parts.values() for row in rows for view in row if isinstance(view, ImageFile)
    ]
    depth = deepest(readable) if settings.depth is None else settings.depth
    used = replace(settings, depth=depth, widths=widths, rules=_rules_of(settings, readable))
    channels: Literal[1, 3] = 1 if _all_gray(readable) else 3
    params = StoreParams(
        *used.size, depth, used.window, used.fit, channels, used.version, used.rules or FIRST_RULES
    )
    prepared: Preparation | InMemory
    if in_memory and fits(readable, params):
        prepared = prepare_in_memory(readable, params)
    else:
        decoding = lambda done, total: report(phrase("decoding_images"), 0.2 + 0.8 * done / max(1, total))  # noqa: E731
        prepared = prepare_images(
            readable, params, cache_dir, workers=workers or _available_cores(), report=decoding
        )
    of_view = [column for column in columns for _ in range(widths[column])]
    views = {name: _views_of(rows, of_view, prepared, volumes[name]) for name, rows in parts.items()}
    return views, prepared.store, used


def _rules_of(settings: ImageSettings, files: Sequence[ImageFile]) -> int:
    """The first rules for images of other kinds, on which they have no effect: their stores remain valid."""
    if settings.rules is not None:
        return settings.rules
    return NEWEST_RULES if any(file.header.slices for file in files) else FIRST_RULES


def _all_gray(files: Sequence[ImageFile]) -> bool:
    """Decided by the headers, so that it is known before anything is decoded. If one image has colors, all
    are stored with three channels, since a batch has one shape.
    """
    return bool(files) and all(file.header.channels == 1 for file in files)


def _is_whole_volume(cell: Cell) -> bool:
    """Return whether the cell is a volume for which no slice is named."""
    return isinstance(cell, ImageFile) and cell.header.is_volume and split_slice(cell.path)[1] is None


def widths_of(
    tables: Iterable[Sequence[Sequence[Cell]]], columns: Sequence[str], settings: ImageSettings
) -> dict[str, int]:
    """Views of each column: those of a training, or the largest number that any of its volumes has."""
    known = settings.widths
    if known is not None:
        return {column: known.get(column, 1) for column in columns}
    widths = dict.fromkeys(columns, 1)
    for rows in tables:
        for row in rows:
            for column, cell in zip(columns, row, strict=True):
                if isinstance(cell, ImageFile) and _is_whole_volume(cell):
                    widths[column] = max(widths[column], len(_parts(cell, settings.slicing, _MOST_VIEWS)))
    return widths


def _parts(volume: ImageFile, slicing: Slicing, most: int) -> list[Slice]:
    """Frames and axial slices are counted in the header; no slice is used for two views."""
    slices = volume.header.slices if slicing.axis == "axial" else most
    return slicing.parts(min(most, slices))


def _views_of_row(
    row: Sequence[Cell], columns: Sequence[str], widths: Mapping[str, int], settings: ImageSettings
) -> list[Cell]:
    views: list[Cell] = []
    for column, cell in zip(columns, row, strict=True):
        width = widths[column]
        of_cell: list[Cell] = [cell]
        if isinstance(cell, ImageFile) and _is_whole_volume(cell):
            of_cell = [slice_of(cell, part) for part in _parts(cell, settings.slicing, width)]
        views += [*of_cell, *[None] * (width - len(of_cell))]
    return views


def _views_of(
    rows: Sequence[Sequence[Cell]], columns: Sequence[str], prepared: Preparation | InMemory, volumes: int
) -> Views:
    """columns: image column of each view."""
    slots = np.full((len(rows), len(columns)), -1, dtype=np.int64)
    pixels: list[list[str]] = []
    digests: list[list[str]] = []
    headers: list[list[ImageHeader]] = []
    problems: dict[tuple[int, str, str], None] = {}
    blank = 0
    for row, cells in enumerate(rows):
        found = [_outcome(cell, prepared) for cell in cells]
        usable = [file for file in found if isinstance(file, ImageFile)]
        shown = [prepared.entries[file.digest].pixels for file in usable]
        pixels.append([digest for digest in shown if digest])
        blank += len(shown) - len(pixels[-1])
        headers.append([file.header for file in usable])
        digests.append([file.digest if isinstance(file, ImageFile) else "" for file in found])
        for view, file in enumerate(found):
            if isinstance(file, ImageFile):
                slots[row, view] = prepared.entries[file.digest].slot
            elif file is not None:
                problems[row, columns[view], file.reason] = None  # once for all slices of a volume
    missing = _missing(slots, columns)
    return Views(slots, pixels, digests, headers, list(problems), missing, blank, volumes, tuple(columns))


def _outcome(cell: Cell, prepared: Preparation | InMemory) -> Cell:
    """Outcome for a view: a decoded file, the reason why there is none, or None for an empty cell."""
    return prepared.unreadable.get(cell.digest, cell) if isinstance(cell, ImageFile) else cell


def _missing(slots: npt.NDArray[np.int64], columns: Sequence[str]) -> dict[str, int]:
    """Column → cases without any view of it."""
    of_view = np.asarray(columns)
    return {
        column: int((slots[:, of_view == column] < 0).all(axis=1).sum()) for column in dict.fromkeys(columns)
    }


def _available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def judge_images(
    splits: Mapping[str, ImageTable],
    views: Mapping[str, Views],
    slicing: Slicing,
    policy: str,
    warnings: Warnings,
) -> None:
    """policy: data.unreadable_images. "refuse": IMAGES_UNREADABLE; otherwise a warning with that code.
    Warnings contain the numbers of blank images and volumes.
    """
    if volumes := sum(found.volumes for found in views.values()):
        warnings.append(warning("VOLUMES_AS_SLICES", describe_volumes(volumes, slicing)))
    if blank := sum(found.blank for found in views.values()):
        warnings.append(warning("BLANK_IMAGES", describe_blank(blank)))
    gaps = [Gaps(splits[split].table, found.problems, found.without) for split, found in views.items()]
    messages = describe_unusable(gaps).messages
    if not messages:
        return
    message = join(*messages, mark="semicolon")
    if policy == "refuse":
        raise TrainerError("IMAGES_UNREADABLE", message)
    warnings.append(warning("IMAGES_UNREADABLE", join(message, phrase("as_missing_views"), mark="semicolon")))
