"""Image files: located from the cells of image columns, inside the folders that may be read, with their
content, digest and header. These are found quickly again if the file has not changed.

Only content counts. A file whose size, times or inode differ from its note is read again; the notes only save
reading. They contain digests of paths, not paths: file names may contain patient numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from medloom_trainer.concurrency.file_locks import one_at_a_time
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import Depth, ImageHeader, UnreadableImage, is_blank
from medloom_trainer.data.images.decoders import NO_SLICES, decode
from medloom_trainer.data.images.sources import digest_content, open_image, stat_image, whole_of
from medloom_trainer.data.tables import (
    ImageTable,
    Slice,
    is_missing,
    name_series,
    name_slice,
    require_column,
    split_series,
    split_slice,
)
from medloom_trainer.durations import UNSETTLED_FILE_AGE
from medloom_trainer.files import make_folder
from medloom_trainer.folder_map import local
from medloom_trainer.unicode_text import existing_path

Located = Path | UnreadableImage | None
"""The real path of a cell, the reason why it may not be read, or None for an empty cell."""


@dataclass(frozen=True)
class ImageFile:
    """A readable file: sha256 of its bytes and its header."""

    path: Path
    digest: str
    header: ImageHeader


def slice_of(file: ImageFile, part: Slice | None) -> ImageFile:
    """One slice of a file: a separate image with its own digest."""
    if part is None:
        return file
    digest = hashlib.sha256(f"{file.digest}{name_slice('', part)}".encode()).hexdigest()
    return ImageFile(Path(name_slice(file.path, part)), digest, file.header)


def identify(
    paths: Iterable[Path], cache_dir: Path | None, *, report: Callable[[int, int], None]
) -> dict[Path, ImageFile | UnreadableImage]:
    """Digest and header of every file; `report(done, total)` is called between files and may raise to end the
    work. cache_dir None: without notes, for a few files.
    """
    notes = {} if cache_dir is None else _read_notes(notes_file(cache_dir))
    found: dict[Path, ImageFile | UnreadableImage] = {}
    fresh: dict[str, dict[str, Any]] = {}
    named = list(dict.fromkeys(paths))
    wanted = list(dict.fromkeys(whole_of(path) for path in named))  # a volume is read once for all its slices
    threads = min(8, os.cpu_count() or 1, len(wanted)) if len(wanted) > 1 else 1
    with ThreadPoolExecutor(max_workers=threads) if threads > 1 else nullcontext() as pool:
        for start in range(0, len(wanted), 64):  # limited: a dataset may have millions of files
            some = wanted[start : start + 64]
            examined = pool.map if pool else map
            for path, (result, note) in zip(some, examined(lambda p: _examine(p, notes), some), strict=True):
                found[path] = result
                if note is not None:
                    fresh[note["path"]] = note
            report(min(start + 64, len(wanted)), len(wanted))
    if cache_dir is not None:
        _append_notes(notes_file(cache_dir), fresh.values())
    return {path: _named_part(path, found[whole_of(path)]) for path in named}


def _named_part(path: Path, found: ImageFile | UnreadableImage) -> ImageFile | UnreadableImage:
    part = split_slice(path)[1]
    if part is None or isinstance(found, UnreadableImage):
        return found
    return slice_of(found, part) if found.header.slices else UnreadableImage(NO_SLICES)


def notes_file(cache_dir: Path) -> Path:
    """File that stores the notes about image files."""
    return cache_dir / "prepared" / "files.jsonl"


def _examine(
    path: Path, notes: dict[str, dict[str, Any]]
) -> tuple[ImageFile | UnreadableImage, dict[str, Any] | None]:
    """→ (result, new note about it)"""
    try:
        stamp = stat_image(path)
        key = hashlib.sha256(os.fsencode(path)).hexdigest()
        note = notes.get(key)
        if note is not None and note["stamp"] == stamp.marks:
            return ImageFile(path, note["digest"], ImageHeader(*note["header"])), None
        content, header = open_image(path)
    except UnreadableImage as error:
        return error, None
    digest = digest_content(content)
    settled = time.time() - stamp.changed > UNSETTLED_FILE_AGE
    new_note = {"path": key, "stamp": stamp.marks, "digest": digest, "header": list(astuple(header))}
    return ImageFile(path, digest, header), new_note if settled else None


def _read_notes(file: Path) -> dict[str, dict[str, Any]]:
    """Path digest → note; damaged or truncated lines are ignored."""
    notes: dict[str, dict[str, Any]] = {}
    if not file.exists():
        return notes
    with file.open("rb") as lines:
        for line in lines:
            try:
                note = json.loads(line)
                if len(note["header"]) != len(fields(ImageHeader)):  # from an older version
                    continue
                notes[note["path"]] = {
                    "stamp": note["stamp"],
                    "digest": note["digest"],
                    "header": note["header"],
                }
            except (ValueError, KeyError, TypeError):
                continue
    return notes


def _append_notes(file: Path, fresh: Iterable[dict[str, Any]]) -> None:
    """Notes that cannot be stored (a full disk) only make the next run slower."""
    text = "".join(json.dumps(note, separators=(",", ":")) + "\n" for note in fresh)
    if not text:
        return
    with suppress(OSError):
        make_folder(file.parent)
        with one_at_a_time(file) as notes:
            # The line break ends a truncated line.
            notes.write(b"\n" + text.encode() if notes.tell() else text.encode())


def deepest(files: Iterable[ImageFile]) -> Depth:
    """The depth without loss for all of these files."""
    return 16 if any(file.header.depth == 16 for file in files) else 8


def locate_cells(source: ImageTable, columns: Sequence[str], roots: Sequence[Path]) -> list[list[Located]]:
    """N rows of V cells. COLUMN_NOT_FOUND if the table lacks a column."""
    for column in columns:
        require_column(source.table, column, "an image column")
    texts = [source.table.cells[column] for column in columns]
    allowed = [os.path.realpath(folder) for folder in (source.image_root, *roots)]
    return [
        [_locate_cell(column[row], source.image_root, allowed) for column in texts]
        for row in range(len(source.table))
    ]


def paths_of(cells: Iterable[Sequence[Located]]) -> list[Path]:
    """Every path once, sorted."""
    return sorted({cell for row in cells for cell in row if isinstance(cell, Path)})


def locate(cell: str, image_root: Path, allowed: Iterable[str]) -> Path:
    """The real path of one cell; UnreadableImage if it is outside the allowed folders (real paths)."""
    if "\0" in cell:
        raise UnreadableImage(phrase("image_name_invalid"))
    whole, part = split_slice(cell)
    place, series = split_series(whole)
    real = Path(os.path.realpath(existing_path(image_root / local(place))))
    if not any(real.is_relative_to(folder) for folder in allowed):
        raise UnreadableImage(phrase("image_outside"))
    real = real if series is None else Path(name_series(real, series))
    return real if part is None else Path(name_slice(real, part))


def _locate_cell(text: str, image_root: Path, allowed: Sequence[str]) -> Located:
    try:
        return None if is_missing(text) else locate(text, image_root, allowed)
    except UnreadableImage as error:
        return error
    except (OSError, ValueError):
        return UnreadableImage(phrase("image_name_invalid"))


def digest_files(
    splits: Mapping[str, ImageTable],
    columns: Sequence[str],
    *,
    roots: Sequence[Path],
    cache_dir: Path,
    report: Callable[[int, int], None],
) -> tuple[dict[str, list[list[str]]], int]:
    """(split → N lists: a digest of each readable image of a case, number of unreadable images).

    For data whose images no model reads: only images that occur several times are decoded, because blank ones
    have no digest. A column that a split lacks is left out for that split. `report(done, total)` may
    raise.
    """
    located = {
        split: locate_cells(part, [column for column in columns if column in part.table.cells], roots)
        for split, part in splits.items()
    }
    paths = paths_of(row for cells in located.values() for row in cells)
    files = identify(paths, cache_dir, report=report)
    blank = blank_digests(
        files[cell] for cells in located.values() for row in cells for cell in row if isinstance(cell, Path)
    )
    digests: dict[str, list[list[str]]] = {}
    unreadable = 0
    for split, cells in located.items():
        digests[split] = []
        for row in cells:
            found = [files[cell] for cell in row if isinstance(cell, Path)]
            readable = [file.digest for file in found if isinstance(file, ImageFile)]
            digests[split].append([digest for digest in readable if digest not in blank])
            unreadable += sum(cell is not None for cell in row) - len(readable)
    return digests, unreadable


def blank_digests(files: Iterable[ImageFile | UnreadableImage]) -> set[str]:
    """Among contents that several of these files have, the digests of blank images."""
    known = [file for file in files if isinstance(file, ImageFile)]
    counts = Counter(file.digest for file in known)
    repeated = {file.digest: file.path for file in known if counts[file.digest] > 1}
    return {digest for digest, path in repeated.items() if _shows_nothing(path)}


def _shows_nothing(path: Path) -> bool:
    try:
        return is_blank(decode(open_image(path)[0], split_slice(path)[1]))
    except UnreadableImage:
        return False
