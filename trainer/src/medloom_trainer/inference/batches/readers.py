"""Batches that are read ahead of the loop and transferred to the device."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

import numpy.typing as npt
import torch

from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.inference.batches.batch import Batch, Draw, FrozenFeatures, gather
from medloom_trainer.inference.batches.ordered_map import map_in_order
from medloom_trainer.inference.batches.plan import Indices
from medloom_trainer.inference.batches.ring import Ring
from medloom_trainer.inference.batches.transfer import Sent, transfer_to
from medloom_trainer.inference.devices import cores

BATCHES_AHEAD = 2
"""Batches for each reader, in addition to the current one. Memory grows with this number and the batch, never
with the dataset."""
_MOST_READERS = 4


def readers_for(device: torch.device, store: ImageStore | None) -> int:
    """One reader on the CPU, whose cores compute: reading a batch takes a fraction of its training time. A
    GPU has up to four readers, for half of the cores.
    """
    if device.type == "cpu" or store is None:
        return 1
    return max(1, min(_MOST_READERS, cores() // 2))


def read_ahead(
    cases: Cases,
    store: ImageStore | None,
    batches: Sequence[Indices],
    *,
    device: torch.device,
    labels: npt.NDArray[Any] | None = None,
    features: FrozenFeatures | None = None,
    draw: Callable[[int], Draw] | None = None,
    readers: int | None = None,
) -> Generator[Batch]:
    """Yield `batches` in their order, gathered in threads. A batch is valid until the next one is requested:
    then its images are overwritten. Closing the iterator ends the threads.

    draw: position in `batches` → function that draws its random numbers.
    """
    readers = readers or readers_for(device, store)
    ahead = BATCHES_AHEAD * readers
    transfer = transfer_to(device)
    ring = Ring(ahead + 1, transfer.allocate)  # one is in use

    def read(number: int) -> Sent:
        batch = gather(
            cases,
            store,
            batches[number],
            labels=labels,
            features=features,
            allocate=partial(ring.block, number),
            draw=None if draw is None else draw(number),
        )
        sent = transfer.send(batch)
        ring.hold(number, sent.wait)
        return sent

    with closing(map_in_order(read, len(batches), threads=readers, ahead=ahead)) as ready:
        for sent in ready:
            yield transfer.receive(sent)
