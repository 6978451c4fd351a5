"""Random numbers that were drawn for the images of a batch, which travel to the device with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class RandomNumbers:
    """Random numbers for the N images of a batch: a few numbers for each, whatever its size."""

    numbers: dict[str, Tensor]
    """(N, …) by the method that reads them."""
    seed: int
    """Seed of the numbers of every pixel, which the device of the images draws."""
    views: int
    """Views of a case, in sequence."""

    def each(self, change: Callable[[Tensor], Tensor]) -> RandomNumbers:
        return replace(self, numbers={name: change(values) for name, values in self.numbers.items()})

    def normal(self, images: Tensor) -> Tensor:
        """A number for every pixel, with mean 0 and standard deviation 1."""
        generator = torch.Generator(images.device).manual_seed(self.seed)
        return torch.randn(images.shape, generator=generator, device=images.device, dtype=images.dtype)

    def mean(self, images: Tensor) -> Tensor:
        """(N, 1, 1, 1) mean of the pixels of each case."""
        of_case = images.reshape(-1, self.views * images[0].numel()).mean(dim=1)
        return of_case.repeat_interleave(self.views)[:, None, None, None]
