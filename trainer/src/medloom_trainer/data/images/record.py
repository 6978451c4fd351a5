"""Decoded pixels → the record that a model sees: one size, three channels, 8 or 16 bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PIL import Image

from medloom_trainer.data.images.decoded import Calibrated, Depth, Pixels


def to_record(
    pixels: Pixels | Calibrated, size: tuple[int, int], depth: Depth, window: tuple[float, float] | None
) -> Pixels:
    """(H, W, C) stored pixels → (height, width, 3) of `depth` bits.

    window (center, width) in stored units, for images of one channel: its lower end becomes 0, its upper
    end the largest value. Resized with an antialiasing bicubic filter in float32 where depth matters; the
    image fills the whole size.
    """
    if isinstance(pixels, Calibrated):
        center, width = window or ((pixels.low + pixels.high) / 2, pixels.high - pixels.low)
        shown = np.clip((pixels.values - np.float32(center - width / 2)) / np.float32(width), 0, 1)
        return _resized(1 - shown if pixels.inverted else shown, size, depth)
    stored_max = float(np.iinfo(pixels.dtype).max)
    if window is not None and pixels.shape[2] == 1:
        center, width = window
        scaled = np.clip((pixels.astype(np.float32) - (center - width / 2)) / width, 0, 1)
        return _resized(scaled, size, depth)
    if pixels.dtype == np.uint8:
        record = _resized_8_bit(pixels, size)
        return record if depth == 8 else record.astype(np.uint16) * 257
    return _resized(pixels.astype(np.float32) / np.float32(stored_max), size, depth)


def _resized_8_bit(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    if image.size != size:
        image = image.resize(size, Image.Resampling.BICUBIC)
    return _three_channels(np.asarray(image).reshape(size[1], size[0], -1))


def _resized(unit: npt.NDArray[np.float32], size: tuple[int, int], depth: Depth) -> Pixels:
    """(H, W, C) in 0..1 → (height, width, 3) of `depth` bits."""
    planes = [Image.fromarray(np.ascontiguousarray(unit[:, :, channel])) for channel in range(unit.shape[2])]
    if planes[0].size != size:
        planes = [plane.resize(size, Image.Resampling.BICUBIC) for plane in planes]
    largest = 255 if depth == 8 else 65535
    stacked = np.clip(np.stack([np.asarray(plane) for plane in planes], axis=2), 0, 1)
    return _three_channels(np.rint(stacked * largest).astype(np.uint8 if depth == 8 else np.uint16))


def _three_channels(record: Pixels) -> Pixels:
    return np.ascontiguousarray(np.broadcast_to(record, (*record.shape[:2], 3)))
