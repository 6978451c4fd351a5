"""Intensity normalization: (record scaled to 0..1 - mean) / std per colour, fitted on training images only
where fitted at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.types import ImageStore

IMAGENET = {"mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225]}
"""Mean and deviation of the images that pretrained backbones were trained on (Deng et al. 2009, as
torchvision states them).
"""

_BATCH = 32


def fit_image_normalization(
    method: str, store: ImageStore, train_slots: npt.NDArray[np.int64], poll: Callable[[], None]
) -> dict[str, Any]:
    """→ {"mean": [3], "std": [3]}. imagenet: constants; zscore: mean and deviation of the training pixels;
    minmax: their range.

    Streams over the store: memory does not grow with the number of images. `poll` is called between batches.
    """
    slots = np.unique(train_slots[train_slots >= 0])
    if method == "imagenet" or not slots.size:
        return {key: list(values) for key, values in IMAGENET.items()}
    scale = 255.0 if store.depth == 8 else 65535.0
    total = np.zeros(3)
    squares = np.zeros(3)
    low, high, pixels = np.full(3, np.inf), np.full(3, -np.inf), 0
    for start in range(0, len(slots), _BATCH):
        poll()
        records = store.gather(slots[start : start + _BATCH, None])
        batch = records.reshape(-1, 3) / scale  # (pixels, 3) float64
        total += batch.sum(axis=0)
        squares += np.square(batch).sum(axis=0)
        low, high = np.minimum(low, batch.min(axis=0)), np.maximum(high, batch.max(axis=0))
        pixels += len(batch)
    if method == "minmax":
        mean, spread = low, high - low
    else:
        mean = total / pixels
        spread = np.sqrt(np.maximum(squares / pixels - np.square(mean), 0))
    return {"mean": mean.tolist(), "std": np.where(spread > 1e-6, spread, 1.0).tolist()}
