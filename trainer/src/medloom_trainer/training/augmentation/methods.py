"""Augmentation by chosen methods: each is applied to an image with the same probability, as strongly as the
intensity says. Whole batches, on the device, a pure function of (seed, epoch, batch).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from medloom_trainer.training.augmentation.draws import (
    Draws,
    beside,
    per_image,
    rectangles,
    resample,
)

_Method = Callable[[Tensor, float, Draws], Tensor]
"""(images (N, 3, H, W) in 0..1, intensity 0..1, draws) → all of them changed."""


class MethodAugmentation:
    """images (N, 3, H, W) in 0..1, the `views` of a case after each other → the same shape and range.

    plan: contract AugmentationPlan; methods are applied in the order of METHODS, whatever their order there.
    """

    def __init__(
        self, plan: dict[str, Any], *, horizontal_flip: bool, seed: int, shades: bool = True
    ) -> None:
        """shades: whether methods may change intensities."""
        chosen = {*plan["methods"], *(["horizontal_flip"] if horizontal_flip else [])}
        chosen -= set() if shades else SHADES
        self.methods = [(name, METHODS[name]) for name in METHODS if name in chosen]
        self.probability = float(plan["probability"])
        self.intensity = float(plan["intensity"])
        self.mirror = horizontal_flip
        self.seed = seed

    @property
    def changes_nothing(self) -> bool:
        return not self.methods

    def __call__(self, images: Tensor, *, epoch: int, batch: int, rank: int = 0, views: int = 1) -> Tensor:
        draws = Draws(self.seed, epoch, batch, rank, views)
        for name, method in self.methods:
            # data.horizontal_flip mirrors half of the images, as it does beside the named strengths.
            chance = 0.5 if self.mirror and name == "horizontal_flip" else self.probability
            chosen = draws.rand(images) < chance
            changed = method(images, self.intensity, draws)
            images = torch.where(per_image(chosen, images), changed, images)
        return images.clamp(0, 1)


def _flip(side: int) -> _Method:
    return lambda images, intensity, draws: images.flip(side)


def _rotate(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """Up to 45 degrees either way; what comes from outside is black."""
    angle = draws.uniform(images) * math.radians(45) * intensity
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


def _crop(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """A window of at least half of each side at full intensity, anywhere inside, brought back to the full
    size.
    """
    share = 1 - 0.5 * intensity * draws.rand(images)
    center = draws.uniform(images, 2) * (1 - share)[:, None]
    zero = torch.zeros_like(share)
    rows = torch.stack(
        [torch.stack([share, zero, center[:, 0]], dim=1), torch.stack([zero, share, center[:, 1]], dim=1)],
        dim=1,
    )
    return resample(images, rows)


def _brighten(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """Up to 0.4 of the range, either way."""
    return (images + per_image(draws.uniform(images) * 0.4 * intensity, images)).clamp(0, 1)


def _contrast(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """The distance from the mean of the case grows or shrinks by up to 0.6."""
    factor = per_image(1 + draws.uniform(images) * 0.6 * intensity, images)
    mean = draws.mean(images)
    return ((images - mean) * factor + mean).clamp(0, 1)


def _gamma(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """An exponent between a half and two."""
    return images.clamp(0, 1) ** per_image(2 ** (draws.uniform(images) * intensity), images)


def _noise(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """Gaussian, with a deviation of up to 0.1 of the range."""
    deviation = per_image(draws.rand(images) * 0.1 * intensity, images)
    seed = int(torch.randint(2**62, (1,), generator=draws.generator))
    on_device = torch.Generator(images.device).manual_seed(seed)
    drawn = torch.randn(images.shape, generator=on_device, device=images.device, dtype=images.dtype)
    return (images + drawn * deviation).clamp(0, 1)


def _blur(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """Gaussian, with a deviation of up to 2 % of the shorter side."""
    largest = 0.02 * min(images.shape[2:])
    sigma = (draws.rand(images) * largest * intensity).clamp(min=1e-3)
    radius = min(max(1, math.ceil(3 * largest * intensity)), min(images.shape[2:]) - 1)
    steps = torch.arange(-radius, radius + 1, dtype=torch.float32)
    weights = torch.exp(-0.5 * (steps[None] / sigma[:, None]) ** 2)
    weights = beside(weights / weights.sum(dim=1, keepdim=True), images)  # (N, 2 r + 1)
    count, channels, height, width = images.shape
    kernels = weights.repeat_interleave(channels, dim=0)
    # All images of the batch side by side as channels: every image has a kernel of its own.
    flat = images.reshape(1, count * channels, height, width)
    flat = F.pad(flat, (radius, radius, radius, radius), mode="reflect")
    flat = F.conv2d(flat, kernels[:, None, None, :], groups=count * channels)
    flat = F.conv2d(flat, kernels[:, None, :, None], groups=count * channels)
    return flat.reshape(images.shape)


def _erase(images: Tensor, intensity: float, draws: Draws) -> Tensor:
    """A black rectangle with sides of up to half of the image."""
    sides = 0.5 * intensity * draws.rand(images, 2)
    start = draws.rand(images, 2) * (1 - sides)
    return images.masked_fill(rectangles(images, start, start + sides)[:, None], 0)


SHADES = frozenset({"brightness", "contrast", "gamma", "noise"})
"""Methods that change intensities."""
METHODS: dict[str, _Method] = {
    "horizontal_flip": _flip(3),
    "vertical_flip": _flip(2),
    "rotation": _rotate,
    "crop": _crop,
    "brightness": _brighten,
    "contrast": _contrast,
    "gamma": _gamma,
    "noise": _noise,
    "blur": _blur,
    "erasing": _erase,
}
