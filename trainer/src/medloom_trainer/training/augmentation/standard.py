"""Augmentation of training images: whole batches, on the device, a pure function of (seed, epoch, batch)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from medloom_trainer.training.augmentation.draws import (
    Draws,
    per_image,
    rectangles,
    resample,
)
from medloom_trainer.training.augmentation.methods import MethodAugmentation


@dataclass(frozen=True)
class Strength:
    """Largest change of each kind; a change is drawn uniformly from none to this, in both directions."""

    rotation: float
    """Degrees."""
    scale: float
    """Share of the size."""
    translation: float
    """Share of the side."""
    brightness: float
    """Share of the full range."""
    contrast: float
    """Share of the distance from the mean of the case."""
    noise: float
    """Standard deviation, as a share of the full range."""
    erasing: float
    """Chance that one rectangle of the image is blanked."""


STRENGTHS = {
    "light": Strength(10, 0.05, 0.05, 0.1, 0.1, 0, 0),
    "medium": Strength(20, 0.1, 0.1, 0.2, 0.2, 0.02, 0.1),
    "strong": Strength(30, 0.2, 0.15, 0.3, 0.3, 0.05, 0.3),
}
_ERASED_SIDE = (0.1, 0.35)
"""Sides of the blanked rectangle, as shares of the sides of the image."""


def build_augmentation(
    setting: str | dict[str, Any], *, horizontal_flip: bool, seed: int, shades: bool = True
) -> Augmentation | MethodAugmentation:
    """setting: the value of data.augmentation, a name or contract AugmentationPlan. shades: whether
    intensities may change.
    """
    if isinstance(setting, str):
        return Augmentation(setting, horizontal_flip=horizontal_flip, seed=seed, shades=shades)
    return MethodAugmentation(setting, horizontal_flip=horizontal_flip, seed=seed, shades=shades)


class Augmentation:
    """images (N, 3, H, W) in 0..1, the `views` of a case after each other → the same shape and range. Without
    a strength and without flips it returns what it is given.
    """

    def __init__(self, name: str, *, horizontal_flip: bool, seed: int, shades: bool = True) -> None:
        """shades: whether intensities may change."""
        self.shades = shades
        self.strength = STRENGTHS.get(name)
        self.horizontal_flip = horizontal_flip
        self.seed = seed

    @property
    def changes_nothing(self) -> bool:
        return self.strength is None and not self.horizontal_flip

    def __call__(self, images: Tensor, *, epoch: int, batch: int, rank: int = 0, views: int = 1) -> Tensor:
        if self.changes_nothing:
            return images
        draws = Draws(self.seed, epoch, batch, rank, views)
        if self.strength is None:
            flip = draws.rand(images) < 0.5
            return torch.where(per_image(flip, images), images.flip(3), images)
        images = self._move(images, self.strength, draws)
        return self._shade(images, self.strength, draws).clamp_(0, 1)

    def _move(self, images: Tensor, strength: Strength, draws: Draws) -> Tensor:
        """Rotation, scale, translation and flip in one resampling; what comes from outside is black."""
        height, width = images.shape[2:]
        angle = draws.uniform(images) * math.radians(strength.rotation)
        zoom = 1 / (1 + draws.uniform(images) * strength.scale)
        shift = 2 * strength.translation * draws.uniform(images, 2)
        mirror = torch.ones(len(images))
        if self.horizontal_flip:
            mirror = torch.where(draws.rand(images) < 0.5, -1.0, 1.0)
        # Positions of the result → positions of the source, in units of half a side; angles hold in pixels.
        sine, cosine = angle.sin() * zoom, angle.cos() * zoom
        rows = torch.stack(
            [
                torch.stack([cosine * mirror, -sine * height / width, shift[:, 0]], dim=1),
                torch.stack([sine * mirror * width / height, cosine, shift[:, 1]], dim=1),
            ],
            dim=1,
        )  # (N, 2, 3)
        return resample(images, rows)

    def _shade(self, images: Tensor, strength: Strength, draws: Draws) -> Tensor:
        """Brightness, contrast, noise and erasing, in place: `images` is already our own copy."""
        if self.shades:
            images = self._change_intensities(images, strength, draws)
        if strength.erasing:
            low, high = _ERASED_SIDE
            sides = low + (high - low) * draws.rand(images, 2)
            corner = draws.rand(images, 2) * (1 - sides)
            chosen = draws.rand(images) < strength.erasing
            blank = rectangles(images, corner, corner + sides)
            images = images.masked_fill_(blank[:, None] & per_image(chosen, images), 0)
        return images

    def _change_intensities(self, images: Tensor, strength: Strength, draws: Draws) -> Tensor:
        contrast = per_image(1 + draws.uniform(images) * strength.contrast, images)
        brightness = per_image(draws.uniform(images) * strength.brightness, images)
        mean = draws.mean(images)
        images = images.mul_(contrast).add_(mean * (1 - contrast) + brightness)
        if strength.noise:
            on_device = torch.Generator(images.device).manual_seed(draws.generator.initial_seed())
            noise = torch.randn(images.shape, generator=on_device, device=images.device, dtype=images.dtype)
            images.add_(noise, alpha=strength.noise)
        return images
