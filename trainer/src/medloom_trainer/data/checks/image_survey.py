"""A look at the image files of a table without decoding them: which exist, which can be opened, which are the
same file twice.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.data.images import (
    ImageHeader,
    Located,
    UnreadableImage,
    locate_cells,
    paths_of,
    read_header,
)
from medloom_trainer.data.tables import ImageTable, Table

_MAX_OPENED = 2_000
"""Of more files every n-th is opened: a survey answers in seconds, the preparation opens all."""


@dataclass(frozen=True)
class ImageSurvey:
    """Rows count from 0."""

    num_files: int
    num_read: int
    problems: list[tuple[int, str, str]]
    """(row, column, why) of cells whose file is missing or does not open."""
    without: list[int]
    """Rows with no image cell filled."""
    contents: list[list[str]]
    """N lists: digest of each image that has the size of another one; equal digests are the same file
    twice.
    """
    headers: list[list[ImageHeader]] | None
    """N lists, when every file was opened."""
    digest: str
    """sha256 over the table, and the name and size of each file."""


def survey_images(
    table: Table, columns: Sequence[str], image_root: Path, roots: Sequence[Path]
) -> ImageSurvey:
    """Stat every file, open up to MAX_OPENED, hash those that share their size with another."""
    cells = locate_cells(ImageTable(table, image_root), columns, roots)
    paths = paths_of(cells)
    sizes = {path: path.stat().st_size for path in paths if os.path.isfile(path)}
    step = -(-len(sizes) // _MAX_OPENED) or 1
    opened = _open_files(sizes, step)
    opened.failures.update({path: "is missing" for path in paths if path not in sizes})
    found = [[cell for cell in row if isinstance(cell, Path)] for row in cells]
    headers = None
    if step == 1:
        headers = [[opened.headers[path] for path in row if path in opened.headers] for row in found]
    return ImageSurvey(
        num_files=len(sizes),
        num_read=len(opened.headers),
        problems=_problems(cells, columns, opened.failures),
        without=[row for row, row_cells in enumerate(cells) if all(cell is None for cell in row_cells)],
        contents=[[opened.digests[path] for path in row if path in opened.digests] for row in found],
        headers=headers,
        digest=_seal(table, sizes),
    )


@dataclass(frozen=True)
class _Opened:
    headers: dict[Path, ImageHeader]
    failures: dict[Path, str]
    digests: dict[Path, str]


def _open_files(sizes: Mapping[Path, int], step: int) -> _Opened:
    """Every `step`-th file is opened, and up to MAX_OPENED that have the size of another one are hashed."""
    opened = _Opened({}, {}, {})
    shared = Counter(sizes.values())
    for position, (path, size) in enumerate(sizes.items()):
        opens, twin = position % step == 0, shared[size] > 1 and len(opened.digests) < _MAX_OPENED
        if not opens and not twin:
            continue
        try:
            content = path.read_bytes()
            if opens:
                opened.headers[path] = read_header(content)
        except (OSError, UnreadableImage) as error:
            reason = str(error) if isinstance(error, UnreadableImage) else "cannot be opened"
            opened.failures[path] = reason
            continue
        if twin:
            opened.digests[path] = hashlib.sha256(content).hexdigest()
    return opened


def _problems(
    cells: Sequence[Sequence[Located]], columns: Sequence[str], failures: Mapping[Path, str]
) -> list[tuple[int, str, str]]:
    problems = []
    for row, row_cells in enumerate(cells):
        for column, cell in zip(columns, row_cells, strict=True):
            why = failures.get(cell) if isinstance(cell, Path) else cell
            if why is not None:
                problems.append((row, column, str(why)))
    return problems


def _seal(table: Table, sizes: Mapping[Path, int]) -> str:
    digest = hashlib.sha256(table.digest.encode())
    for path, size in sizes.items():
        digest.update(f"{path.name}\0{size}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
