"""DICOM files → images (PS3.3 C.7.6.3, C.11.1, C.11.2): decode, modality LUT or slope and intercept, range
that is shown, MONOCHROME1 inverted.

Without a configured window, CT is shown over -1024..3071 Hounsfield units, because windows in files differ
from scanner to scanner; other images over the first window or VOI LUT of the file, else over their own range.
"""

from __future__ import annotations

import io
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
from pydicom import dcmread
from pydicom.dataset import Dataset, FileDataset
from pydicom.pixels.processing import apply_color_lut, apply_modality_lut, apply_voi
from pydicom.pixels.utils import pixel_array
from pydicom.uid import DeflatedExplicitVRLittleEndian

from medloom_trainer.data.images.decoded import MAX_PIXELS, Calibrated, ImageHeader, Pixels, UnreadableImage
from medloom_trainer.data.images.dicom_codecs import plugin_for, register
from medloom_trainer.data.tables import MIDDLE, Slice

_CT_RANGE = (-1024.0, 3071.0)
"""Hounsfield units."""
_MAX_INFLATED_BYTES = 512 * 1024 * 1024

register()


def dicom_header(content: bytes) -> ImageHeader:
    data = read_tags(content)
    colour = int(data.get("SamplesPerPixel", 1)) == 3 or _palette(data)
    deep = not colour and int(data.get("BitsStored", 16)) > 8
    return ImageHeader(int(data.Columns), int(data.Rows), 3 if colour else 1, 16 if deep else 8)


def dicom_pixels(content: bytes, part: Slice | None = None) -> Pixels | Calibrated:
    """One frame: the one that `part` names, else the middle one."""
    data = _read_dataset(content, with_pixels=True)
    _check_size(data)
    frames = int(data.get("NumberOfFrames", 1) or 1)
    frame = (part or MIDDLE).index(frames)
    try:
        plugin = plugin_for(data.file_meta.get("TransferSyntaxUID"), int(data.get("BitsStored", 16)))
        stored = pixel_array(data, index=frame, decoding_plugin=plugin)
        if _palette(data):
            return _to_8_bit(apply_color_lut(stored, data), 16)
        if stored.ndim == 3:
            return _to_8_bit(stored, int(data.BitsStored))
        return _calibrated(stored, data, frame)
    except UnreadableImage:
        raise
    except Exception as error:  # decoders and damaged tags raise what they like
        syntax = str(getattr(data.file_meta.get("TransferSyntaxUID"), "name", "unknown"))
        raise UnreadableImage(f"the pixels cannot be decoded ({type(error).__name__}; {syntax})") from None


def _calibrated(stored: npt.NDArray[Any], data: Dataset, frame: int) -> Calibrated:
    """(H, W) stored values → values of the modality and the range that is shown."""
    tags = _frame_tags(data, frame)
    values = np.asarray(apply_modality_lut(stored, tags), dtype=np.float32)
    inverted = data.get("PhotometricInterpretation") == "MONOCHROME1"
    low, high = _shown_range(values, stored, data, tags)
    if data.get("Modality") != "CT" and "VOILUTSequence" in tags and "WindowCenter" not in tags:
        looked_up = np.asarray(apply_voi(values.astype(stored.dtype), tags), dtype=np.float32)
        bits = int(tags.VOILUTSequence[0].LUTDescriptor[2])
        return Calibrated(looked_up[:, :, None], 0.0, float(2**bits - 1), inverted)
    return Calibrated(values[:, :, None], low, high, inverted)


def _shown_range(
    values: npt.NDArray[np.float32], stored: npt.NDArray[Any], data: Dataset, tags: Dataset
) -> tuple[float, float]:
    if data.get("Modality") == "CT" and ("RescaleIntercept" in tags or "RescaleSlope" in tags):
        return _CT_RANGE
    center, width = _first_number(tags.get("WindowCenter")), _first_number(tags.get("WindowWidth"))
    if center is not None and width is not None and width > 1:
        return center - 0.5 - (width - 1) / 2, center - 0.5 + (width - 1) / 2
    used = values
    if (padding := data.get("PixelPaddingValue")) is not None:
        kept = stored != padding
        used = values[kept] if kept.any() else values
    low, high = float(used.min()), float(used.max())
    return low, high if high > low else low + 1


def _frame_tags(data: Dataset, frame: int) -> Dataset:
    """Rescale and window of one frame: its own, else those shared by all frames, else those of the image."""
    tags = Dataset()
    tags.set_original_encoding(*data.original_encoding)
    names = (
        "RescaleSlope", "RescaleIntercept", "ModalityLUTSequence",
        "WindowCenter", "WindowWidth", "VOILUTSequence", "PixelRepresentation", "BitsStored",
    )  # fmt: skip
    sources = [data]
    if shared := data.get("SharedFunctionalGroupsSequence"):
        sources.append(shared[0])
    if (own := data.get("PerFrameFunctionalGroupsSequence")) and frame < len(own):
        sources.append(own[frame])
    for source in sources:
        groups = [source]
        for sequence in ("PixelValueTransformationSequence", "FrameVOILUTSequence"):
            groups += list(source.get(sequence) or [])[:1]
        for group in groups:
            for name in names:
                if name in group:
                    tags[name] = group[name]
    return tags


def read_tags(content: bytes) -> FileDataset:
    """Everything but the pixels; UnreadableImage for a file without an image, or one that claims too many
    pixels.
    """
    data = _read_dataset(content, with_pixels=False)
    _check_size(data)
    return data


def _read_dataset(content: bytes, *, with_pixels: bool) -> FileDataset:
    _refuse_inflation(content)
    try:
        return dcmread(io.BytesIO(content), stop_before_pixels=not with_pixels)
    except UnreadableImage:
        raise
    except Exception as error:
        raise UnreadableImage(f"damaged or cut short ({type(error).__name__})") from None


def _refuse_inflation(content: bytes) -> None:
    """A deflated file may claim a thousand times its size."""
    if DeflatedExplicitVRLittleEndian.encode() not in content[:2048]:
        return
    inflated = 0
    for start in range(132, min(len(content), 4096)):
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            inflated = len(stream.decompress(content[start:], _MAX_INFLATED_BYTES + 1))
            break
        except zlib.error:
            continue
    if inflated > _MAX_INFLATED_BYTES:
        raise UnreadableImage("would inflate beyond the limit")


def _check_size(data: Dataset) -> None:
    rows, columns = data.get("Rows"), data.get("Columns")
    if not rows or not columns:
        raise UnreadableImage("a DICOM file without an image")
    if rows * columns * int(data.get("SamplesPerPixel", 1)) > MAX_PIXELS:
        raise UnreadableImage(f"the header claims {columns} x {rows} pixels; the limit is {MAX_PIXELS:,}")


def _palette(data: Dataset) -> bool:
    return bool(data.get("PhotometricInterpretation") == "PALETTE COLOR")


def _to_8_bit(colours: npt.NDArray[Any], bits: int) -> Pixels:
    """(H, W, 3) of `bits` bits → uint8."""
    if colours.dtype == np.uint8 and bits <= 8:
        return np.ascontiguousarray(colours[:, :, :3])
    largest = 255 if colours.dtype == np.uint8 else 2**bits - 1
    scaled = np.rint(colours[:, :, :3].astype(np.float32) * (255 / largest)).clip(0, 255)
    return np.asarray(scaled, dtype=np.uint8)


def _first_number(value: Any) -> float | None:
    if value is None:
        return None
    several = value if hasattr(value, "__iter__") and not isinstance(value, str) else [value]
    first = next(iter(several), None)
    return None if first is None or first == "" else float(first)
