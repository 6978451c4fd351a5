"""Transfer of batches from the memory into which they were gathered to the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from medloom_trainer.inference.batches.batch import Batch

_ALIGNMENT = 64
"""In bytes; a multiple of the size of every number."""


@dataclass(frozen=True)
class Sent:
    """A batch in transfer to the device."""

    batch: Batch
    copied: torch.cuda.Event | None = None
    """After the last copy; None if nothing is being copied."""

    def wait(self) -> None:
        """Wait until nothing reads the memory into which it was gathered."""
        if self.copied is not None:
            self.copied.synchronize()


class Transfer(Protocol):
    """Transfer of batches from host memory to a device."""

    def allocate(self, size: int) -> Tensor:
        """(size,) uint8 on the CPU, for gathering."""
        ...

    def send(self, batch: Batch) -> Sent:
        """Called by a reader, ahead of the consumer."""
        ...

    def receive(self, sent: Sent) -> Batch:
        """Return the batch on the device. Called by the consumer, who has finished with it when it requests
        the next one."""
        ...


def transfer_to(device: torch.device) -> Transfer:
    """Return the transfer for a device: overlapped with computation on CUDA, direct elsewhere."""
    return CopyStream(device) if device.type == "cuda" else Direct(device)


class Direct:
    """The CPU computes on the gathered batch; for other devices the consumer copies, and waits for the
    copy."""

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def allocate(self, size: int) -> Tensor:
        return torch.empty(size, dtype=torch.uint8)

    def send(self, batch: Batch) -> Sent:
        return Sent(batch)

    def receive(self, sent: Sent) -> Batch:
        return sent.batch.to(self._device)


class CopyStream:
    """CUDA: copies from pinned memory in a separate stream, concurrently with the computation. The host does
    not wait for them; the computing stream waits for those of its batch.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]

    def allocate(self, size: int) -> Tensor:
        with torch.cuda.device(self._device):  # readers are threads, whose default device is the first one
            return torch.empty(size, dtype=torch.uint8, pin_memory=True)

    def send(self, batch: Batch) -> Sent:
        with torch.cuda.stream(self._stream):
            there = carry(batch, self.allocate, lambda block: block.to(self._device, non_blocking=True))
            return Sent(there, self._stream.record_event())

    def receive(self, sent: Sent) -> Batch:
        computing = torch.cuda.current_stream(self._device)
        assert sent.copied is not None
        computing.wait_event(sent.copied)
        # Memory of the copying stream: it must not be assigned to a later batch during the computation of
        # this one.
        for tensor in sent.batch.tensors():
            tensor.record_stream(computing)
        return sent.batch


def carry(batch: Batch, allocate: Callable[[int], Tensor], copy: Callable[[Tensor], Tensor]) -> Batch:
    """Two copies: the images from their memory, and all other tensors in one block."""
    others = [tensor for tensor in batch.tensors() if tensor is not batch.images]
    block = allocate(sum(map(_room, others)))
    for place, tensor in zip(_places(block, others), others, strict=True):
        place.copy_(tensor.flatten().view(torch.uint8))
    parts = zip(_places(copy(block), others), others, strict=True)
    return batch.each(lambda tensor: copy(tensor) if tensor is batch.images else _unpacked(*next(parts)))


def _unpacked(place: Tensor, like: Tensor) -> Tensor:
    return place.view(like.dtype).view(like.shape)


def _places(block: Tensor, tensors: Sequence[Tensor]) -> Iterator[Tensor]:
    """The bytes of each tensor in the block."""
    start = 0
    for tensor in tensors:
        yield block[start : start + tensor.nbytes]
        start += _room(tensor)


def _room(tensor: Tensor) -> int:
    return -(-tensor.nbytes // _ALIGNMENT) * _ALIGNMENT
