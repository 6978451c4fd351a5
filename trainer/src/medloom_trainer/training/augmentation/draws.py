"""What the augmentations share: random numbers of a batch, and changes of the geometry of images."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


class Draws:
    """Random numbers of one batch, the same for all views of a case: slices of one volume stay slices of one
    volume. Small draws are made on the CPU, so that they are the same on every device.
    """

    def __init__(self, seed: int, epoch: int, batch: int, rank: int, views: int) -> None:
        stream = np.random.SeedSequence([seed, epoch, batch, rank]).generate_state(1, np.uint64)[0]
        self.generator = torch.Generator().manual_seed(int(stream) & (2**63 - 1))
        self.views = views

    def rand(self, images: Tensor, *shape: int) -> Tensor:
        """(N, *shape) between 0 and 1 for N images, those of a case after each other."""
        cases = len(images) // self.views
        return torch.rand(cases, *shape, generator=self.generator).repeat_interleave(self.views, dim=0)

    def uniform(self, images: Tensor, *shape: int) -> Tensor:
        """As `rand`, between −1 and 1."""
        return self.rand(images, *shape) * 2 - 1

    def mean(self, images: Tensor) -> Tensor:
        """(N, 1, 1, 1) of the pixels of each case."""
        of_case = images.reshape(-1, self.views * images[0].numel()).mean(dim=1)
        return of_case.repeat_interleave(self.views)[:, None, None, None]


def beside(values: Tensor, images: Tensor) -> Tensor:
    """Small draws, on the device of `images`. From pinned memory: the host does not wait for a GPU that is
    still busy with the step before.
    """
    if images.device.type != "cuda":
        return values.to(images.device)
    return values.pin_memory().to(images.device, non_blocking=True)


def per_image(values: Tensor, images: Tensor) -> Tensor:
    """values (N,) → (N, 1, 1, 1), on the device of `images`."""
    return beside(values, images)[:, None, None, None]


def resample(images: Tensor, matrices: Tensor) -> Tensor:
    """matrices (N, 2, 3): positions of the result → positions of the source, in units of half a side. What
    comes from outside is black.
    """
    positions = F.affine_grid(beside(matrices, images), list(images.shape), align_corners=False)
    return F.grid_sample(images, positions, mode="bilinear", padding_mode="zeros", align_corners=False)


def rectangles(images: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """start, end (N, 2): the corners (row, column) of one rectangle per image, as shares of its sides →
    (N, H, W) True inside.
    """
    start, end = beside(start, images), beside(end, images)
    height, width = images.shape[2:]
    rows = (torch.arange(height, device=images.device) + 0.5) / height
    columns = (torch.arange(width, device=images.device) + 0.5) / width
    inside_rows = (rows >= start[:, :1]) & (rows < end[:, :1])  # (N, H)
    inside_columns = (columns >= start[:, 1:]) & (columns < end[:, 1:])  # (N, W)
    return inside_rows[:, :, None] & inside_columns[:, None, :]
