"""A look at the image files of a table without decoding them: which are there, which open, which are the
same file twice.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.data.cache.views import ImageTable, locate_cells
from medloom_trainer.data.images.decode import ImageHeader, UnreadableImage, read_header
from medloom_trainer.data.tables.formats.csv_reader import Table

MOST_OPENED = 2_000
"""Beyond this many files every n-th is opened: a survey answers in seconds, the preparation opens all."""


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
    """Stat every file, open up to MOST_OPENED, hash those that share their size with another."""
    cells = locate_cells(ImageTable(table, image_root), columns, roots)
    paths = sorted({cell for row in cells for cell in row if isinstance(cell, Path)})
    sizes = {path: path.stat().st_size for path in paths if os.path.isfile(path)}
    step = -(-len(sizes) // MOST_OPENED) or 1
    headers: dict[Path, ImageHeader] = {}
    failures: dict[Path, str] = {path: "is missing" for path in paths if path not in sizes}
    digests: dict[Path, str] = {}
    shared = Counter(sizes.values())
    hashed = 0
    for position, (path, size) in enumerate(sizes.items()):
        opens, twin = position % step == 0, shared[size] > 1 and hashed < MOST_OPENED
        if not opens and not twin:
            continue
        try:
            content = path.read_bytes()
            if opens:
                headers[path] = read_header(content)
        except (OSError, UnreadableImage) as error:
            failures[path] = str(error) if isinstance(error, UnreadableImage) else "cannot be opened"
            continue
        if twin:
            hashed += 1
            digests[path] = hashlib.sha256(content).hexdigest()
    problems = []
    for row, row_cells in enumerate(cells):
        for column, cell in zip(columns, row_cells, strict=True):
            why = str(cell) if isinstance(cell, UnreadableImage) else failures.get(cell) if cell else None
            if why is not None:
                problems.append((row, column, why))
    found = [[cell for cell in row if isinstance(cell, Path)] for row in cells]
    seal = hashlib.sha256(table.digest.encode())
    for path, size in sizes.items():
        seal.update(f"{path.name}\0{size}\n".encode("utf-8", "surrogateescape"))
    return ImageSurvey(
        num_files=len(sizes),
        num_read=len(headers),
        problems=problems,
        without=[row for row, row_cells in enumerate(cells) if all(cell is None for cell in row_cells)],
        contents=[[digests[path] for path in row if path in digests] for row in found],
        headers=[[headers[path] for path in row if path in headers] for row in found] if step == 1 else None,
        digest=seal.hexdigest(),
    )
