"""Augmentation by chosen methods: each is applied to an image with the same probability, with the configured
intensity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from medloom_trainer.inference.batches import RandomNumbers
from medloom_trainer.training.augmentation.augmenter import Augmenter
from medloom_trainer.training.augmentation.draws import Draws, per_image, rectangles, resample


@dataclass(frozen=True)
class _Method:
    draw: Callable[[Draws, float], Tensor] | None
    """(draws, intensity 0..1) → (N, …) numbers of the images; None if nothing is drawn."""
    change: Callable[[Tensor, Tensor, RandomNumbers], Tensor]
    """(images (N, 3, H, W) in 0..1, these numbers, all drawn values) → all images changed."""


class MethodAugmentation(Augmenter):
    """plan: contract AugmentationPlan; methods are applied in the order of METHODS, not in that of the
    plan.
    """

    def __init__(
        self, plan: dict[str, Any], *, horizontal_flip: bool, seed: int, shades: bool = True
    ) -> None:
        """shades: methods may change intensities."""
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

    def _draw(self, draws: Draws) -> RandomNumbers:
        numbers: dict[str, Tensor] = {}
        seed = 0
        for name, method in self.methods:
            # data.horizontal_flip mirrors half of the images, as with the named strengths.
            chance = 0.5 if self.mirror and name == "horizontal_flip" else self.probability
            numbers[_chosen(name)] = draws.rand() < chance
            if method.draw is not None:
                numbers[name] = method.draw(draws, self.intensity)
            if name == "noise":
                seed = int(torch.randint(2**62, (1,), generator=draws.generator))
        return RandomNumbers(numbers, seed, draws.views)

    def apply(self, images: Tensor, drawn: RandomNumbers) -> Tensor:
        for name, method in self.methods:
            chosen = drawn.numbers[_chosen(name)]
            changed = method.change(images, drawn.numbers.get(name, chosen), drawn)
            images = torch.where(per_image(chosen), changed, images)
        return images.clamp(0, 1)


def _chosen(name: str) -> str:
    return f"{name} chosen"


def _flip(side: int) -> _Method:
    return _Method(None, lambda images, numbers, drawn: images.flip(side))


def _resample(images: Tensor, matrices: Tensor, drawn: RandomNumbers) -> Tensor:
    return resample(images, matrices)


def _rotation(draws: Draws, intensity: float) -> Tensor:
    """Matrices for up to 45 degrees in both directions; areas outside the source are black."""
    angle = draws.uniform() * math.radians(45) * intensity
    height, width = draws.height, draws.width
    zero = torch.zeros_like(angle)
    return torch.stack(
        [
            torch.stack([angle.cos(), -angle.sin() * height / width, zero], dim=1),
            torch.stack([angle.sin() * width / height, angle.cos(), zero], dim=1),
        ],
        dim=1,
    )


def _crop(draws: Draws, intensity: float) -> Tensor:
    """Matrices for a window of at least half of each side at full intensity, anywhere inside, enlarged to the
    full size.
    """
    share = 1 - 0.5 * intensity * draws.rand()
    center = draws.uniform(2) * (1 - share)[:, None]
    zero = torch.zeros_like(share)
    return torch.stack(
        [torch.stack([share, zero, center[:, 0]], dim=1), torch.stack([zero, share, center[:, 1]], dim=1)],
        dim=1,
    )


def _brightness(draws: Draws, intensity: float) -> Tensor:
    """Up to 0.4 of the range, in both directions."""
    return draws.uniform() * 0.4 * intensity


def _brighten(images: Tensor, brightness: Tensor, drawn: RandomNumbers) -> Tensor:
    return (images + per_image(brightness)).clamp(0, 1)


def _contrast(draws: Draws, intensity: float) -> Tensor:
    """The distance from the mean of the case increases or decreases by up to 0.6."""
    return 1 + draws.uniform() * 0.6 * intensity


def _change_contrast(images: Tensor, contrast: Tensor, drawn: RandomNumbers) -> Tensor:
    mean = drawn.mean(images)
    return ((images - mean) * per_image(contrast) + mean).clamp(0, 1)


def _gamma(draws: Draws, intensity: float) -> Tensor:
    """An exponent between a half and two."""
    exponent: Tensor = 2 ** (draws.uniform() * intensity)
    return exponent


def _change_gamma(images: Tensor, exponent: Tensor, drawn: RandomNumbers) -> Tensor:
    changed: Tensor = images.clamp(0, 1) ** per_image(exponent)
    return changed


def _noise(draws: Draws, intensity: float) -> Tensor:
    """The standard deviation of Gaussian noise, up to 0.1 of the range."""
    return draws.rand() * 0.1 * intensity


def _add_noise(images: Tensor, deviation: Tensor, drawn: RandomNumbers) -> Tensor:
    return (images + drawn.normal(images) * per_image(deviation)).clamp(0, 1)


def _blur(draws: Draws, intensity: float) -> Tensor:
    """(N, 2 r + 1) the weights of a Gaussian with a standard deviation of up to 2 % of the shorter side."""
    shorter = min(draws.height, draws.width)
    largest = 0.02 * shorter
    sigma = (draws.rand() * largest * intensity).clamp(min=1e-3)
    radius = min(max(1, math.ceil(3 * largest * intensity)), shorter - 1)
    steps = torch.arange(-radius, radius + 1, dtype=torch.float32)
    weights = torch.exp(-0.5 * (steps[None] / sigma[:, None]) ** 2)
    return weights / weights.sum(dim=1, keepdim=True)


def _convolve(images: Tensor, weights: Tensor, drawn: RandomNumbers) -> Tensor:
    count, channels, height, width = images.shape
    radius = weights.shape[1] // 2
    kernels = weights.repeat_interleave(channels, dim=0)
    # All images of the batch are channels of one image: each has its own kernel.
    flat = images.reshape(1, count * channels, height, width)
    flat = F.pad(flat, (radius, radius, radius, radius), mode="reflect")
    flat = F.conv2d(flat, kernels[:, None, None, :], groups=count * channels)
    flat = F.conv2d(flat, kernels[:, None, :, None], groups=count * channels)
    return flat.reshape(images.shape)


def _rectangle(draws: Draws, intensity: float) -> Tensor:
    """The corners of a rectangle with sides of up to half of the image."""
    sides = 0.5 * intensity * draws.rand(2)
    start = draws.rand(2) * (1 - sides)
    return torch.stack([start, start + sides], dim=1)


def _erase(images: Tensor, corners: Tensor, drawn: RandomNumbers) -> Tensor:
    """Set the rectangle to black."""
    return images.masked_fill(rectangles(images, corners)[:, None], 0)


SHADES = frozenset({"brightness", "contrast", "gamma", "noise"})
"""Methods that change intensities."""
METHODS: dict[str, _Method] = {
    "horizontal_flip": _flip(3),
    "vertical_flip": _flip(2),
    "rotation": _Method(_rotation, _resample),
    "crop": _Method(_crop, _resample),
    "brightness": _Method(_brightness, _brighten),
    "contrast": _Method(_contrast, _change_contrast),
    "gamma": _Method(_gamma, _change_gamma),
    "noise": _Method(_noise, _add_noise),
    "blur": _Method(_blur, _convolve),
    "erasing": _Method(_rectangle, _erase),
}
