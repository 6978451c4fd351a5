"""Shared functions of the augmentations: random numbers of a batch, and changes of the geometry of images."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


class Draws:
    """The stream of random numbers of one batch, the same for all views of a case, so that slices of one
    volume are changed together. On the CPU, so that they are the same on every device.
    """

    def __init__(
        self, seed: int, epoch: int, batch: int, rank: int, shape: tuple[int, int, int, int]
    ) -> None:
        """shape: cases, views, height and width of the images."""
        stream = np.random.SeedSequence([seed, epoch, batch, rank]).generate_state(1, np.uint64)[0]
        self.generator = torch.Generator().manual_seed(int(stream) & (2**63 - 1))
        self.cases, self.views, self.height, self.width = shape

    def rand(self, *shape: int) -> Tensor:
        """(N, *shape) between 0 and 1 for N images, those of a case in sequence."""
        drawn = torch.rand(self.cases, *shape, generator=self.generator)
        return drawn.repeat_interleave(self.views, dim=0)

    def uniform(self, *shape: int) -> Tensor:
        """Like `rand`, between −1 and 1."""
        return self.rand(*shape) * 2 - 1


def per_image(values: Tensor) -> Tensor:
    """values (N,) → (N, 1, 1, 1)"""
    return values[:, None, None, None]


def resample(images: Tensor, matrices: Tensor) -> Tensor:
    """matrices (N, 2, 3): positions of the result → positions of the source, in units of half a side. Areas
    outside the source are black.
    """
    positions = F.affine_grid(matrices, list(images.shape), align_corners=False)
    return F.grid_sample(images, positions, mode="bilinear", padding_mode="zeros", align_corners=False)


def rectangles(images: Tensor, corners: Tensor) -> Tensor:
    """corners (N, 2, 2): first and last (row, column) of one rectangle for each image, as shares of its sides
    → (N, H, W) True inside.
    """
    start, end = corners[:, 0], corners[:, 1]
    height, width = images.shape[2:]
    rows = (torch.arange(height, device=images.device) + 0.5) / height
    columns = (torch.arange(width, device=images.device) + 0.5) / width
    inside_rows = (rows >= start[:, :1]) & (rows < end[:, :1])  # (N, H)
    inside_columns = (columns >= start[:, 1:]) & (columns < end[:, 1:])  # (N, W)
    return inside_rows[:, :, None] & inside_columns[:, None, :]
