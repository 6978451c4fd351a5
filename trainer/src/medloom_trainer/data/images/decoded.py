"""Decoded images, the error for unreadable files, and the record that a model sees: one size, three channels,
8 or 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image

from medloom_trainer.contract.phrases import Phrased

MAX_PIXELS = 100_000_000
"""A file whose header claims more is refused before a pixel is decoded (a decompression bomb claims
billions).
"""

FIRST_RULES, NEWEST_RULES = 1, 2
"""Versions of the rules for the range, the units and the orientation of medical images. A model keeps those
of its training."""
Pixels = npt.NDArray[Any]
Depth = Literal[8, 16]
Content = bytes | tuple[bytes, ...]
"""Bytes of a file, or of the files of a series in the order of their positions."""
Fit = Literal["letterbox", "stretch"]
_BRIGHTEST = 0.9
"""Brightness of the upper end of a compressed range."""


class ImagePixels(np.ndarray[Any, Any]):
    """Pixels that Pillow has decoded, with its own image: a resize would have to create that again. Arrays
    made of this one are without it.
    """

    image: Image.Image | None = None

    @classmethod
    def of_image(cls, image: Image.Image) -> Pixels:
        """image: RGB or L, and not changed later. → (H, W, 3 or 1)"""
        values = np.asarray(image)
        pixels = (values if image.mode == "RGB" else values[:, :, None]).view(cls)
        pixels.image = image
        return pixels


class UnreadableImage(Exception):
    """Reason why a file is not a usable image; contains no path and no value."""

    def __init__(self, reason: Phrased) -> None:
        super().__init__(reason)
        self.reason = reason
        """The message with its phrases, which str() would lose."""


class NoImage(UnreadableImage):
    """A DICOM file of another kind: a report, a plan, a presentation, a segmentation."""


@dataclass(frozen=True)
class ImageHeader:
    """Content of the first bytes of a file. Width and height are those on the screen (EXIF applied by the
    decoder); for a volume, those of its axial slices or frames.
    """

    width: int
    height: int
    channels: int
    depth: Depth
    slices: int = 0
    """Number of frames or axial slices; 0 for kinds of files that have none."""
    measured: bool = False
    """Values may be in physical units, such as Hounsfield units."""

    @property
    def is_volume(self) -> bool:
        return self.slices > 1


@dataclass(frozen=True)
class Calibrated:
    """One channel in the units of its modality (CT: Hounsfield units), and the range that is shown unless a
    window is configured.
    """

    values: npt.NDArray[np.float32]
    """(H, W, 1)"""
    low: float
    """Value shown as black."""
    high: float
    """Value shown as white."""
    inverted: bool
    """MONOCHROME1: black and white are exchanged."""
    aspect: float = 1.0
    """Height of a pixel divided by its width."""
    looked_up: npt.NDArray[np.float32] | None = None
    """(H, W, 1) the values after the VOI LUT of the file; `low` and `high` refer to these. A configured
    window replaces them.
    """
    compressed: bool = False
    """Values above `high` are compressed to the brightest tenth, in which no two are equal, instead of
    clipped. A configured window clips them."""


def is_blank(pixels: Pixels | Calibrated) -> bool:
    """Return whether every pixel has the same value: such an image shows nothing, and does not identify a
    patient."""
    values = pixels.values if isinstance(pixels, Calibrated) else pixels
    first = values[:1, :1]
    # A few pixels identify nearly every image that is not blank; comparing all takes a third of the time of
    # decoding.
    return bool((values[::64, ::64] == first).all() and (values == first).all())


def to_record(
    pixels: Pixels | Calibrated,
    size: tuple[int, int],
    depth: Depth,
    window: tuple[float, float] | None,
    fit: Fit = "letterbox",
) -> Pixels:
    """(H, W, C) stored pixels → (height, width, 3) of `depth` bits.

    window (center, width) in stored units, for images of one channel: its lower end becomes 0, its upper end
    the largest value. Resized with an antialiasing bicubic filter in float32 where depth matters. fit:
    "letterbox" preserves the shape of the imaged object, with black bars at two sides; "stretch" fills the
    whole size, as in the training of models of older versions.
    """
    height, width = (pixels.values if isinstance(pixels, Calibrated) else pixels).shape[:2]
    aspect = pixels.aspect if isinstance(pixels, Calibrated) else 1.0
    inner = size if fit == "stretch" else _inner_size(width, height * aspect, size)
    return _centered(_scaled(pixels, inner, depth, window), size)


def _inner_size(width: float, height: float, size: tuple[int, int]) -> tuple[int, int]:
    """The largest size of this shape inside `size`."""
    scale = min(size[0] / width, size[1] / height)
    inner = (round(width * scale), round(height * scale))
    return min(size[0], max(1, inner[0])), min(size[1], max(1, inner[1]))


def _centered(record: Pixels, size: tuple[int, int]) -> Pixels:
    """Center the record on black."""
    height, width = record.shape[:2]
    if (width, height) == size:
        return record
    whole = np.zeros((size[1], size[0], 3), dtype=record.dtype)
    top, left = (size[1] - height) // 2, (size[0] - width) // 2
    whole[top : top + height, left : left + width] = record
    return whole


def _scaled(
    pixels: Pixels | Calibrated, size: tuple[int, int], depth: Depth, window: tuple[float, float] | None
) -> Pixels:
    """(height, width, 3) of `depth` bits."""
    if isinstance(pixels, Calibrated):
        values = pixels.values if window is not None or pixels.looked_up is None else pixels.looked_up
        center, width = window or ((pixels.low + pixels.high) / 2, pixels.high - pixels.low)
        unit = (values - np.float32(center - width / 2)) / np.float32(width)
        shown = _compressed(unit) if pixels.compressed and window is None else np.clip(unit, 0, 1)
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


def _compressed(unit: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """0..1 → 0.._BRIGHTEST, and any value above 1 → between this and 1, in the same order."""
    above = np.float32(1 - _BRIGHTEST) * (1 - 1 / np.maximum(unit, np.float32(1)))
    return np.asarray(np.clip(unit, 0, 1) * np.float32(_BRIGHTEST) + above, dtype=np.float32)


def _resized_8_bit(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    image = pixels.image if isinstance(pixels, ImagePixels) else None
    if image is None:
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
