"""Records of a few images in memory: predictions of single cases store no pixels in the cache, and need
neither the index nor the locks of a store."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.cache.decoding import StoreParams, decode_group, groups_of, record_of
from medloom_trainer.data.cache.store_files import Entry
from medloom_trainer.data.images import Depth, ImageFile, Pixels, UnreadableImage

MOST_BYTES = 1 << 28
"""Limit of the records in memory; more images are stored in the cache."""
_THREADS = 4
_SOME_PIXELS = "not blank"
"""In the place of the digest of the pixels, which only checks for leaks use."""


class MemoryStore:
    """Images in memory, by slot (data/types.py ImageStore)."""

    def __init__(self, params: StoreParams, records: list[Pixels]) -> None:
        self.params = params
        self.depth: Depth = params.depth
        self.record_shape = params.shape
        self._records = records

    def gather(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """Slots (B, V), -1 if a view is missing → (B, V, H, W, 3); missing views are zero."""
        batch = np.empty((*slots.shape, *self.params.shape), dtype=self.params.dtype)
        self.gather_into(slots, batch)
        return batch if self.params.channels == 3 else batch.repeat(3, axis=-1)

    def gather_into(self, slots: npt.NDArray[np.int64], out: npt.NDArray[Any]) -> None:
        """Like `gather`, but in the stored form, into `out` (B, V, H, W, C)."""
        views = out.reshape(-1, *self.params.shape)
        for view, slot in zip(views, slots.ravel().tolist(), strict=True):
            view[...] = 0 if slot < 0 else self._records[slot]

    def close(self) -> None:
        self._records = []


@dataclass(frozen=True)
class InMemory:
    """As `Preparation`, for images that are not stored."""

    store: MemoryStore
    entries: dict[str, Entry]
    unreadable: dict[str, UnreadableImage]


def fits(files: Iterable[ImageFile], params: StoreParams) -> bool:
    """Return whether the records of these files may be in memory."""
    return len({file.digest for file in files}) * params.record_bytes <= MOST_BYTES


def prepare_in_memory(files: Iterable[ImageFile], params: StoreParams) -> InMemory:
    """Decode the files as `prepare_images` does."""
    groups = list(groups_of(list({file.digest: file for file in files}.values())).values())
    records: list[Pixels] = []
    entries: dict[str, Entry] = {}
    unreadable: dict[str, UnreadableImage] = {}
    threads = min(_THREADS, len(groups))
    with ThreadPoolExecutor(max_workers=threads) if threads > 1 else nullcontext() as pool:
        decoded = (pool.map if pool else map)(lambda group: _records_of(group, params), groups)
        for group, made in zip(groups, decoded, strict=True):
            if isinstance(made, UnreadableImage):
                unreadable |= {file.digest: made for file in group}
                continue
            for file, record in zip(group, made, strict=True):
                blank = bool((record == record[:1, :1]).all())
                entries[file.digest] = Entry(len(records), "" if blank else _SOME_PIXELS)
                records.append(record)
    return InMemory(MemoryStore(params, records), entries, unreadable)


def _records_of(group: list[ImageFile], params: StoreParams) -> list[Pixels] | UnreadableImage:
    images = decode_group(group, params.rules)
    return images if isinstance(images, UnreadableImage) else [record_of(one, params) for one in images]
