"""Augmentation by chosen methods: each is applied to an image with the same chance, as far as the intensity
says. Whole batches, on the device, a pure function of (seed, epoch, batch).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

Method = Callable[[Tensor, float, torch.Generator], Tensor]
"""(images (N, 3, H, W) in 0..1, intensity 0..1, draws) → all of them changed."""


def draws_of(seed: int, epoch: int, batch: int, rank: int) -> torch.Generator:
    """Random numbers of one batch. Small draws are made on the CPU, so that they are the same on every
    device.
    """
    stream = np.random.SeedSequence([seed, epoch, batch, rank]).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(stream) & (2**63 - 1))


class MethodAugmentation:
    """images (N, 3, H, W) in 0..1 → the same shape and range.

    plan: contract AugmentationPlan; methods are applied in the order of METHODS, whatever their order there.
    """

    def __init__(self, plan: dict[str, Any], *, horizontal_flip: bool, seed: int) -> None:
        chosen = {*plan["methods"], *(["horizontal_flip"] if horizontal_flip else [])}
        self.methods = [(name, METHODS[name]) for name in METHODS if name in chosen]
        self.probability = float(plan["probability"])
        self.intensity = float(plan["intensity"])
        self.mirror = horizontal_flip
        self.seed = seed

    def __call__(self, images: Tensor, *, epoch: int, batch: int, rank: int = 0) -> Tensor:
        generator = draws_of(self.seed, epoch, batch, rank)
        for name, method in self.methods:
            # data.horizontal_flip mirrors half of the images, as it does beside the named strengths.
            chance = 0.5 if self.mirror and name == "horizontal_flip" else self.probability
            chosen = torch.rand(images.shape[0], generator=generator) < chance
            changed = method(images, self.intensity, generator)
            images = torch.where(chosen.to(images.device)[:, None, None, None], changed, images)
        return images.clamp(0, 1)


def flip(side: int) -> Method:
    return lambda images, intensity, generator: images.flip(side)


def rotate(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """Up to 45 degrees either way; what comes from outside is black."""
    angle = spread(len(images), generator) * math.radians(45) * intensity
    height, width = images.shape[2:]
    zero = torch.zeros_like(angle)
    rows = torch.stack(
        [
            torch.stack([angle.cos(), -angle.sin() * height / width, zero], dim=1),
            torch.stack([angle.sin() * width / height, angle.cos(), zero], dim=1),
        ],
        dim=1,
    )
    return resample(images, rows)


def crop(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """A window of at least half of each side at full intensity, anywhere inside, brought back to the full
    size.
    """
    share = 1 - 0.5 * intensity * torch.rand(len(images), generator=generator)
    centre = (torch.rand(len(images), 2, generator=generator) * 2 - 1) * (1 - share)[:, None]
    zero = torch.zeros_like(share)
    rows = torch.stack(
        [torch.stack([share, zero, centre[:, 0]], dim=1), torch.stack([zero, share, centre[:, 1]], dim=1)],
        dim=1,
    )
    return resample(images, rows)


def brighten(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """Up to 0.4 of the range, either way."""
    return (images + each(spread(len(images), generator) * 0.4 * intensity, images)).clamp(0, 1)


def contrast(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """The distance from the mean of the image grows or shrinks by up to 0.6."""
    factor = each(1 + spread(len(images), generator) * 0.6 * intensity, images)
    mean = images.mean(dim=(1, 2, 3), keepdim=True)
    return ((images - mean) * factor + mean).clamp(0, 1)


def gamma(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """An exponent between a half and two."""
    return images.clamp(0, 1) ** each(2 ** (spread(len(images), generator) * intensity), images)


def noise(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """Gaussian, with a deviation of up to 0.1 of the range."""
    deviation = each(torch.rand(len(images), generator=generator) * 0.1 * intensity, images)
    seed = int(torch.randint(2**62, (1,), generator=generator))
    on_device = torch.Generator(images.device).manual_seed(seed)
    drawn = torch.randn(images.shape, generator=on_device, device=images.device, dtype=images.dtype)
    return (images + drawn * deviation).clamp(0, 1)


def blur(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """Gaussian, with a deviation of up to 2 % of the shorter side."""
    largest = 0.02 * min(images.shape[2:])
    sigma = (torch.rand(len(images), generator=generator) * largest * intensity).clamp(min=1e-3)
    radius = min(max(1, math.ceil(3 * largest * intensity)), min(images.shape[2:]) - 1)
    steps = torch.arange(-radius, radius + 1, dtype=torch.float32)
    weights = torch.exp(-0.5 * (steps[None] / sigma[:, None]) ** 2)
    weights = (weights / weights.sum(dim=1, keepdim=True)).to(images)  # (N, 2 r + 1)
    count, channels, height, width = images.shape
    kernels = weights.repeat_interleave(channels, dim=0)
    # All images of the batch side by side as channels: every image has a kernel of its own.
    flat = images.reshape(1, count * channels, height, width)
    flat = F.pad(flat, (radius, radius, radius, radius), mode="reflect")
    flat = F.conv2d(flat, kernels[:, None, None, :], groups=count * channels)
    flat = F.conv2d(flat, kernels[:, None, :, None], groups=count * channels)
    return flat.reshape(images.shape)


def erase(images: Tensor, intensity: float, generator: torch.Generator) -> Tensor:
    """A black rectangle with sides of up to half of the image."""
    height, width = images.shape[2:]
    sides = 0.5 * intensity * torch.rand(len(images), 2, generator=generator)
    start = torch.rand(len(images), 2, generator=generator) * (1 - sides)
    start, end = start.to(images), (start + sides).to(images)
    rows = (torch.arange(height, device=images.device) + 0.5) / height
    columns = (torch.arange(width, device=images.device) + 0.5) / width
    inside_rows = (rows >= start[:, :1]) & (rows < end[:, :1])  # (N, H)
    inside_columns = (columns >= start[:, 1:]) & (columns < end[:, 1:])  # (N, W)
    return images.masked_fill((inside_rows[:, :, None] & inside_columns[:, None, :])[:, None], 0)


def resample(images: Tensor, rows: Tensor) -> Tensor:
    """rows (N, 2, 3): places of the result → places of the source, in units of half a side."""
    places = F.affine_grid(rows.to(images), list(images.shape), align_corners=False)
    return F.grid_sample(images, places, mode="bilinear", padding_mode="zeros", align_corners=False)


def spread(count: int, generator: torch.Generator) -> Tensor:
    """Uniform in −1..1, (N,)."""
    return torch.rand(count, generator=generator) * 2 - 1


def each(values: Tensor, images: Tensor) -> Tensor:
    """(N,) → one number per image."""
    return values.to(images)[:, None, None, None]


METHODS: dict[str, Method] = {
    "horizontal_flip": flip(3),
    "vertical_flip": flip(2),
    "rotation": rotate,
    "crop": crop,
    "brightness": brighten,
    "contrast": contrast,
    "gamma": gamma,
    "noise": noise,
    "blur": blur,
    "erasing": erase,
}
