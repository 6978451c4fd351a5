"""Memory into which batches are gathered, used repeatedly."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor


class Ring:
    """`size` blocks; batch `number` uses block number % size.

    The block of a batch is only requested after the consumer has finished with its previous batch:
    `read_ahead` reads fewer than `size` batches beyond the one in use. If a device copies from the block, the
    ring also waits for the end of that copy.
    """

    def __init__(self, size: int, allocate: Callable[[int], Tensor]) -> None:
        """allocate: bytes → (bytes,) uint8"""
        self._allocate = allocate
        self._blocks = [torch.empty(0, dtype=torch.uint8)] * size
        self._copied: list[Callable[[], object]] = [_at_once] * size

    def block(self, number: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """Block for batch `number`; its content is undefined. Allocated once, or again for a larger batch."""
        place, size = number % len(self._blocks), math.prod(shape) * dtype.itemsize
        self._copied[place]()
        if len(self._blocks[place]) < size:
            self._blocks[place] = self._allocate(size)
        return self._blocks[place][:size].view(dtype).view(shape)

    def hold(self, number: int, copied: Callable[[], object]) -> None:
        """`copied` returns when the device no longer reads the block of batch `number`."""
        self._copied[number % len(self._blocks)] = copied


def _at_once() -> None:
    pass
