"""From the memory that a batch was gathered into to the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from medloom_trainer.training.batches.batch import Batch

_ALIGNMENT = 64
"""Bytes; a multiple of the size of every number."""


@dataclass(frozen=True)
class Sent:
    """A batch on its way to the device."""

    batch: Batch
    copied: torch.cuda.Event | None = None
    """After the last copy; None where nothing is on the way."""

    def wait(self) -> None:
        """Until the memory that it was gathered into is no longer read."""
        if self.copied is not None:
            self.copied.synchronize()


class Transfer(Protocol):
    def allocate(self, size: int) -> Tensor:
        """(size,) uint8 on the CPU, to gather into."""
        ...

    def send(self, batch: Batch) -> Sent:
        """Called by a reader, ahead of the consumer."""
        ...

    def receive(self, sent: Sent) -> Batch:
        """On the device. Called by the consumer, who is done with it when it asks for the next one."""
        ...


def transfer_to(device: torch.device) -> Transfer:
    return CopyStream(device) if device.type == "cuda" else Direct(device)


class Direct:
    """The CPU computes where batches were gathered; for others the consumer copies, and waits for it."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def allocate(self, size: int) -> Tensor:
        return torch.empty(size, dtype=torch.uint8)

    def send(self, batch: Batch) -> Sent:
        return Sent(batch)

    def receive(self, sent: Sent) -> Batch:
        return sent.batch.to(self._device)


class CopyStream:
    """CUDA: copies from pinned memory in a stream of their own, beside what is computed; the host waits for
    none of them, the stream that computes for those of its batch.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]

    def allocate(self, size: int) -> Tensor:
        with torch.cuda.device(self._device):  # readers are threads, whose device is the first one
            return torch.empty(size, dtype=torch.uint8, pin_memory=True)

    def send(self, batch: Batch) -> Sent:
        with torch.cuda.stream(self._stream):
            there = carry(batch, self.allocate, lambda block: block.to(self._device, non_blocking=True))
            return Sent(there, self._stream.record_event())

    def receive(self, sent: Sent) -> Batch:
        computing = torch.cuda.current_stream(self._device)
        assert sent.copied is not None
        computing.wait_event(sent.copied)
        # Memory of the copying stream: it may not be given to a later batch while this one is computed.
        for tensor in sent.batch.tensors():
            tensor.record_stream(computing)
        return sent.batch


def carry(batch: Batch, allocate: Callable[[int], Tensor], copy: Callable[[Tensor], Tensor]) -> Batch:
    """Two copies: the images where they are, and all that is beside them in one block."""
    beside = [tensor for tensor in batch.tensors() if tensor is not batch.images]
    block = allocate(sum(map(_room, beside)))
    for place, tensor in zip(_places(block, beside), beside, strict=True):
        place.copy_(tensor.flatten().view(torch.uint8))
    parts = zip(_places(copy(block), beside), beside, strict=True)
    return batch.each(lambda tensor: copy(tensor) if tensor is batch.images else _unpacked(*next(parts)))


def _unpacked(place: Tensor, like: Tensor) -> Tensor:
    return place.view(like.dtype).view(like.shape)


def _places(block: Tensor, tensors: Sequence[Tensor]) -> Iterator[Tensor]:
    """The bytes of each in the block."""
    start = 0
    for tensor in tensors:
        yield block[start : start + tensor.nbytes]
        start += _room(tensor)


def _room(tensor: Tensor) -> int:
    return -(-tensor.nbytes // _ALIGNMENT) * _ALIGNMENT
