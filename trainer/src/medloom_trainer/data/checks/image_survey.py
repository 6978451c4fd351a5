"""A survey of the image files of a table, of which only a few are decoded: existing files, readable files,
and duplicates.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images import (
    ImageFile,
    ImageHeader,
    Located,
    UnreadableImage,
    blank_digests,
    decode_parts,
    digest_content,
    locate_cells,
    open_image,
    paths_of,
    slice_of,
    stat_image,
    whole_of,
)
from medloom_trainer.data.tables import ImageTable, Table, image_stem, present_texts, split_slice

_MAX_OPENED = 2_000
"""Limit of opened files. Of more files every n-th is opened: a survey answers in seconds, and the preparation
opens all."""

_DECODED = 20
"""Approximate number of decoded files: a header may be complete in a damaged file."""
_MOST_VOLUMES = 6
"""Limit of the volumes among them: reading one may take a second."""

_FINDING = 0.2
"""Approximate share of the time of a survey for finding the files; the rest is for reading them."""

_FEWEST_NAMES = 5
_LEAST_NAMED = 0.5
"""Share of the names with a file: images may be missing, but ids of something else have none."""
_MOST_FOLDERS = 50


@dataclass(frozen=True)
class ImageSurvey:
    """Results of a survey. Rows count from 0."""

    num_files: int
    num_read: int
    problems: list[tuple[int, str, str]]
    """(row, column, reason) of cells whose file is missing or cannot be opened."""
    without: list[int]
    """Rows without a filled image cell."""
    counts: list[int]
    """(N,) existing files that each row names."""
    contents: list[list[str]]
    """N lists: digest of each image with the size of another one; equal digests are the same file twice.
    Blank images have none.
    """
    blank: int
    """Number of blank images among them."""
    volumes: int
    """Number of cells that name a whole volume, among the opened files."""
    headers: list[list[ImageHeader]] | None
    """N lists, if every file was opened."""
    digest: str
    """sha256 over the table, and the name and size of each file."""


def survey_images(
    table: Table,
    columns: Sequence[str],
    image_root: Path,
    roots: Sequence[Path],
    progress: Callable[[str, float], None] = lambda message, fraction: None,
) -> ImageSurvey:
    """Stat every file, open up to MAX_OPENED, and hash those that have the size of another one.

    progress: receives a message with counts and the finished fraction of the survey.
    """
    cells = locate_cells(ImageTable(table, image_root), columns, roots)
    paths = paths_of(cells)
    sizes, failures = _sizes_of(paths, progress)
    step = -(-len(sizes) // _MAX_OPENED) or 1
    opened = _open_files(sizes, step, progress)
    opened.failures.update(failures)
    blank = blank_digests(opened.twins.values())
    found = [[cell for cell in row if isinstance(cell, Path)] for row in cells]
    headers = None
    if step == 1:
        headers = [[opened.headers[path] for path in row if path in opened.headers] for row in found]
    return ImageSurvey(
        num_files=len(sizes),
        num_read=len(opened.headers),
        problems=_problems(cells, columns, opened.failures),
        without=[row for row, row_cells in enumerate(cells) if all(cell is None for cell in row_cells)],
        counts=[sum(path in sizes for path in row) for row in found],
        contents=[[digest for digest in _digests_of(row, opened) if digest not in blank] for row in found],
        blank=sum(digest in blank for row in found for digest in _digests_of(row, opened)),
        volumes=sum(_is_whole_volume(path, opened) for row in found for path in row),
        headers=headers,
        digest=_seal(table, sizes),
    )


@dataclass(frozen=True)
class NamedImages:
    """Image files that texts name without their suffix."""

    folders: tuple[Path, ...]
    """The image root and folders in it, the one with most files first."""
    count: int
    """Names with a file."""
    names: int
    """Different names."""


def find_named_images(names: Sequence[str], image_root: Path) -> NamedImages | None:
    """The image files with one of these names and a suffix that the name lacks, in the image root and the
    folders in it together; None if fewer than half of the names have a file."""
    wanted = set(present_texts(names))
    if len(wanted) < _FEWEST_NAMES or not image_root.is_dir():
        return None
    folders = [image_root, *sorted(child for child in image_root.iterdir() if child.is_dir())]
    found = {folder: wanted & _stems(folder) for folder in folders[:_MOST_FOLDERS]}
    count = len(set().union(*found.values()))
    if count < _LEAST_NAMED * len(wanted):
        return None
    used = sorted((folder for folder in found if found[folder]), key=lambda folder: -len(found[folder]))
    return NamedImages(tuple(used), count, len(wanted))


def _stems(folder: Path) -> set[str]:
    with os.scandir(folder) as entries:
        return {stem for entry in entries if (stem := image_stem(entry.name)) != entry.name}


@dataclass(frozen=True)
class _Opened:
    headers: dict[Path, ImageHeader]
    failures: dict[Path, str]
    twins: dict[Path, ImageFile]
    """Files with the size of another one."""


def _sizes_of(
    paths: Sequence[Path], progress: Callable[[str, float], None]
) -> tuple[dict[Path, int], dict[Path, str]]:
    """Return (bytes of each existing file, reasons why the others cannot be used)."""
    sizes: dict[Path, int] = {}
    failures: dict[Path, str] = {}
    for done, path in enumerate(paths):
        progress(phrase("finding_images", done=done, total=len(paths)), _FINDING * done / len(paths))
        try:
            sizes[path] = stat_image(path).size
        except UnreadableImage as error:
            failures[path] = error.reason
    return sizes, failures


def _digests_of(paths: Sequence[Path], opened: _Opened) -> list[str]:
    return [opened.twins[path].digest for path in paths if path in opened.twins]


def _is_whole_volume(path: Path, opened: _Opened) -> bool:
    return path in opened.headers and opened.headers[path].is_volume and split_slice(path)[1] is None


def _open_files(sizes: Mapping[Path, int], step: int, progress: Callable[[str, float], None]) -> _Opened:
    """Open every `step`-th file, decode about _DECODED of them, and hash up to MAX_OPENED files that have the
    size of another one."""
    opened = _Opened({}, {}, {})
    shared = Counter(sizes.values())
    decodes, volumes = step * max(1, len(sizes) // (step * _DECODED)), 0
    for position, (path, size) in enumerate(sizes.items()):
        done = position / len(sizes)
        progress(phrase("reading_images", done=position, total=len(sizes)), _FINDING + (1 - _FINDING) * done)
        opens, twin = position % step == 0, shared[size] > 1 and len(opened.twins) < _MAX_OPENED
        if not opens and not twin:
            continue
        try:
            content, header = open_image(path)
            if position % decodes == 0:
                volumes += header.is_volume
                if not header.is_volume or volumes <= _MOST_VOLUMES:
                    decode_parts(content, [None])
        except UnreadableImage as error:
            opened.failures[path] = error.reason
            continue
        if opens:
            opened.headers[path] = header
        if twin:
            whole = ImageFile(whole_of(path), digest_content(content), header)
            opened.twins[path] = slice_of(whole, split_slice(path)[1])
    return opened


def _problems(
    cells: Sequence[Sequence[Located]], columns: Sequence[str], failures: Mapping[Path, str]
) -> list[tuple[int, str, str]]:
    problems = []
    for row, row_cells in enumerate(cells):
        for column, cell in zip(columns, row_cells, strict=True):
            why = failures.get(cell) if isinstance(cell, Path) else cell
            if why is not None:
                problems.append((row, column, why.reason if isinstance(why, UnreadableImage) else why))
    return problems


def _seal(table: Table, sizes: Mapping[Path, int]) -> str:
    digest = hashlib.sha256(table.digest.encode())
    for path, size in sizes.items():
        digest.update(f"{path.name}\0{size}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
