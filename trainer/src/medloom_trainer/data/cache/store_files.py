"""The files of one prepared store: its parameters, its records, and the index of the record of each content.

An index line is written after its record, so it never names a record that does not exist.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

from medloom_trainer.data.cache.decoding import Decoded, StoreParams
from medloom_trainer.files import sync_folder, write_json

_FLUSH_EVERY = 256
"""Number of records that are flushed together."""


@dataclass(frozen=True)
class Entry:
    """The slot of the record of a content, and the digest of its decoded pixels (equal for two files that
    show the same image, empty for a blank one).
    """

    slot: int
    pixels: str


def begin(folder: Path, params: StoreParams, *, empty: bool = False) -> dict[str, Entry]:
    """Create the files of a store if necessary, and return its entries. `empty`: remove them; the index is
    removed first, so that it never names a record that does not exist.
    """
    if empty:
        (folder / "index.jsonl").unlink(missing_ok=True)
        sync_folder(folder)
        (folder / "records.bin").unlink(missing_ok=True)
    if not (folder / "params.json").exists():
        write_json(folder / "params.json", asdict(params))
    (folder / "records.bin").touch()
    return _read_index(folder, params)


def _read_index(folder: Path, params: StoreParams) -> dict[str, Entry]:
    """Digest → entry, from complete lines whose record is on the disk. Of two lines for a digest the later
    one counts.
    """
    index = folder / "index.jsonl"
    records = (folder / "records.bin").stat().st_size // params.record_bytes
    entries: dict[str, Entry] = {}
    if not index.exists():
        return entries
    with index.open("rb") as lines:
        for line in lines:
            try:
                digest, slot, pixels, check = json.loads(line)
                whole = check == _checksum(digest, slot, pixels) and 0 <= slot < records
            except (ValueError, TypeError):
                continue
            if whole:
                entries[digest] = Entry(slot, pixels)
    return entries


def _checksum(digest: str, slot: int, pixels: str) -> int:
    return zlib.crc32(f"{digest} {slot} {pixels}".encode())


def unused_slots(folder: Path, params: StoreParams) -> Iterator[int]:
    """Slots after every complete record, indexed or not: a record that a running job may read is never
    overwritten.
    """
    return count((folder / "records.bin").stat().st_size // params.record_bytes)


@contextmanager
def index_writer(folder: Path, entries: dict[str, Entry]) -> Iterator[Callable[[Decoded], None]]:
    """Yield a function that receives decoded records; their index lines are written once the records are on
    the disk.
    """
    waiting: list[Decoded] = []
    with (folder / "records.bin").open("rb") as records, (folder / "index.jsonl").open("ab") as index:

        def flush() -> None:
            if not waiting:
                return
            os.fsync(records.fileno())
            text = ""
            for result in waiting:
                pixels = str(result.outcome)
                entries[result.digest] = Entry(result.slot, pixels)
                line = [result.digest, result.slot, pixels, _checksum(result.digest, result.slot, pixels)]
                text += json.dumps(line, separators=(",", ":")) + "\n"
            # The line break ends a truncated line.
            index.write(b"\n" + text.encode() if index.tell() else text.encode())
            index.flush()  # content without its line is decoded again
            waiting.clear()

        def note(result: Decoded) -> None:
            waiting.append(result)
            if len(waiting) >= _FLUSH_EVERY:
                flush()

        try:
            yield note
        finally:
            flush()
