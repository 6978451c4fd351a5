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

from medloom_trainer.data.cache.params import StoreParams
from medloom_trainer.data.images import (
    Calibrated,
    ImageFile,
    Pixels,
    UnreadableImage,
    decode,
    digest_content,
    to_record,
)
from medloom_trainer.data.tables import split_slice
from medloom_trainer.errors import TrainerError

_FEW = 32
"""Fewer files than this are decoded here: starting processes would take longer."""


@dataclass(frozen=True)
class Decoded:
    """One file: the digest of its pixels, with its record written at `slot`; or why there is none."""

    digest: str
    slot: int
    outcome: str | UnreadableImage


def decode_all(
    files: Sequence[ImageFile], params: StoreParams, records: Path, slots: Iterator[int], workers: int
) -> Generator[Decoded, None, None]:
    """Decode `files` into `records`, in any order, at most a few per process at a time. The slot of a
    file that failed is used again.
    """
    if workers == 1 or len(files) < _FEW:
        free: list[int] = []
        for file in files:
            result = _decode_into(file, params, records, free.pop() if free else next(slots))
            if isinstance(result.outcome, UnreadableImage):
                free.append(result.slot)
            yield result
        return
    yield from _decode_in_processes(files, params, records, slots, workers)


def _decode_in_processes(
    files: Sequence[ImageFile], params: StoreParams, records: Path, slots: Iterator[int], workers: int
) -> Generator[Decoded, None, None]:
    # Forked decoders have everything imported already; elsewhere than on Linux fork is unsafe.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    pool = ProcessPoolExecutor(max_workers=workers, mp_context=context)
    free: list[int] = []
    waiting = iter(files)
    running: set[Future[Decoded]] = set()
    try:
        while True:
            while len(running) < 4 * workers and (file := next(waiting, None)) is not None:
                slot = free.pop() if free else next(slots)
                running.add(pool.submit(_decode_into, file, params, records, slot))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                result = future.result()
                if isinstance(result.outcome, UnreadableImage):
                    free.append(result.slot)
                yield result
    except BrokenProcessPool as error:
        raise TrainerError("TRAINER_FAILED", "a process that decodes images was killed") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _decode_into(file: ImageFile, params: StoreParams, records: Path, slot: int) -> Decoded:
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
    return Decoded(file.digest, slot, _digest_pixels(pixels))


def _digest_pixels(pixels: Pixels | Calibrated) -> str:
    """Equal for two files that show the same image."""
    if isinstance(pixels, Calibrated):
        shown = (pixels.values.shape, pixels.low, pixels.high, pixels.inverted)
        seen = hashlib.blake2b(repr(shown).encode(), digest_size=16)
        seen.update(pixels.values.tobytes())
    else:
        seen = hashlib.blake2b(repr((pixels.shape, pixels.dtype.str)).encode(), digest_size=16)
        seen.update(pixels.tobytes())
    return seen.hexdigest()
