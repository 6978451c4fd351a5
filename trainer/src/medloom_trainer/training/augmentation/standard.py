"""Augmentation by a named strength."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from medloom_trainer.inference.batches import RandomNumbers
from medloom_trainer.training.augmentation.augmenter import Augmenter
from medloom_trainer.training.augmentation.draws import Draws, per_image, rectangles, resample
from medloom_trainer.training.augmentation.methods import MethodAugmentation


@dataclass(frozen=True)
class Strength:
    """Largest change of each kind; a change is drawn uniformly up to this value, in both directions."""

    rotation: float
    """In degrees."""
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
    """Probability that one rectangle of the image is blanked."""


STRENGTHS = {
    "light": Strength(10, 0.05, 0.05, 0.1, 0.1, 0, 0),
    "medium": Strength(20, 0.1, 0.1, 0.2, 0.2, 0.02, 0.1),
    "strong": Strength(30, 0.2, 0.15, 0.3, 0.3, 0.05, 0.3),
}
_ERASED_SIDE = (0.1, 0.35)
"""Sides of the blanked rectangle, as shares of the sides of the image."""


def build_augmentation(
    setting: str | dict[str, Any], *, horizontal_flip: bool, seed: int, shades: bool = True
) -> Augmenter:
    """setting: the value of data.augmentation, a name or contract AugmentationPlan. shades: intensities may
    change.
    """
    if isinstance(setting, str):
        return Augmentation(setting, horizontal_flip=horizontal_flip, seed=seed, shades=shades)
    return MethodAugmentation(setting, horizontal_flip=horizontal_flip, seed=seed, shades=shades)


class Augmentation(Augmenter):
    """Without a strength and without flips it returns its input."""

    def __init__(self, name: str, *, horizontal_flip: bool, seed: int, shades: bool = True) -> None:
        """shades: intensities may change."""
        self.shades = shades
        self.strength = STRENGTHS.get(name)
        self.horizontal_flip = horizontal_flip
        self.seed = seed

    @property
    def changes_nothing(self) -> bool:
        return self.strength is None and not self.horizontal_flip

    def _draw(self, draws: Draws) -> RandomNumbers:
        if self.strength is None:
            numbers = {"flip": draws.rand() < 0.5}
        else:
            numbers = self._draw_strength(draws, self.strength)
        return RandomNumbers(numbers, draws.generator.initial_seed(), draws.views)

    def _draw_strength(self, draws: Draws, strength: Strength) -> dict[str, Tensor]:
        numbers = {"matrices": self._matrices(draws, strength)}
        if self.shades:
            numbers["contrast"] = 1 + draws.uniform() * strength.contrast
            numbers["brightness"] = draws.uniform() * strength.brightness
        if strength.erasing:
            low, high = _ERASED_SIDE
            sides = low + (high - low) * draws.rand(2)
            corner = draws.rand(2) * (1 - sides)
            numbers["corners"] = torch.stack([corner, corner + sides], dim=1)
            numbers["erased"] = draws.rand() < strength.erasing
        return numbers

    def _matrices(self, draws: Draws, strength: Strength) -> Tensor:
        """(N, 2, 3) rotation, scale, translation and flip combined, for `resample`."""
        height, width = draws.height, draws.width
        angle = draws.uniform() * math.radians(strength.rotation)
        zoom = 1 / (1 + draws.uniform() * strength.scale)
        shift = 2 * strength.translation * draws.uniform(2)
        mirror = torch.ones(len(angle))
        if self.horizontal_flip:
            mirror = torch.where(draws.rand() < 0.5, -1.0, 1.0)
        # Positions of the result → positions of the source, in units of half a side; angles refer to pixels.
        sine, cosine = angle.sin() * zoom, angle.cos() * zoom
        return torch.stack(
            [
                torch.stack([cosine * mirror, -sine * height / width, shift[:, 0]], dim=1),
                torch.stack([sine * mirror * width / height, cosine, shift[:, 1]], dim=1),
            ],
            dim=1,
        )

    def apply(self, images: Tensor, drawn: RandomNumbers) -> Tensor:
        numbers = drawn.numbers
        if self.strength is None:
            return torch.where(per_image(numbers["flip"]), images.flip(3), images)
        images = resample(images, numbers["matrices"])  # a copy, changed in place from here
        if self.shades:
            images = self._change_intensities(images, self.strength, drawn)
        if self.strength.erasing:
            blank = rectangles(images, numbers["corners"])
            images = images.masked_fill_(blank[:, None] & per_image(numbers["erased"]), 0)
        return images.clamp_(0, 1)

    def _change_intensities(self, images: Tensor, strength: Strength, drawn: RandomNumbers) -> Tensor:
        contrast = per_image(drawn.numbers["contrast"])
        brightness = per_image(drawn.numbers["brightness"])
        mean = drawn.mean(images)
        images = images.mul_(contrast).add_(mean * (1 - contrast) + brightness)
        if strength.noise:
            images.add_(drawn.normal(images), alpha=strength.noise)
        return images
