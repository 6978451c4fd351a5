"""Augmentation of training images: whole batches, on the device, a pure function of (seed, epoch, batch,
rank).
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor

from medloom_trainer.inference.batches import RandomNumbers
from medloom_trainer.training.augmentation.draws import Draws


class Augmenter(ABC):
    """images (N, 3, H, W) in 0..1, the `views` of a case in sequence → the same shape and range.

    Random numbers are drawn before the images are available (`draw`), so that they are transferred
    together.
    """

    seed: int

    @property
    @abstractmethod
    def changes_nothing(self) -> bool: ...

    @abstractmethod
    def apply(self, images: Tensor, drawn: RandomNumbers) -> Tensor:
        """drawn: on the device of the images, which may be overwritten."""

    @abstractmethod
    def _draw(self, draws: Draws) -> RandomNumbers: ...

    def draw(
        self, shape: tuple[int, int, int, int], *, epoch: int, batch: int, rank: int = 0
    ) -> RandomNumbers | None:
        """shape: cases, views, height and width of the images. On the CPU; None if nothing is changed."""
        if self.changes_nothing:
            return None
        return self._draw(Draws(self.seed, epoch, batch, rank, shape))

    def __call__(self, images: Tensor, *, epoch: int, batch: int, rank: int = 0, views: int = 1) -> Tensor:
        """Draw and apply."""
        height, width = images.shape[2:]
        drawn = self.draw((len(images) // views, views, height, width), epoch=epoch, batch=batch, rank=rank)
        if drawn is None:
            return images
        return self.apply(images, drawn.each(lambda numbers: numbers.to(images.device)))
