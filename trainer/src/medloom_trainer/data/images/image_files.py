"""What each image file contains: its digest and header, found quickly again when nothing about the file has
changed.

Content is the truth. A file whose size, times or inode differ from what was noted is read again; the notes
only save reading. They hold digests of paths, not paths: file names may carry patient numbers.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.data.images.decoded import Depth, ImageHeader, UnreadableImage
from medloom_trainer.data.images.decoders import read_header
from medloom_trainer.data.tables import Slice, split_slice

SETTLED_SECONDS = 2.0
"""A file changed more recently may change again within one tick of its clock; it is not noted yet."""


@dataclass(frozen=True)
class ImageFile:
    """A readable file: sha256 of its bytes and what its header says."""

    path: Path
    digest: str
    header: ImageHeader


def digest_content(content: bytes, part: Slice | None) -> str:
    """What distinguishes one image from another: the bytes of the file, and which slice of it."""
    digest = hashlib.sha256(content)
    if part is not None:
        digest.update(f"#slice={part.number}of{part.count}".encode())
    return digest.hexdigest()


def identify(
    paths: Iterable[Path], cache_dir: Path, *, report: Callable[[int, int], None]
) -> dict[Path, ImageFile | UnreadableImage]:
    """Digest and header of every file; `report(done, total)` is called between files and may raise to end
    the work.
    """
    notes = _read_notes(notes_file(cache_dir))
    found: dict[Path, ImageFile | UnreadableImage] = {}
    fresh: dict[str, dict[str, Any]] = {}
    wanted = list(dict.fromkeys(paths))
    with ThreadPoolExecutor(max_workers=min(8, os.cpu_count() or 1)) as pool:
        for start in range(0, len(wanted), 64):  # bounded: a data set may have millions of files
            part = wanted[start : start + 64]
            for path, (result, note) in zip(part, pool.map(lambda p: _examine(p, notes), part), strict=True):
                found[path] = result
                if note is not None:
                    fresh[note["path"]] = note
            report(min(start + 64, len(wanted)), len(wanted))
    _append_notes(notes_file(cache_dir), fresh.values())
    return found


def notes_file(cache_dir: Path) -> Path:
    """Where the notes about files are kept."""
    return cache_dir / "prepared" / "files.jsonl"


def _examine(
    path: Path, notes: dict[str, dict[str, Any]]
) -> tuple[ImageFile | UnreadableImage, dict[str, Any] | None]:
    """→ (result, what to note about it)."""
    try:
        file, part = split_slice(path)
        state = os.stat(file)
        stamp = [state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino]
        key = hashlib.sha256(os.fsencode(path)).hexdigest()
        note = notes.get(key)
        if note is not None and note["stamp"] == stamp:
            return ImageFile(path, note["digest"], ImageHeader(*note["header"])), None
        content = Path(file).read_bytes()
    except OSError as error:
        kind = "is missing" if isinstance(error, FileNotFoundError) else "cannot be opened"
        return UnreadableImage(kind), None
    try:
        header = read_header(content)
    except UnreadableImage as error:
        return error, None
    digest = digest_content(content, part)
    fields = [header.width, header.height, header.channels, header.depth]
    settled = time.time() - max(state.st_mtime, state.st_ctime) > SETTLED_SECONDS
    kept = {"path": key, "stamp": stamp, "digest": digest, "header": fields}
    return ImageFile(path, digest, header), kept if settled else None


def _read_notes(file: Path) -> dict[str, dict[str, Any]]:
    """Path digest → note; lines that are damaged or cut short are as if they were not there."""
    notes: dict[str, dict[str, Any]] = {}
    if not file.exists():
        return notes
    with file.open("rb") as lines:
        for line in lines:
            try:
                note = json.loads(line)
                ImageHeader(*note["header"])
                notes[note["path"]] = {
                    "stamp": note["stamp"],
                    "digest": note["digest"],
                    "header": note["header"],
                }
            except (ValueError, KeyError, TypeError):
                continue
    return notes


def _append_notes(file: Path, fresh: Iterable[dict[str, Any]]) -> None:
    """Notes that cannot be kept (a full disk) only cost the next run its time."""
    text = "".join(json.dumps(note, separators=(",", ":")) + "\n" for note in fresh)
    if not text:
        return
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab") as notes:
            fcntl.flock(notes, fcntl.LOCK_EX)
            # A line cut short ends here.
            notes.write(b"\n" + text.encode() if notes.tell() else text.encode())


def deepest(files: Iterable[ImageFile]) -> Depth:
    """The depth that loses nothing of any of these files."""
    return 16 if any(file.header.depth == 16 for file in files) else 8
