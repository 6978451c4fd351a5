"""Decode many files in several processes; each writes its record in place, so that pixels never pass
between processes.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from medloom_trainer.data.images.decode import Calibrated, Depth, Pixels, UnreadableImage, decode, to_record
from medloom_trainer.data.images.image_files import ImageFile, digest_content
from medloom_trainer.data.tables.image_cells import split_slice
from medloom_trainer.errors import TrainerError

FEW = 32
"""Fewer files than this are decoded here: starting processes would take longer."""


class RecordParams(Protocol):
    """The part of the store's parameters that a decoder needs."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def depth(self) -> Depth: ...
    @property
    def window(self) -> tuple[float, float] | None: ...
    @property
    def record_bytes(self) -> int: ...


@dataclass(frozen=True)
class Decoded:
    """One file: the digest of its pixels, with its record written at `slot`; or why there is none."""

    digest: str
    slot: int
    outcome: str | UnreadableImage


def decode_all(
    files: Sequence[ImageFile], params: RecordParams, records: Path, slots: Iterator[int], workers: int
) -> Generator[Decoded, None, None]:
    """Decode `files` into `records`, in any order, at most a few per process under way. A failed file's
    slot is used again.
    """
    if workers == 1 or len(files) < FEW:
        spare: list[int] = []
        for file in files:
            result = decode_into(file, params, records, spare.pop() if spare else next(slots))
            if isinstance(result.outcome, UnreadableImage):
                spare.append(result.slot)
            yield result
        return
    yield from decode_in_processes(files, params, records, slots, workers)


def decode_in_processes(
    files: Sequence[ImageFile], params: RecordParams, records: Path, slots: Iterator[int], workers: int
) -> Generator[Decoded, None, None]:
    # Forked decoders have everything imported already; elsewhere than on Linux fork is unsafe.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(max_workers=workers, mp_context=context)
    spare: list[int] = []
    waiting = iter(files)
    under_way: set[Future[Decoded]] = set()
    try:
        while True:
            while len(under_way) < 4 * workers and (file := next(waiting, None)) is not None:
                slot = spare.pop() if spare else next(slots)
                under_way.add(pool.submit(decode_into, file, params, records, slot))
            if not under_way:
                return
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                result = future.result()
                if isinstance(result.outcome, UnreadableImage):
                    spare.append(result.slot)
                yield result
    except BrokenProcessPool as error:
        raise TrainerError("TRAINER_FAILED", "a process that decodes images was killed") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def decode_into(file: ImageFile, params: RecordParams, records: Path, slot: int) -> Decoded:
    """Decode one file and write its record at `slot`."""
    path, part = split_slice(file.path)
    try:
        content = Path(path).read_bytes()
    except OSError:
        return Decoded(file.digest, slot, UnreadableImage("cannot be opened"))
    if digest_content(content, part) != file.digest:
        return Decoded(file.digest, slot, UnreadableImage("changed while it was read"))
    try:
        pixels = decode(content, part)
    except UnreadableImage as error:
        return Decoded(file.digest, slot, error)
    record = to_record(pixels, (params.width, params.height), params.depth, params.window)
    descriptor = os.open(records, os.O_WRONLY)
    try:
        view = record.data.cast("B")
        written = 0
        while written < len(view):
            written += os.pwrite(descriptor, view[written:], slot * params.record_bytes + written)
    finally:
        os.close(descriptor)
    return Decoded(file.digest, slot, digest_pixels(pixels))


def digest_pixels(pixels: Pixels | Calibrated) -> str:
    """Equal for two files that show the same picture."""
    if isinstance(pixels, Calibrated):
        shown = (pixels.values.shape, pixels.low, pixels.high, pixels.inverted)
        seen = hashlib.blake2b(repr(shown).encode(), digest_size=16)
        seen.update(pixels.values.tobytes())
    else:
        seen = hashlib.blake2b(repr((pixels.shape, pixels.dtype.str)).encode(), digest_size=16)
        seen.update(pixels.tobytes())
    return seen.hexdigest()
