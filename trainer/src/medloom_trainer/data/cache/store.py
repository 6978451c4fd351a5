"""The prepared image store: every content is decoded once per size into one file of equal records, which
later runs use again.

    <cache_dir>/prepared/<key of the parameters>/
        params.json     size, depth, window, channels, version of the preparation
        records.bin     the records in order, (H, W, 3) of 8 or 16 bits; (H, W, 1) if all images are gray
        index.jsonl     one line per content: digest of the file → slot; appended after its record is on the
                        disk

A record without an index line does not count; content with a damaged line or a truncated record is decoded
again. Records are read with `preadv` directly into the batch: they use the same pages of the system's cache
as a memory map, but never count as memory of the process, which therefore grows with the batch and not with
the dataset. store_locks.py decides which process may access a store, store_limit.py which stores are removed
if the cache is full.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.cache.decoding import StoreParams, decode_all
from medloom_trainer.data.cache.store_files import Entry, begin, index_writer, unused_slots
from medloom_trainer.data.cache.store_limit import remove_unused
from medloom_trainer.data.cache.store_locks import Use, exclusive_removal, writing
from medloom_trainer.data.images import Depth, ImageFile, UnreadableImage
from medloom_trainer.errors import TrainerError
from medloom_trainer.files import full_disk_named, make_folder


class RecordStore:
    """Read access by slot (data/types.py ImageStore). Safe to share between threads and forked processes."""

    def __init__(self, folder: Path, params: StoreParams, use: Use) -> None:
        """use: of this store; it ends together with this access."""
        self.params = params
        self._use = use
        self.depth: Depth = params.depth
        self.record_shape = params.shape
        self._file = open(folder / "records.bin", "rb", buffering=0)  # noqa: SIM115 (closed by close)

    def gather(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Slots (B, V), -1 if a view is missing → (B, V, H, W, 3); missing views are zero."""
        batch = np.empty((*slots.shape, *self.params.shape), dtype=self.params.dtype)
        self.gather_into(slots, batch)
        return batch if self.params.channels == 3 else batch.repeat(3, axis=-1)

    def gather_into(self, slots: npt.NDArray[np.int64], out: npt.NDArray[Any]) -> None:
        """Like `gather`, but in the stored form, into `out` (B, V, H, W, C), which is overwritten
        completely."""
        records = out.reshape(-1, self.params.record_bytes // self.params.dtype.itemsize)
        for record, slot in zip(records, slots.ravel().tolist(), strict=True):
            if slot < 0:
                record.fill(0)
                continue
            read = os.preadv(self._file.fileno(), [record.data.cast("B")], slot * self.params.record_bytes)
            if read != self.params.record_bytes:
                raise TrainerError("TRAINER_FAILED", phrase("prepared_images_truncated"))

    def close(self) -> None:
        self._file.close()
        self._use.close()


@dataclass(frozen=True)
class Preparation:
    """Result of `prepare_images`."""

    store: RecordStore
    entries: dict[str, Entry]
    """Digest of the file → entry."""
    unreadable: dict[str, UnreadableImage]
    """Digest of the file → reason why it could not be decoded."""
    decoded: int
    """Number of contents that were decoded in this call."""


@full_disk_named(phrase("for_prepared_images"))
def prepare_images(
    files: Iterable[ImageFile],
    params: StoreParams,
    cache_dir: Path,
    *,
    workers: int,
    report: Callable[[int, int], None],
) -> Preparation:
    """Decode the files that the store does not contain yet, in `workers` processes, and open it.

    report(done, total) is called between images and while waiting for another writer; it may raise to end the
    work: finished records are kept. DISK_FULL if there is no room.
    """
    wanted = {file.digest: file for file in files}
    folder = cache_dir / "prepared" / params.key
    make_folder(folder.parent)
    use = Use(folder, lambda: report(0, len(wanted)))
    try:
        folder.mkdir(exist_ok=True)
        entries, unreadable, decoded = _fill(folder, params, wanted, use, workers, report)
        mine = {digest: entries[digest] for digest in wanted if digest in entries}
        return Preparation(RecordStore(folder, params, use), mine, unreadable, decoded)
    except BaseException:
        use.close()
        raise


def _fill(
    folder: Path,
    params: StoreParams,
    wanted: dict[str, ImageFile],
    use: Use,
    workers: int,
    report: Callable[[int, int], None],
) -> tuple[dict[str, Entry], dict[str, UnreadableImage], int]:
    """Decode wanted files that are not in the store. → all its entries, the unreadable files, the number of
    decoded files"""
    unreadable: dict[str, UnreadableImage] = {}
    with writing(folder, lambda: report(0, len(wanted))):
        entries = _make_room(folder, params, wanted, use)
        todo = [file for digest, file in wanted.items() if digest not in entries]
        if not todo:
            report(len(wanted), len(wanted))
            return entries, unreadable, 0
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
    return entries, unreadable, len(todo)


def _make_room(folder: Path, params: StoreParams, wanted: dict[str, ImageFile], use: Use) -> dict[str, Entry]:
    """Bring the cache under its limit as far as possible, and return the entries that this store then has.

    If removing other stores is not sufficient, this one is emptied, provided that no other process uses it
    and that its other records take at least the excess, or as much as the wanted ones.
    """
    entries = begin(folder, params)
    present = sum(digest in entries for digest in wanted)
    needed = (len(wanted) - present) * params.record_bytes
    of_others = (len(entries) - present) * params.record_bytes
    with exclusive_removal(folder.parent):
        excess = remove_unused(folder.parent.parent, needed)
        helps = of_others >= min(excess, len(wanted) * params.record_bytes) > 0
        if needed > 0 and helps and use.alone():
            entries = begin(folder, params, empty=True)
            use.shared()
    return entries
