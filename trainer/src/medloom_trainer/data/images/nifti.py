"""NIfTI volumes → slices (NIfTI-1 and NIfTI-2, plain or gzipped): converted to RAS, slope and intercept
applied, shown in radiological convention.

The shown range is that of the whole volume, so that slices are comparable: Hounsfield units as those of
DICOM, otherwise from the minimum to the 99.5th percentile, with brighter values compressed. Models of older
versions clip at the 0.5th and the 99.5th percentile.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import nibabel
import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import (
    FIRST_RULES,
    MAX_PIXELS,
    NEWEST_RULES,
    Calibrated,
    Depth,
    ImageHeader,
    Pixels,
    UnreadableImage,
)
from medloom_trainer.data.images.slices import (
    CT_RANGE,
    looks_like_ct,
    position,
    robust_range,
    slices_with_content,
    usual_range,
)
from medloom_trainer.data.tables import Axis, Slice

_MAX_UNPACKED_BYTES = 2 * 1024 * 1024 * 1024
_HEADER_BYTES = 540
"""Sufficient for the header of both versions."""
_nib: Any = nibabel  # its functions have no types


def nifti_header(content: bytes) -> ImageHeader:
    """Return size and number of slices of a NIfTI volume in RAS orientation."""
    header = _parse_header(_unpacked(content, _HEADER_BYTES))
    shape = _volume_shape(header)
    axes = _nib.orientations.io_orientation(_affine(header))[:, 0]
    along = dict(zip([int(axis) for axis in axes], shape, strict=True))  # axis of RAS → size
    color = _has_color(header)
    depth: Depth = 8 if color or header.get_data_dtype() == np.uint8 else 16
    return ImageHeader(along[0], along[1], 3 if color else 1, depth, slices=along[2], measured=not color)


def nifti_facts(content: bytes) -> tuple[None, tuple[float, float, float] | None, tuple[()]]:
    """(modality, spacing, windows) as in `ImageFacts`: a NIfTI file only contains the spacing."""
    header = _parse_header(_unpacked(content, _HEADER_BYTES))
    axes = _nib.orientations.io_orientation(_affine(header))[:, 0]
    sizes = [*(float(size) for size in header.get_zooms()[:3]), 0.0, 0.0][:3]
    along = dict(zip([int(axis) for axis in axes], sizes, strict=True))
    return None, (along[0], along[1], along[2]), ()


def nifti_slices(
    content: bytes, parts: Sequence[Slice | None], rules: int = NEWEST_RULES
) -> list[Pixels | Calibrated | UnreadableImage]:
    """The slices that `parts` name; None: the middle axial one. NaN is shown as the lowest value. All slices
    have one range; colors are unchanged. rules: version of those of the range."""
    values, spacing = _read_volume(content)
    colors = values if values.ndim == 4 else None
    if colors is not None:
        values = colors.max(axis=3).astype(np.float32)
    usual = usual_range(values)
    stacks = {part.axis if part else "axial" for part in parts}
    shown = {axis: _as_shown(values, axis) for axis in stacks}
    content_of = {
        axis: slices_with_content(list(shown[axis]), *usual)
        for axis in {part.axis for part in parts if part is not None and part.spread == "content"}
    }
    is_fine = nifti_header(content).depth == 16
    (low, high), compressed = _shown_range(values, usual, rules, is_fine=is_fine)
    slices: list[Pixels | Calibrated | UnreadableImage] = []
    for part in parts:
        axis = part.axis if part else "axial"
        stack = shown[axis]
        place = position(part, len(stack), content_of.get(axis))
        if colors is not None:
            planes = [_as_shown(colors[..., channel], axis)[place] for channel in range(3)]
            slices.append(np.ascontiguousarray(np.stack(planes, axis=2)))
            continue
        plane = stack[place]
        plane = np.nan_to_num(plane, nan=low, posinf=high, neginf=low)
        height, width = (spacing[side] for side in _SIDES[axis])
        aspect = height / width if height > 0 and width > 0 else 1.0
        values_shown = np.ascontiguousarray(plane)[:, :, None]
        slices.append(Calibrated(values_shown, low, high, False, aspect, compressed=compressed))
    return slices


def _shown_range(
    values: npt.NDArray[Any], usual: tuple[float, float], rules: int, *, is_fine: bool
) -> tuple[tuple[float, float], bool]:
    """((low, high), whether higher values are compressed instead of clipped). is_fine: records have 16 bits;
    the steps of 8 bits are too coarse for compressed values."""
    if rules == FIRST_RULES:
        return usual, False
    if not is_fine:
        low, high = float(values.min()), float(values.max())
        return (low, high if high > low else low + 1), False
    return (CT_RANGE, False) if looks_like_ct(values) else (robust_range(values), True)


def _read_volume(content: bytes) -> tuple[npt.NDArray[Any], tuple[float, ...]]:
    """(x, y, z) in RAS, slope and intercept applied, or (x, y, z, 3) colors as uint8; and the size of a
    voxel."""
    raw = _unpacked(content, _MAX_UNPACKED_BYTES + 1)
    if len(raw) > _MAX_UNPACKED_BYTES:
        raise UnreadableImage(phrase("image_decompressed_too_large"))
    header = _parse_header(raw[:_HEADER_BYTES])
    shape = _volume_shape(header)
    needed = int(header["vox_offset"]) + int(np.prod(shape)) * header.get_data_dtype().itemsize
    if len(raw) < needed:
        raise UnreadableImage(phrase("image_truncated"))
    try:
        kind = _nib.Nifti2Image if _is_second(raw) else _nib.Nifti1Image
        image = kind.from_bytes(raw)
        data = np.asarray(image.dataobj).reshape(shape)
        volume = _nib.as_closest_canonical(_nib.Nifti1Image(data, _affine(header)))
        values = np.asarray(volume.dataobj)
        if _has_color(header):
            values = np.stack([values[channel] for channel in "RGB"], axis=-1)
        else:
            values = values.astype(np.float32)
    except Exception as error:
        raise UnreadableImage(phrase("image_damaged", error=type(error).__name__)) from None
    return values, (*(float(size) for size in volume.header.get_zooms()), 1.0)[:3]


def _as_shown(values: npt.NDArray[np.float32], axis: Axis) -> npt.NDArray[np.float32]:
    """RAS (x, y, z) → (slices, rows, columns) in radiological convention: axial with anterior at the top,
    coronal and sagittal with the head at the top; the patient's right, or anterior, on the left.
    """
    if axis == "axial":
        return values[::-1, ::-1].transpose(2, 1, 0)
    if axis == "coronal":
        return values[::-1, :, ::-1].transpose(1, 2, 0)
    return values[:, ::-1, ::-1].transpose(0, 2, 1)


_SIDES: dict[Axis, tuple[int, int]] = {"axial": (1, 0), "coronal": (2, 0), "sagittal": (2, 1)}
"""Axes of RAS that are the height and the width of a slice."""


def _affine(header: Any) -> npt.NDArray[np.float64]:
    """Voxels → millimeters in RAS, from the first of sform, qform and voxel sizes that is invertible; a size
    of zero counts as 1."""
    candidates = [header.get_sform] if header["sform_code"] > 0 else []
    candidates += [header.get_qform] if header["qform_code"] > 0 else []
    for candidate in candidates:
        affine = np.asarray(candidate(), dtype=np.float64)
        if np.isfinite(affine).all() and abs(np.linalg.det(affine[:3, :3])) > 0:
            return affine
    sizes = [float(size) or 1.0 for size in (*header.get_zooms(), 1.0, 1.0, 1.0)[:3]]
    return np.diag([*sizes, 1.0])


def _has_color(header: Any) -> bool:
    return header.get_data_dtype().fields is not None and "R" in header.get_data_dtype().fields


def _volume_shape(header: Any) -> tuple[int, int, int]:
    """Sizes of a 3D volume; a series of volumes is refused, because it is not one image."""
    shape = tuple(int(size) for size in header.get_data_shape())
    while len(shape) > 3 and shape[-1] == 1:
        shape = shape[:-1]
    if len(shape) > 3:
        raise UnreadableImage(phrase("image_dimensions", number=str(len(shape))))
    if len(shape) < 2 or min(shape) < 1:
        raise UnreadableImage(phrase("image_no_volume"))
    if header.get_data_dtype().kind == "c":
        raise UnreadableImage(phrase("image_complex"))
    shape = (*shape, 1)[:3]
    if shape[0] * shape[1] * shape[2] > 3 * MAX_PIXELS:
        raise UnreadableImage(phrase("image_too_many_voxels"))
    return shape[0], shape[1], shape[2]


def _parse_header(raw: bytes) -> Any:
    if raw[344:347] == b"ni1":
        raise UnreadableImage(phrase("image_two_files"))
    try:
        kind, size = (_nib.Nifti2Header, 540) if _is_second(raw) else (_nib.Nifti1Header, 348)
        return kind(raw[:size], check=False)
    except Exception as error:
        raise UnreadableImage(phrase("image_damaged", error=type(error).__name__)) from None


def _is_second(raw: bytes) -> bool:
    return raw[4:7] == b"n+2"


def _unpacked(content: bytes, most: int) -> bytes:
    """At most `most` bytes of the content of a gzip file of one or several members; other content
    unchanged."""
    if content[:2] != b"\x1f\x8b":
        return content
    parts: list[bytes] = []
    remaining = content
    try:
        while remaining[:2] == b"\x1f\x8b" and most > 0:
            member = zlib.decompressobj(16 + zlib.MAX_WBITS)
            parts.append(member.decompress(remaining, most))
            most -= len(parts[-1])
            remaining = member.unused_data
    except zlib.error:
        raise UnreadableImage(phrase("image_gzip_damaged")) from None
    return b"".join(parts)
