"""Image files → records of one size: the parameters that determine their bytes, and decoding in several
threads or processes. Each writes its records in place, so that pixels are never passed between processes.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
import struct
import sys
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from medloom_trainer.allocator import keep_freed_memory, return_freed_memory
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images import (
    FIRST_RULES,
    Calibrated,
    Depth,
    Fit,
    ImageFile,
    Pixels,
    UnreadableImage,
    decode_parts,
    digest_content,
    is_blank,
    open_image,
    slice_of,
    to_record,
    whole_of,
)
from medloom_trainer.data.tables import split_slice
from medloom_trainer.errors import TrainerError

NEWEST_VERSION = 5
"""Increased whenever the same file would result in a different record or another digest of its pixels by the
same rules."""
BLAKE2B_VERSION = 4
"""The same records with slower digests. Models that were trained with it know their cases by these."""
_FEW = 32
"""Number of files below which this process decodes: starting others would take longer."""
_FEWEST_PROCESSES = 4
"""Number of decoders from which processes are faster than threads, which share the interpreter."""

_MOST_FILES, _MOST_PIXELS = 16, 8_000_000
"""Limits of the files that are passed to a process together: a tenth of a second, within which a training
that is canceled ends."""
_BLOCK = 1 << 16
"""Bytes of pixels that share a pair of checksums."""


@dataclass(frozen=True)
class StoreParams:
    """Size, depth, window and channels of every record of one store."""

    width: int
    height: int
    depth: Depth
    window: tuple[float, float] | None
    """(center, width) in stored units; None: the full range."""
    fit: Fit = "letterbox"
    channels: Literal[1, 3] = 3
    """1: every image is gray, and its one channel is stored once."""
    version: int = NEWEST_VERSION
    rules: int = FIRST_RULES
    """Version of the rules of medical images."""

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.height, self.width, self.channels)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.depth == 8 else np.uint16)

    @property
    def record_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def key(self) -> str:
        fields = asdict(self)
        if self.rules == FIRST_RULES:
            del fields["rules"]  # stores of older versions have none
        return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Decoded:
    """One file: the digest of its pixels, with its record written at `slot`; or the reason why there is
    none."""

    digest: str
    slot: int
    outcome: str | UnreadableImage


def decode_all(
    files: Sequence[ImageFile], params: StoreParams, records: Path, slots: Iterator[int], workers: int
) -> Generator[Decoded, None, None]:
    """Decode `files` into `records`, in any order, at most a few per process at a time; a file is read once
    for all its slices. The slot of an image that failed is used again.
    """
    groups = groups_of(files)
    chain = _Slots(slots)
    if workers == 1 or len(groups) < _FEW:
        for group in groups.values():
            yield from chain.returned(_decode_into(group, params, records, chain.take(len(group))))
        return
    yield from _decode_in_parallel(list(groups.values()), params, records, chain, workers)


def groups_of(files: Sequence[ImageFile]) -> dict[Path, list[ImageFile]]:
    """The slices of each file."""
    groups: dict[Path, list[ImageFile]] = {}
    for file in files:
        groups.setdefault(whole_of(file.path), []).append(file)
    return groups


class _Slots:
    """Free slots for records: returned ones are used before new ones."""

    def __init__(self, fresh: Iterator[int]) -> None:
        self._fresh = fresh
        self._free: list[int] = []

    def take(self, count: int) -> list[int]:
        return [self._free.pop() if self._free else next(self._fresh) for _ in range(count)]

    def returned(self, results: list[Decoded]) -> list[Decoded]:
        """Return the results; slots of failed ones become free again."""
        self._free += [result.slot for result in results if isinstance(result.outcome, UnreadableImage)]
        return results


def _decode_in_parallel(
    groups: Sequence[list[ImageFile]], params: StoreParams, records: Path, slots: _Slots, workers: int
) -> Generator[Decoded, None, None]:
    pool = _decoders(groups, workers)
    waiting = batches_of(groups, workers)
    running: set[Future[list[Decoded]]] = set()
    try:
        while True:
            while len(running) < 4 * workers and (batch := next(waiting, None)) is not None:
                places = [slots.take(len(group)) for group in batch]
                running.add(pool.submit(_decode_batch, batch, params, records, places))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield from slots.returned(future.result())
    except BrokenProcessPool as error:
        raise TrainerError("TRAINER_FAILED", phrase("decoder_killed")) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        return_freed_memory()


def _decoders(groups: Sequence[list[ImageFile]], workers: int) -> Executor:
    """Threads if they are few and no file is of a medical format: the decoders of other images release the
    lock of the interpreter, and forking a process takes as long as decoding several images.
    """
    if workers < _FEWEST_PROCESSES and all(group[0].header.slices == 0 for group in groups):
        return ThreadPoolExecutor(max_workers=workers)
    # Forked decoders have all modules imported already; on systems other than Linux fork is unsafe.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    # Each image takes blocks of megabytes that the one before has just freed.
    return ProcessPoolExecutor(max_workers=workers, mp_context=context, initializer=keep_freed_memory)


def batches_of(groups: Sequence[list[ImageFile]], workers: int) -> Iterator[list[list[ImageFile]]]:
    """Small images together, since passing one to a process and its result back takes a tenth of the time of
    decoding it. Several batches per process, so that all end at about the same time.
    """
    most = max(1, min(_MOST_FILES, len(groups) // (8 * workers)))
    batch: list[list[ImageFile]] = []
    pixels = 0
    for group in groups:
        header = group[0].header
        size = header.width * header.height * max(1, header.slices)
        if batch and (len(batch) == most or pixels + size > _MOST_PIXELS):
            yield batch
            batch, pixels = [], 0
        batch.append(group)
        pixels += size
    if batch:
        yield batch


def _decode_batch(
    batch: list[list[ImageFile]], params: StoreParams, records: Path, slots: list[list[int]]
) -> list[Decoded]:
    return [
        result
        for group, places in zip(batch, slots, strict=True)
        for result in _decode_into(group, params, records, places)
    ]


def _decode_into(
    group: list[ImageFile], params: StoreParams, records: Path, slots: list[int]
) -> list[Decoded]:
    """Read one file, and write the record of each of its slices at its slot."""
    images = decode_group(group, params.rules)
    if isinstance(images, UnreadableImage):
        return [Decoded(file.digest, slot, images) for file, slot in zip(group, slots, strict=True)]
    done = []
    for file, slot, pixels in zip(group, slots, images, strict=True):
        _write_record(record_of(pixels, params), params, records, slot)
        done.append(Decoded(file.digest, slot, digest_pixels(pixels, params.version)))
    return done


def decode_group(group: Sequence[ImageFile], rules: int) -> Sequence[Pixels | Calibrated] | UnreadableImage:
    """Read one file: the pixels of each of its slices, or the reason why there are none."""
    parts = [split_slice(file.path)[1] for file in group]
    whole = ImageFile(whole_of(group[0].path), "", group[0].header)
    try:
        content, _ = open_image(whole.path)
        digest = digest_content(content)
        read = [slice_of(replace(whole, digest=digest), part).digest for part in parts]
        if read != [file.digest for file in group]:
            raise UnreadableImage(phrase("image_modified"))
        return decode_parts(content, parts, rules)
    except UnreadableImage as error:
        return error


def record_of(pixels: Pixels | Calibrated, params: StoreParams) -> Pixels:
    """The record of an image."""
    record = to_record(pixels, (params.width, params.height), params.depth, params.window, params.fit)
    return np.ascontiguousarray(record[:, :, : params.channels])  # the channels of a gray image are equal


def _write_record(record: Pixels, params: StoreParams, records: Path, slot: int) -> None:
    descriptor = os.open(records, os.O_WRONLY)
    try:
        view = record.data.cast("B")
        written = 0
        while written < len(view):
            written += os.pwrite(descriptor, view[written:], slot * params.record_bytes + written)
    finally:
        os.close(descriptor)


def digest_pixels(pixels: Pixels | Calibrated, version: int) -> str:
    """Equal for two files that show the same image; empty for a blank image, which does not identify a
    patient. version: of the store."""
    if is_blank(pixels):
        return ""
    values = pixels.values if isinstance(pixels, Calibrated) else pixels
    content = np.ascontiguousarray(values).data.cast("B")
    seen = hashlib.blake2b(repr((values.shape, values.dtype.str)).encode(), digest_size=16)
    seen.update(content if version == BLAKE2B_VERSION else _checksums(content))
    return seen.hexdigest()


def _checksums(content: memoryview) -> bytes:
    """CRC-32 and Adler-32 of each block, ten times as fast as a cryptographic digest. Two images that
    were not made to collide have the same ones with a probability of about 2**-64, less if several blocks
    differ.
    """
    import imagecodecs  # only decoding needs it

    blocks = (bytes(content[start : start + _BLOCK]) for start in range(0, len(content), _BLOCK))
    return b"".join(
        struct.pack("<II", imagecodecs.deflate_crc32(block), imagecodecs.deflate_adler32(block))
        for block in blocks
    )
