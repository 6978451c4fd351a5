"""Batches: which cases each holds, read ahead by one thread, finished on the device."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from medloom_trainer.data.types import Cases, ImageStore

BATCHES_AHEAD = 2
"""Batches that wait ready. Memory grows with this and with the batch, never with the data set."""

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Arrays of B cases, on the device."""

    images: Tensor | None
    """(B, V, H, W, 3) uint8 or uint16, as stored."""
    features: Tensor | None
    """(B, V, …) of a frozen backbone, instead of the images."""
    view_mask: Tensor | None
    """(B, V); None when every view is there."""
    values: Tensor
    codes: Tensor
    present: Tensor
    labels: Tensor | None

    @property
    def beside_images(self) -> tuple[Tensor | None, ...]:
        """What a network reads after the images."""
        inputs = (self.view_mask, *self.table)
        return inputs if self.features is None else (*inputs, self.features)

    @property
    def table(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.values, self.codes, self.present

    def to(self, device: torch.device) -> Batch:
        if device.type == "cpu":
            return self
        return self.each(lambda tensor: tensor.to(device, non_blocking=True))

    def each(self, change: Callable[[Tensor], Tensor]) -> Batch:
        def changed(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else change(tensor)

        return Batch(
            changed(self.images),
            changed(self.features),
            changed(self.view_mask),
            change(self.values),
            change(self.codes),
            change(self.present),
            changed(self.labels),
        )


@dataclass(frozen=True)
class FrozenFeatures:
    """What a frozen backbone makes of the images of a split, in memory (frozen_features.py)."""

    records: Mapping[int | None, Tensor]
    """Cases of a batch → (N, V, …) by case, on the CPU, for batches of that size; None: for all batches."""
    known: npt.NDArray[np.bool_]
    """(N,) of which cases."""

    def of(self, indices: Indices) -> Tensor | None:
        """(B, V, …); None when the images have to be shown to the backbone."""
        records = self.records.get(len(indices), self.records.get(None))
        if records is None or not self.known[indices].all():
            return None
        return records[torch.from_numpy(indices)]


class Steps:
    """How the batches of an epoch are laid out in optimizer steps."""

    accumulation: int
    """Batches of one optimizer step."""

    @property
    def total_batches(self) -> int:
        """Of every epoch."""
        raise NotImplementedError

    @property
    def num_networks(self) -> int:
        """That take every step."""
        return 1

    @property
    def image_batch_sizes(self) -> tuple[int, ...]:
        """Training cases whose images pass the backbone at once, in nearly all batches."""
        raise NotImplementedError

    @property
    def steps_per_epoch(self) -> int:
        return -(-self.total_batches // self.accumulation)

    def step_of(self, batch: int) -> slice:
        """The batches of the optimizer step that batch `batch` is part of; batches count from 0."""
        first = batch - batch % self.accumulation
        return slice(first, first + self.accumulation)

    def ends_step(self, batches_done: int) -> bool:
        return batches_done % self.accumulation == 0 or batches_done == self.total_batches


@dataclass(frozen=True)
class BatchPlan(Steps):
    """How the cases of an epoch are laid out in batches."""

    num_cases: int
    batch_size: int
    accumulation: int
    seed: int
    smallest: int
    """Cases of the smallest batch."""

    def batches(self, epoch: int) -> list[Indices]:
        return shuffled_batches(
            self.num_cases, self.batch_size, seed=self.seed, epoch=epoch, smallest=self.smallest
        )

    @property
    def total_batches(self) -> int:
        return self._total

    @property
    def image_batch_sizes(self) -> tuple[int, ...]:
        return (self.batch_size,)

    @cached_property
    def _total(self) -> int:
        return len(self.batches(1))


def shuffled_batches(
    num_cases: int, batch_size: int, *, seed: int, epoch: int, smallest: int = 2
) -> list[Indices]:
    """The training cases in the order of this epoch, a pure function of (seed, epoch); every case once.

    The last batch takes what is left. A rest smaller than `smallest` joins the batch before it: no case is
    left out, and BatchNorm never sees a batch of one.
    """
    order = np.random.default_rng([seed, epoch]).permutation(num_cases)
    cuts = list(range(batch_size, num_cases, batch_size))
    if cuts and num_cases - cuts[-1] < min(smallest, batch_size):
        cuts.pop()
    return [part.astype(np.int64) for part in np.split(order, cuts)]


def read_ahead(
    cases: Cases,
    store: ImageStore | None,
    batches: Sequence[Indices],
    *,
    device: torch.device,
    labels: npt.NDArray[Any] | None = None,
    features: FrozenFeatures | None = None,
) -> Generator[Batch]:
    """Gather `batches` in a thread, BATCHES_AHEAD of the consumer. Closing the iterator ends the thread."""
    pin = device.type == "cuda"
    waiting: queue.Queue[Batch | BaseException | None] = queue.Queue(maxsize=BATCHES_AHEAD)
    closed = threading.Event()

    def put(item: Batch | BaseException | None) -> None:
        while not closed.is_set():
            try:
                return waiting.put(item, timeout=0.1)
            except queue.Full:
                continue

    def read() -> None:
        try:
            for indices in batches:
                if closed.is_set():
                    return
                put(gather(cases, store, indices, pin=pin, labels=labels, features=features))
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=read, name="read-ahead", daemon=True)
    thread.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item.to(device)
    finally:
        closed.set()
        thread.join()


def gather(
    cases: Cases,
    store: ImageStore | None,
    indices: Indices,
    *,
    pin: bool = False,
    labels: npt.NDArray[Any] | None = None,
    features: FrozenFeatures | None = None,
) -> Batch:
    """The cases at `indices` (B,), on the CPU."""
    images = seen = view_mask = None
    if store is not None and cases.slots is not None:
        slots = cases.slots[indices]  # (B, V)
        seen = None if features is None else features.of(indices)
        images = torch.from_numpy(store.gather(slots)) if seen is None else None
        if (slots < 0).any():
            view_mask = torch.from_numpy(slots >= 0)
    batch = Batch(
        images,
        seen,
        view_mask,
        torch.from_numpy(cases.values[indices]),
        torch.from_numpy(cases.codes[indices]),
        torch.from_numpy(cases.present[indices]),
        None if labels is None else torch.from_numpy(labels[indices]),
    )
    return batch.each(lambda tensor: tensor.pin_memory()) if pin else batch


class ImageNormalizer:
    """Stored images (B, V, H, W, 3) → 0..1, and from there → (x - mean) / std. Both results are (N, 3, H, W),
    channels last.
    """

    def __init__(self, normalization: dict[str, Any], device: torch.device) -> None:
        mean = torch.tensor(normalization["mean"], dtype=torch.float32, device=device)
        std = torch.tensor(normalization["std"], dtype=torch.float32, device=device)
        self.scale = 1 / std
        self.shift = -mean / std

    def unit(self, images: Tensor) -> Tensor:
        full = 65535.0 if images.dtype == torch.uint16 else 255.0
        return images.flatten(0, 1).to(torch.float32).mul_(1 / full).permute(0, 3, 1, 2)

    def normalize(self, images: Tensor, views: int) -> Tensor:
        """images (B · V, 3, H, W) in 0..1, overwritten → (B, V, 3, H, W)"""
        images = images.mul_(self.scale[:, None, None]).add_(self.shift[:, None, None])
        images = images.contiguous(memory_format=torch.channels_last)
        return images.view(-1, views, *images.shape[1:])
