"""What the augmentations share: random numbers of a batch, and changes of the geometry of images."""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor


def draws_of(seed: int, epoch: int, batch: int, rank: int) -> torch.Generator:
    """Random numbers of one batch. Small draws are made on the CPU, so that they are the same on every
    device.
    """
    stream = np.random.SeedSequence([seed, epoch, batch, rank]).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(stream) & (2**63 - 1))


def uniform(count: int, generator: torch.Generator) -> Tensor:
    """(N,) between −1 and 1."""
    return torch.rand(count, generator=generator) * 2 - 1


def per_image(values: Tensor, images: Tensor) -> Tensor:
    """values (N,) → (N, 1, 1, 1), on the device of `images`."""
    return values.to(images)[:, None, None, None]


def resample(images: Tensor, matrices: Tensor) -> Tensor:
    """matrices (N, 2, 3): positions of the result → positions of the source, in units of half a side. What
    comes from outside is black.
    """
    positions = F.affine_grid(matrices.to(images), list(images.shape), align_corners=False)
    return F.grid_sample(images, positions, mode="bilinear", padding_mode="zeros", align_corners=False)


def rectangles(images: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """start, end (N, 2): the corners (row, column) of one rectangle per image, as shares of its sides →
    (N, H, W) True inside.
    """
    start, end = start.to(images), end.to(images)
    height, width = images.shape[2:]
    rows = (torch.arange(height, device=images.device) + 0.5) / height
    columns = (torch.arange(width, device=images.device) + 0.5) / width
    inside_rows = (rows >= start[:, :1]) & (rows < end[:, :1])  # (N, H)
    inside_columns = (columns >= start[:, 1:]) & (columns < end[:, 1:])  # (N, W)
    return inside_rows[:, :, None] & inside_columns[:, None, :]
