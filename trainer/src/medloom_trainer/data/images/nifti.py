"""NIfTI volumes → axial slices (NIfTI-1 and NIfTI-2, plain or gzipped): brought to RAS, slope and intercept
applied, shown as radiologists do, the patient's right on the left and the front above.

The shown range is that of the whole volume, from its 0.5th to its 99.5th percentile, so that slices compare.
"""

from __future__ import annotations

import zlib
from typing import Any

import nibabel
import numpy as np

from medloom_trainer.data.images.decoded import MAX_PIXELS, Calibrated, ImageHeader, UnreadableImage
from medloom_trainer.data.tables import MIDDLE, Slice

_MAX_UNPACKED_BYTES = 2 * 1024 * 1024 * 1024
_HEADER_BYTES = 540
"""Enough for the header of both versions."""
_nib: Any = nibabel  # its functions have no types
_SHOWN = (0.5, 99.5)


def nifti_header(content: bytes) -> ImageHeader:
    header = _parse_header(_unpacked(content, _HEADER_BYTES))
    shape = _volume_shape(header)
    axes = _nib.orientations.io_orientation(header.get_best_affine())[:, 0]
    along = dict(zip([int(axis) for axis in axes], shape, strict=True))  # axis of RAS → size
    return ImageHeader(along[0], along[1], 1, 8 if header.get_data_dtype() == np.uint8 else 16)


def nifti_pixels(content: bytes, part: Slice | None = None) -> Calibrated:
    """One axial slice: the one that `part` names, else the middle one. NaN shows as the lowest value."""
    raw = _unpacked(content, _MAX_UNPACKED_BYTES + 1)
    if len(raw) > _MAX_UNPACKED_BYTES:
        raise UnreadableImage("would unpack beyond the limit")
    header = _parse_header(raw[:_HEADER_BYTES])
    shape = _volume_shape(header)
    needed = int(header["vox_offset"]) + int(np.prod(shape)) * header.get_data_dtype().itemsize
    if len(raw) < needed:
        raise UnreadableImage("cut short")
    try:
        kind = _nib.Nifti2Image if _is_second(raw) else _nib.Nifti1Image
        volume = _nib.as_closest_canonical(kind.from_bytes(raw))
        values = np.asarray(volume.dataobj, dtype=np.float32).reshape(volume.shape[: len(shape)])
    except Exception as error:
        raise UnreadableImage(f"damaged or cut short ({type(error).__name__})") from None
    known = values[np.isfinite(values)]
    low, high = (float(edge) for edge in np.percentile(known, _SHOWN)) if known.size else (0.0, 1.0)
    if high <= low:  # few voxels differ from the background: their range counts
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    axial = values[::-1, ::-1, (part or MIDDLE).index(values.shape[2])].T
    shown = np.nan_to_num(axial, nan=low, posinf=high, neginf=low)
    return Calibrated(np.ascontiguousarray(shown)[:, :, None], low, high if high > low else low + 1, False)


def _volume_shape(header: Any) -> tuple[int, int, int]:
    """Sizes of a 3D volume; a series of volumes is refused, because it is not one image."""
    shape = tuple(int(size) for size in header.get_data_shape())
    while len(shape) > 3 and shape[-1] == 1:
        shape = shape[:-1]
    if len(shape) > 3:
        raise UnreadableImage(f"has {len(shape)} dimensions; save one volume of it as a file of its own")
    if len(shape) < 2 or min(shape) < 1:
        raise UnreadableImage("holds no volume")
    shape = (*shape, 1)[:3]
    if shape[0] * shape[1] * shape[2] > 3 * MAX_PIXELS:
        raise UnreadableImage("the header claims too many voxels")
    return shape[0], shape[1], shape[2]


def _parse_header(raw: bytes) -> Any:
    if raw[344:347] == b"ni1":
        raise UnreadableImage("the header of a pair of files; save it as one .nii file")
    try:
        kind, size = (_nib.Nifti2Header, 540) if _is_second(raw) else (_nib.Nifti1Header, 348)
        return kind(raw[:size], check=False)
    except Exception as error:
        raise UnreadableImage(f"damaged or cut short ({type(error).__name__})") from None


def _is_second(raw: bytes) -> bool:
    return raw[4:7] == b"n+2"


def _unpacked(content: bytes, most: int) -> bytes:
    """At most `most` bytes of what a gzip file holds; other content as it is."""
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(content, most)
    except zlib.error:
        raise UnreadableImage("damaged gzip file") from None
