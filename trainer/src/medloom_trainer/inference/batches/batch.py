"""The arrays of a batch, gathered from the cases and their images."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.inference.batches.plan import Indices
from medloom_trainer.inference.batches.random_numbers import RandomNumbers

_RECORDS = {8: torch.uint8, 16: torch.uint16}


@dataclass(frozen=True)
class Batch:
    """Arrays of B cases, on the device."""

    images: Tensor | None
    """(B, V, H, W, C) uint8 or uint16, as stored: C is 1 if all images are gray, otherwise 3."""
    features: Tensor | None
    """(B, V, …) features of a frozen backbone, instead of the images."""
    view_mask: Tensor | None
    """(B, V); None if every view exists."""
    values: Tensor
    codes: Tensor
    present: Tensor
    labels: Tensor | None
    drawn: RandomNumbers | None = None
    """For the augmentation of the images; None if nothing is drawn."""

    @property
    def inputs_after_images(self) -> tuple[Tensor | None, ...]:
        """Inputs of a network after the images."""
        inputs = (self.view_mask, *self.table)
        return inputs if self.features is None else (*inputs, self.features)

    @property
    def table(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.values, self.codes, self.present

    def to(self, device: torch.device) -> Batch:
        return self if device.type == "cpu" else self.each(lambda tensor: tensor.to(device))

    def each(self, change: Callable[[Tensor], Tensor]) -> Batch:
        def changed(tensor: Tensor | None) -> Tensor | None:
            return None if tensor is None else change(tensor)

        return Batch(
            changed(self.images),
            changed(self.features),
            changed(self.view_mask),
            change(self.values),
            change(self.codes),
            change(self.present),
            changed(self.labels),
            None if self.drawn is None else self.drawn.each(change),
        )

    def tensors(self) -> list[Tensor]:
        """All tensors in the order of `each`."""
        found: list[Tensor] = []

        def note(tensor: Tensor) -> Tensor:
            found.append(tensor)
            return tensor

        self.each(note)
        return found


@dataclass(frozen=True)
class FrozenFeatures:
    """Features that a frozen backbone computes from the images of a split, in memory (frozen_features.py)."""

    records: Mapping[int | None, Tensor]
    """Number of cases in a batch → (N, V, …) by case, on the CPU, for batches of that size; None: for all
    batches."""
    known: npt.NDArray[np.bool_]
    """(N,) cases with features."""

    def select(self, indices: Indices) -> Tensor | None:
        """(B, V, …); None if the backbone must process the images."""
        records = self.records.get(len(indices), self.records.get(None))
        if records is None or not self.known[indices].all():
            return None
        return records[torch.from_numpy(indices)]


Draw = Callable[[tuple[int, int, int, int]], RandomNumbers | None]
"""(cases, views, height, width) of the images → the random numbers of their augmentation."""


def gather(
    cases: Cases,
    store: ImageStore | None,
    indices: Indices,
    *,
    labels: npt.NDArray[Any] | None = None,
    features: FrozenFeatures | None = None,
    allocate: Callable[[tuple[int, ...], torch.dtype], Tensor] = lambda shape, dtype: torch.empty(
        shape, dtype=dtype
    ),
    draw: Draw | None = None,
) -> Batch:
    """The cases at `indices` (B,), on the CPU. allocate: returns memory for the images, by shape and type."""
    images = seen = view_mask = drawn = None
    if store is not None and cases.slots is not None:
        slots = cases.slots[indices]  # (B, V)
        seen = None if features is None else features.select(indices)
        if seen is None:
            (count, views), (height, width, channels) = slots.shape, store.record_shape
            images = allocate((count, views, height, width, channels), _RECORDS[store.depth])
            store.gather_into(slots, images.numpy())
            drawn = None if draw is None else draw((count, views, height, width))
        if (slots < 0).any():
            view_mask = torch.from_numpy(slots >= 0)
    return Batch(
        images,
        seen,
        view_mask,
        torch.from_numpy(cases.values[indices]),
        torch.from_numpy(cases.codes[indices]),
        torch.from_numpy(cases.present[indices]),
        None if labels is None else torch.from_numpy(labels[indices]),
        drawn,
    )
