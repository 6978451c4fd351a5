"""Memory that batches are gathered into, used again and again."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor


class Ring:
    """`size` blocks; batch `number` lies in block number % size.

    Nobody asks for the block of a batch before the consumer is done with the batch that had it: `read_ahead`
    reads fewer than `size` batches beyond the one in use. Where a device copies from the block, it also waits
    for the end of that copy.
    """

    def __init__(self, size: int, allocate: Callable[[int], Tensor]) -> None:
        """allocate: bytes → (bytes,) uint8"""
        self._allocate = allocate
        self._blocks = [torch.empty(0, dtype=torch.uint8)] * size
        self._copied: list[Callable[[], object]] = [_at_once] * size

    def block(self, number: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """For batch `number`; its content is what was left there. Allocated once, or for a larger batch."""
        place, size = number % len(self._blocks), math.prod(shape) * dtype.itemsize
        self._copied[place]()
        if len(self._blocks[place]) < size:
            self._blocks[place] = self._allocate(size)
        return self._blocks[place][:size].view(dtype).view(shape)

    def hold(self, number: int, copied: Callable[[], object]) -> None:
        """`copied` returns when the block of batch `number` is no longer read by the device."""
        self._copied[number % len(self._blocks)] = copied


def _at_once() -> None:
    pass
