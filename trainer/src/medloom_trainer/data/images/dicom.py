"""DICOM files → images (PS3.3 C.7.6.3, C.11.1, C.11.2): decode, modality LUT or slope and intercept, range
that is shown, MONOCHROME1 inverted.

Without a configured window, CT is shown over -1024..3071 Hounsfield units, because windows in files differ
between scanners, and PET over 0..10 SUV; other images over the first window or VOI LUT of the file, else over
their own range. The frames of a file and the files of a series share one range: the window of the middle one,
else the range of all values. Slices are turned as NIfTI volumes are. Models of older versions read the
activity of PET, and slices as they are stored.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from pydicom import dcmread
from pydicom.dataset import Dataset, FileDataset
from pydicom.pixels.processing import apply_color_lut, apply_modality_lut, apply_voi
from pydicom.pixels.utils import pixel_array
from pydicom.uid import DeflatedExplicitVRLittleEndian

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import (
    FIRST_RULES,
    MAX_PIXELS,
    NEWEST_RULES,
    Calibrated,
    Content,
    Depth,
    ImageHeader,
    NoImage,
    Pixels,
    UnreadableImage,
)
from medloom_trainer.data.images.dicom_codecs import plugin_for, register
from medloom_trainer.data.images.frame_order import frame_order, frame_positions, orientation_of
from medloom_trainer.data.images.patient_axes import turn_of
from medloom_trainer.data.images.slice_positions import places_along
from medloom_trainer.data.images.slices import CT_RANGE, position, slices_with_content, usual_range
from medloom_trainer.data.images.suv import SUV_RANGE, is_activity, suv_factor
from medloom_trainer.data.tables import Slice

_PIXEL_TAGS = (
    b"\xe0\x7f\x10\x00", b"\x7f\xe0\x00\x10", b"\xe0\x7f\x08\x00", b"\xe0\x7f\x09\x00",
)  # fmt: skip
"""Pixel Data in both orders of bytes, and Float and Double Float Pixel Data."""
_ELEMENT_HEADER = 8
"""Bytes between the start of an element and its value; 12 for some kinds."""
_THUMBNAIL_SIDE = 64
_MAX_INFLATED_BYTES = 512 * 1024 * 1024

register()


@dataclass(frozen=True)
class _Frame:
    """One frame of a file."""

    data: FileDataset
    index: int
    rules: int
    suv: float | None = None
    """Factor from the values of PET to SUV; None for other images, and by the first rules."""

    @property
    def reverses(self) -> bool:
        """Slices of this orientation are shown in reversed order."""
        return self.rules > FIRST_RULES and turn_of(orientation_of(self.data, self.index)).reverses


@dataclass(frozen=True)
class _Overview:
    """Reduced content of a frame."""

    thumbnail: npt.NDArray[np.float32]
    """Every n-th pixel, NaN for padding."""
    low: float
    high: float


def dicom_header(content: bytes) -> ImageHeader:
    """Return size, channels and number of frames of a DICOM file without decoding its pixels. Errors as in
    `frame_order`."""
    data = read_tags(content)
    color = int(data.get("SamplesPerPixel", 1)) == 3 or _palette(data)
    depth: Depth = 16 if not color and int(data.get("BitsStored", 16)) > 8 else 8
    width, height = int(data.Columns), int(data.Rows)
    if turn_of(orientation_of(data, 0)).transposed:
        width, height = height, width
    return ImageHeader(
        width,
        height,
        3 if color else 1,
        depth,
        slices=len(frame_order(data, _count_frames(data))),
        measured=(data.get("Modality") == "CT" or is_activity(data)) and not color,
    )


def dicom_facts(
    content: Content,
) -> tuple[str | None, tuple[float, float, float] | None, tuple[tuple[float, float], ...]]:
    """(modality, spacing, windows) as in `ImageFacts`, of one file or of the first of a series."""
    several = () if isinstance(content, bytes) else content
    data = read_tags(content if isinstance(content, bytes) else several[0])
    tags = _frame_tags(data, 0)
    between = _first_number(data.get("SpacingBetweenSlices")) or _first_number(data.get("SliceThickness"))
    if len(several) > 1:
        places = [read_tags(file).get("ImagePositionPatient") for file in several[:2]]
        between = float(np.linalg.norm(np.subtract(*(np.asarray(place, dtype=float) for place in places))))
    elif (placed := frame_positions(data, _count_frames(data))) is not None:
        between = float(np.median(np.diff(np.sort(places_along(*placed)))))
    sides = tags.get("PixelSpacing") or data.get("ImagerPixelSpacing")
    rows, columns = (float(sides[0]), float(sides[1])) if sides and len(sides) == 2 else (0.0, 0.0)
    if turn_of(orientation_of(data, 0)).transposed:
        rows, columns = columns, rows
    spacing = (columns, rows, between or 0.0)
    centers, widths = (_numbers(tags.get(name)) for name in ("WindowCenter", "WindowWidth"))
    windows = tuple((center, width) for center, width in zip(centers, widths, strict=False) if width > 0)
    modality = str(data.get("Modality", "") or "")[:16] or None
    return modality, spacing if any(spacing) else None, windows


def _numbers(value: Any) -> list[float]:
    """Numbers of a tag with one value or several."""
    if value is None or value == "":
        return []
    several = value if hasattr(value, "__iter__") and not isinstance(value, str) else [value]
    return [float(one) for one in several]


def dicom_slices(
    content: Content, parts: Sequence[Slice | None], rules: int = NEWEST_RULES
) -> list[Pixels | Calibrated]:
    """The frames that `parts` name, of one file or of the files of a series in the order of their positions;
    None: the middle one. All of them are shown over one range. rules: version of those of PET and of the
    orientation.
    """
    files = [content] if isinstance(content, bytes) else content
    frames = _in_units([frame for file in files for frame in _read_frames(file, rules)])
    if len(frames) == 1:
        return [_image(frames[0], None)] * len(parts)
    shared = _known_range(frames[len(frames) // 2])
    by_content = any(part is not None and part.spread == "content" for part in parts)
    filled = None
    if by_content or shared is None:
        overviews = [_overview(frame) for frame in frames]
        thumbnails = [one.thumbnail for one in overviews]
        filled = slices_with_content(
            thumbnails, *usual_range(np.concatenate([t.ravel() for t in thumbnails]))
        )
        shared = shared or (min(one.low for one in overviews), max(one.high for one in overviews))
    places = [position(part, len(frames), filled) for part in parts]
    images = {place: _image(frames[place], shared) for place in set(places)}
    return [images[place] for place in places]


def _read_frames(content: bytes, rules: int) -> list[_Frame]:
    data = _read_dataset(content, with_pixels=True)
    _check_size(data)
    return [_Frame(data, index, rules) for index in frame_order(data, _count_frames(data))]


def _in_units(frames: list[_Frame]) -> list[_Frame]:
    """The frames in the order in which they are shown, with the factor of PET."""
    first = frames[0]
    if first.rules == FIRST_RULES:
        return frames
    if is_activity(first.data):
        factor = suv_factor([frame.data for frame in frames])
        frames = [replace(frame, suv=factor) for frame in frames]
    return frames[::-1] if first.reverses else frames


def _count_frames(data: Dataset) -> int:
    return max(1, int(data.get("NumberOfFrames", 1) or 1))


def _stored(frame: _Frame) -> npt.NDArray[Any]:
    """(H, W), or (H, W, 3) for colors; palettes resolved."""
    data = frame.data
    try:
        plugin = plugin_for(data.file_meta.get("TransferSyntaxUID"), int(data.get("BitsStored", 16)))
        stored = pixel_array(data, index=frame.index, decoding_plugin=plugin)
        return apply_color_lut(stored, data) if _palette(data) else stored
    except UnreadableImage:
        raise
    except Exception as error:  # decoders and damaged tags raise various errors
        syntax = str(getattr(data.file_meta.get("TransferSyntaxUID"), "name", "unknown"))
        raise UnreadableImage(
            phrase("image_pixels_undecodable", error=type(error).__name__, syntax=syntax)
        ) from None


def _image(frame: _Frame, shared: tuple[float, float] | None) -> Pixels | Calibrated:
    """shared: the range of its series or file."""
    pixels = _as_stored_image(frame, shared)
    if frame.rules == FIRST_RULES:
        return pixels
    return turn_of(orientation_of(frame.data, frame.index)).apply(pixels)


def _as_stored_image(frame: _Frame, shared: tuple[float, float] | None) -> Pixels | Calibrated:
    """In the stored orientation."""
    stored, data = _stored(frame), frame.data
    if stored.ndim == 3:
        return _to_8_bit(stored, 16 if _palette(data) else int(data.BitsStored))
    tags = _frame_tags(data, frame.index)
    values = np.asarray(apply_modality_lut(stored, tags), dtype=np.float32)
    if frame.suv is not None:
        return _uptake(values * np.float32(frame.suv), data, tags)
    inverted = data.get("PhotometricInterpretation") == "MONOCHROME1"
    aspect = _aspect(data, tags)
    if data.get("Modality") != "CT" and "VOILUTSequence" in tags and "WindowCenter" not in tags:
        looked_up = np.asarray(apply_voi(values.astype(stored.dtype), tags), dtype=np.float32)[:, :, None]
        bits = int(tags.VOILUTSequence[0].LUTDescriptor[2])
        return Calibrated(values[:, :, None], 0.0, float(2**bits - 1), inverted, aspect, looked_up)
    low, high = shared or _known_range(frame) or _extremes(values, stored, data)
    return Calibrated(values[:, :, None], low, high if high > low else low + 1, inverted, aspect)


def _uptake(values: npt.NDArray[np.float32], data: Dataset, tags: Dataset) -> Calibrated:
    inverted = data.get("PhotometricInterpretation") == "MONOCHROME1"
    return Calibrated(values[:, :, None], *SUV_RANGE, inverted, _aspect(data, tags), compressed=True)


def _known_range(frame: _Frame) -> tuple[float, float] | None:
    """Range of Hounsfield units for a CT and of SUV for PET, else the first window of the frame."""
    if frame.suv is not None:
        return SUV_RANGE
    tags = _frame_tags(frame.data, frame.index)
    if frame.data.get("Modality") == "CT" and ("RescaleIntercept" in tags or "RescaleSlope" in tags):
        return CT_RANGE
    center, width = _first_number(tags.get("WindowCenter")), _first_number(tags.get("WindowWidth"))
    if center is not None and width is not None and width > 1:
        return center - 0.5 - (width - 1) / 2, center - 0.5 + (width - 1) / 2
    return None


def _extremes(
    values: npt.NDArray[np.float32], stored: npt.NDArray[Any], data: Dataset
) -> tuple[float, float]:
    """Minimum and maximum of the values without padding."""
    used = values[_no_padding(stored, data)]
    used = used if used.size else values
    return float(used.min()), float(used.max())


def _no_padding(stored: npt.NDArray[Any], data: Dataset) -> npt.NDArray[np.bool_]:
    """Pixels outside the padding value, or the range from it to its limit (PS3.3 C.7.5.1.1.2)."""
    first = _as_stored(data.get("PixelPaddingValue"), stored.dtype)
    if first is None:
        return np.ones(stored.shape, dtype=np.bool_)
    last = _as_stored(data.get("PixelPaddingRangeLimit"), stored.dtype)
    low, high = sorted((first, first if last is None else last))
    return np.asarray((stored < low) | (stored > high))


def _as_stored(padding: Any, dtype: np.dtype[Any]) -> int | None:
    """The value of the tag in the representation of the pixels: files with signed pixels may contain it as an
    unsigned number."""
    if padding is None or padding == "":
        return None
    value = int(padding)
    if dtype.kind == "i" and value > np.iinfo(dtype).max:
        return value - (1 << 8 * dtype.itemsize)
    return value


def _overview(frame: _Frame) -> _Overview:
    stored, data = _stored(frame), frame.data
    if stored.ndim == 3:
        bright = stored.max(axis=2).astype(np.float32)
        return _Overview(_thumbnail(bright), float(bright.min()), float(bright.max()))
    values = np.asarray(apply_modality_lut(stored, _frame_tags(data, frame.index)), dtype=np.float32)
    known = np.where(_no_padding(stored, data), values, np.nan)
    return _Overview(_thumbnail(known), *_extremes(values, stored, data))


def _thumbnail(values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    step = max(1, min(values.shape) // _THUMBNAIL_SIDE)
    return np.asarray(values[::step, ::step], dtype=np.float32).copy()


def _aspect(data: Dataset, tags: Dataset) -> float:
    """Height of a pixel divided by its width; 1 if the file does not contain it."""
    for source, name in (
        (tags, "PixelSpacing"),
        (data, "ImagerPixelSpacing"),
        (data, "PixelAspectRatio"),
    ):
        given = source.get(name)
        if given and len(given) == 2 and float(given[0]) > 0 and float(given[1]) > 0:
            return float(given[0]) / float(given[1])
    return 1.0


def _frame_tags(data: Dataset, frame: int) -> Dataset:
    """Rescale and window of one frame: its own, else those shared by all frames, else those of the image."""
    tags = Dataset()
    tags.set_original_encoding(*data.original_encoding)
    names = (
        "RescaleSlope", "RescaleIntercept", "ModalityLUTSequence",
        "WindowCenter", "WindowWidth", "VOILUTSequence", "PixelRepresentation", "BitsStored", "PixelSpacing",
    )  # fmt: skip
    sources = [data]
    if shared := data.get("SharedFunctionalGroupsSequence"):
        sources.append(shared[0])
    if (own := data.get("PerFrameFunctionalGroupsSequence")) and frame < len(own):
        sources.append(own[frame])
    for source in sources:
        groups = [source]
        for sequence in ("PixelValueTransformationSequence", "FrameVOILUTSequence", "PixelMeasuresSequence"):
            groups += list(source.get(sequence) or [])[:1]
        for group in groups:
            for name in names:
                if name in group and _has_content(group[name].value):
                    tags[name] = group[name]
    return _with_complete_rescale(tags)


def _has_content(value: Any) -> bool:
    """False for a tag without a value, and for a lookup table without data."""
    if value is None or value == "":
        return False
    if isinstance(value, Sequence) and not isinstance(value, str):
        return len(value) > 0 and not (isinstance(value[0], Dataset) and "LUTData" not in value[0])
    return True


def _with_complete_rescale(tags: Dataset) -> Dataset:
    """A slope without an intercept, or the reverse, has the neutral value for the other; the entries of a
    modality LUT of 9 to 16 bits are stored in 16."""
    if ("RescaleSlope" in tags) != ("RescaleIntercept" in tags):
        tags.RescaleSlope = tags.get("RescaleSlope", 1)
        tags.RescaleIntercept = tags.get("RescaleIntercept", 0)
    if "ModalityLUTSequence" in tags:
        table = deepcopy(tags.ModalityLUTSequence[0])
        entries, first, bits = table.LUTDescriptor
        table.LUTDescriptor = [entries, first, 8 if bits <= 8 else 16]
        tags.ModalityLUTSequence = [table]
    return tags


def read_tags(content: bytes) -> FileDataset:
    """Read all tags except the pixels; UnreadableImage for a file without an image or without all of its
    pixels, or one that claims too many pixels.
    """
    data = _read_dataset(content, with_pixels=False)
    _check_size(data)
    _check_pixels(data, content)
    return data


def _read_dataset(content: bytes, *, with_pixels: bool) -> FileDataset:
    _refuse_inflation(content)
    try:
        # A preamble may be absent: the decoders know DICOM files by their content.
        return dcmread(io.BytesIO(content), stop_before_pixels=not with_pixels, force=True)
    except UnreadableImage:
        raise
    except Exception as error:
        raise UnreadableImage(phrase("image_damaged", error=type(error).__name__)) from None


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
        raise UnreadableImage(phrase("image_decompressed_too_large"))


def _check_size(data: Dataset) -> None:
    rows, columns = data.get("Rows"), data.get("Columns")
    if not rows or not columns:
        kind = getattr(data, "file_meta", {}).get("MediaStorageSOPClassUID")
        if kind is not None and "Image Storage" in kind.name:
            raise UnreadableImage(phrase("image_size_missing"))
        raise NoImage(phrase("image_none_in_dicom"))
    if rows * columns * int(data.get("SamplesPerPixel", 1)) > MAX_PIXELS:
        raise UnreadableImage(
            phrase("image_claims_above_limit", width=str(columns), height=str(rows), limit=MAX_PIXELS)
        )


def _check_pixels(data: FileDataset, content: bytes) -> None:
    """UnreadableImage for a file that a reader of its pixels would refuse, as far as its length shows it."""
    if data.get("Modality") == "SEG":
        raise NoImage(phrase("image_segmentation"))
    syntax = data.file_meta.get("TransferSyntaxUID")
    if syntax == DeflatedExplicitVRLittleEndian:
        return
    starts = [start for tag in _PIXEL_TAGS if (start := content.find(tag)) >= 0]
    if not starts:
        raise UnreadableImage(phrase("image_dicom_without_pixels"))
    values = (
        int(data.Rows) * int(data.Columns) * int(data.get("SamplesPerPixel", 1) or 1) * _count_frames(data)
    )
    bits = int(data.get("BitsAllocated", 8) or 8)
    stored = len(content) - min(starts) - _ELEMENT_HEADER
    if syntax is not None and not syntax.is_compressed and stored < values * bits // 8:
        raise UnreadableImage(phrase("image_pixels_missing"))


def _palette(data: Dataset) -> bool:
    return bool(data.get("PhotometricInterpretation") == "PALETTE COLOR")


def _to_8_bit(colors: npt.NDArray[Any], bits: int) -> Pixels:
    """(H, W, 3) of `bits` bits → uint8."""
    if colors.dtype == np.uint8 and bits <= 8:
        return np.ascontiguousarray(colors[:, :, :3])
    largest = 255 if colors.dtype == np.uint8 else 2**bits - 1
    scaled = np.rint(colors[:, :, :3].astype(np.float32) * (255 / largest)).clip(0, 255)
    return np.asarray(scaled, dtype=np.uint8)


def _first_number(value: Any) -> float | None:
    if value is None:
        return None
    several = value if hasattr(value, "__iter__") and not isinstance(value, str) else [value]
    first = next(iter(several), None)
    return None if first is None or first == "" else float(first)
