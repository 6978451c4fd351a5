"""The prepared image store: every content decoded once per size, into one file of equal records that later
runs reuse.

    <cache_dir>/prepared/<key of the parameters>/
        params.json     size, depth, window, version of the preparation
        records.bin     record after record, (H, W, 3) of 8 or 16 bits
        index.jsonl     one line per content: digest of the file → slot; appended after its record is on the
        disk lock            held by the one process that writes

A record without an index line does not exist; a damaged line or a record cut short is decoded again.
Records are read with `preadv` straight into the batch: the same pages of the system's cache as a memory
map, but they never count as memory of the process, so it grows with the batch and not with the data set.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.decoding import Decoded, decode_all
from medloom_trainer.data.image_files import ImageFile
from medloom_trainer.data.images import Depth, UnreadableImage
from medloom_trainer.errors import TrainerError
from medloom_trainer.files import write_json

VERSION = 1
"""Raised whenever the same file would give another record."""

FLUSH_EVERY = 256
"""Records that are made durable together."""


@dataclass(frozen=True)
class StoreParams:
    """What decides the bytes of a record."""

    width: int
    height: int
    depth: Depth
    window: tuple[float, float] | None
    """(center, width) in stored units; None: the full range."""
    version: int = VERSION

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.height, self.width, 3)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.depth == 8 else np.uint16)

    @property
    def record_bytes(self) -> int:
        return self.height * self.width * 3 * self.dtype.itemsize

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Entry:
    """Where a content stands, and the digest of its decoded pixels (equal for two files that show the same
    picture).
    """

    slot: int
    pixels: str


class RecordStore:
    """Read access by slot (data/types.py ImageStore). Safe to share between threads and forked processes."""

    def __init__(self, folder: Path, params: StoreParams) -> None:
        self.params = params
        self.depth: Depth = params.depth
        self._file = open(folder / "records.bin", "rb", buffering=0)  # noqa: SIM115 (closed by close)

    def gather(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Slots (B, V), -1 where a view is missing → (B, V, H, W, 3); missing views are zero."""
        batch = np.zeros((*slots.shape, *self.params.shape), dtype=self.params.dtype)
        records = batch.reshape(-1, self.params.record_bytes // self.params.dtype.itemsize)
        for record, slot in zip(records, slots.ravel().tolist(), strict=True):
            if slot < 0:
                continue
            read = os.preadv(self._file.fileno(), [record.data.cast("B")], slot * self.params.record_bytes)
            if read != self.params.record_bytes:
                raise TrainerError("TRAINER_FAILED", "the prepared image store was cut short while in use")
        return batch

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True)
class Preparation:
    """What `prepare_images` gives back."""

    store: RecordStore
    entries: dict[str, Entry]
    """Digest of the file → entry."""
    unreadable: dict[str, UnreadableImage]
    """Digest of the file → why it could not be decoded."""
    decoded: int
    """How many contents had to be decoded this time."""


def prepare_images(
    files: Iterable[ImageFile],
    params: StoreParams,
    cache_dir: Path,
    *,
    workers: int,
    report: Callable[[int, int], None],
) -> Preparation:
    """Decode what the store does not have yet, in `workers` processes, and open it.

    report(done, total) is called between images and while waiting for another writer; it may raise to end
    the work: what is finished by then stays. DISK_FULL when there is no room.
    """
    wanted = {file.digest: file for file in files}
    folder = cache_dir / "prepared" / params.key
    folder.mkdir(parents=True, exist_ok=True)
    with writer_lock(folder, lambda: report(0, len(wanted))), full_disk_named():
        if not (folder / "params.json").exists():
            write_json(folder / "params.json", asdict(params))
        (folder / "records.bin").touch()
        entries = read_index(folder, params)
        todo = [file for digest, file in wanted.items() if digest not in entries]
        unreadable: dict[str, UnreadableImage] = {}
        if todo:
            done_before = len(wanted) - len(todo)
            slots = unused_slots(folder, params)
            results = decode_all(todo, params, folder / "records.bin", slots, workers)
            with closing(results), index_writer(folder, entries) as note:
                for done, result in enumerate(results, start=1):
                    if isinstance(result.outcome, UnreadableImage):
                        unreadable[result.digest] = result.outcome
                    else:
                        note(result)
                    report(done_before + done, len(wanted))
        else:
            report(len(wanted), len(wanted))
    mine = {digest: entries[digest] for digest in wanted if digest in entries}
    return Preparation(RecordStore(folder, params), mine, unreadable, len(todo))


def open_store(params: StoreParams, cache_dir: Path) -> RecordStore:
    """The store as it stands on the disk."""
    return RecordStore(cache_dir / "prepared" / params.key, params)


def read_index(folder: Path, params: StoreParams) -> dict[str, Entry]:
    """Digest → entry, of lines that are whole and whose record is on the disk. Of two lines the later one
    counts.
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
                whole = check == checksum(digest, slot, pixels) and 0 <= slot < records
            except (ValueError, TypeError):
                continue
            if whole:
                entries[digest] = Entry(slot, pixels)
    return entries


def checksum(digest: str, slot: int, pixels: str) -> int:
    return zlib.crc32(f"{digest} {slot} {pixels}".encode())


def unused_slots(folder: Path, params: StoreParams) -> Iterator[int]:
    """Slots behind every whole record, indexed or not: one that a running job may read is never written
    again.
    """
    return count((folder / "records.bin").stat().st_size // params.record_bytes)


@contextmanager
def index_writer(folder: Path, entries: dict[str, Entry]) -> Iterator[Callable[[Decoded], None]]:
    """Gives a function that takes decoded records; their index lines follow once the records are on the
    disk.
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
                line = [result.digest, result.slot, pixels, checksum(result.digest, result.slot, pixels)]
                text += json.dumps(line, separators=(",", ":")) + "\n"
            index.write(
                b"\n" + text.encode() if index.tell() else text.encode()
            )  # a line cut short ends here
            index.flush()
            os.fsync(index.fileno())
            waiting.clear()

        def note(result: Decoded) -> None:
            waiting.append(result)
            if len(waiting) >= FLUSH_EVERY:
                flush()

        try:
            yield note
        finally:
            flush()


@contextmanager
def writer_lock(folder: Path, wait: Callable[[], None]) -> Iterator[None]:
    """One writer per store; the lock goes with its process, however that ends. `wait` is called while
    another writes.
    """
    with (folder / "lock").open("wb") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                wait()
                time.sleep(0.05)
        yield


@contextmanager
def full_disk_named() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise TrainerError("DISK_FULL", "no space left for the prepared images") from error
        raise
