"""Batches, read ahead by a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator, Sequence
from typing import Any

import numpy.typing as npt
import torch

from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.training.batches.batch import Batch, FrozenFeatures, gather
from medloom_trainer.training.batches.plan import Indices

BATCHES_AHEAD = 2
"""Batches that wait ready. Memory grows with this and with the batch, never with the data set."""


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
