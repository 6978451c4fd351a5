"""Compressed DICOM frames that pydicom and Pillow do not decode: JPEG of 12 bits, JPEG lossless, JPEG-LS and
HTJ2K.

imagecodecs decodes them as a plugin of pydicom's decoders (pydicom.pixels, "Decoder plugins"): the plugin
returns the samples as they were stored, and pydicom then applies their sign, their unused bits and the
conversion from YBR to RGB, as for every other transfer syntax. A plugin is a module with `is_available` and
`DECODER_DEPENDENCIES`.
"""

from __future__ import annotations

import struct
from typing import Any

import imagecodecs
import numpy as np
import numpy.typing as npt
from pydicom.pixels.common import PhotometricInterpretation
from pydicom.pixels.decoders.base import DecodeRunner, get_decoder
from pydicom.uid import (
    HTJ2K,
    UID,
    HTJ2KLossless,
    HTJ2KLosslessRPCL,
    JPEG2000TransferSyntaxes,
    JPEGExtended12Bit,
    JPEGLossless,
    JPEGLosslessSV1,
    JPEGLSLossless,
    JPEGLSNearLossless,
    JPEGLSTransferSyntaxes,
)

_PLUGIN = "imagecodecs"
SYNTAXES = (
    JPEGExtended12Bit, JPEGLossless, JPEGLosslessSV1, JPEGLSLossless, JPEGLSNearLossless,
    HTJ2KLossless, HTJ2KLosslessRPCL, HTJ2K,
)  # fmt: skip
DECODER_DEPENDENCIES = dict.fromkeys(SYNTAXES, (_PLUGIN,))

_NOT_FRAMES = frozenset({0xC4, 0xC8, 0xCC})
"""Markers between SOF0 and SOF15 that do not start a frame header (ITU-T T.81, table B.1)."""
_SOF55 = 0xF7
"""Frame header of JPEG-LS (ITU-T T.87)."""


def is_available(uid: str) -> bool:
    return uid in SYNTAXES


def register() -> None:
    """Register this plugin in pydicom; it may be called more than once."""
    for uid in SYNTAXES:
        decoder = get_decoder(uid)
        if _PLUGIN not in decoder.available_plugins:
            decoder.add_plugin(_PLUGIN, (__name__, "decode_frame"))


def plugin_for(uid: UID | None, bits_stored: int) -> str:
    """The plugin that decodes files of this transfer syntax; "" leaves the choice to pydicom.

    Pillow reads JPEG extended of 8 bits.
    """
    return _PLUGIN if uid in SYNTAXES and not (uid == JPEGExtended12Bit and bits_stored <= 8) else ""


def decode_frame(source: bytes, runner: DecodeRunner) -> bytes:
    """One frame → its samples, color by pixel. ValueError if its size differs from that in the tags."""
    claimed = _claimed_shape(source, runner.transfer_syntax)
    announced = (runner.rows, runner.columns, runner.samples_per_pixel)
    if claimed != announced:  # before decoding: a frame may claim more than the tags
        raise ValueError(f"a frame has the shape {claimed}, but its tags state {announced}")
    samples = _decode(source, runner)
    if samples.dtype.itemsize not in (1, 2) or samples.size != np.prod(announced):
        raise ValueError(f"{samples.dtype} samples of shape {samples.shape}")
    if samples.ndim == 3 and samples.shape != announced:  # color by plane
        samples = np.moveaxis(samples, 0, 2)
    runner.set_option("bits_allocated", 8 * samples.dtype.itemsize)
    if runner.samples_per_pixel > 1:
        runner.set_option("planar_configuration", 0)
        _settle_colors(samples, runner)
    return np.ascontiguousarray(samples).tobytes()


def _claimed_shape(source: bytes, uid: UID) -> tuple[int, int, int]:
    """(rows, columns, samples per pixel) in the header of a frame."""
    try:
        return _shape_of_jpeg2000(source) if uid in JPEG2000TransferSyntaxes else _shape_of_jpeg(source)
    except (IndexError, struct.error):
        raise ValueError("a frame is truncated") from None


def _decode(source: bytes, runner: DecodeRunner) -> npt.NDArray[Any]:
    uid = runner.transfer_syntax
    if uid in JPEG2000TransferSyntaxes:
        return np.asarray(imagecodecs.htj2k_decode(source))
    if uid in JPEGLSTransferSyntaxes:
        return np.asarray(imagecodecs.jpegls_decode(source))
    if runner.samples_per_pixel == 1:
        return np.asarray(imagecodecs.jpeg8_decode(source))
    # The same color space in and out: the tags decide about the conversion, not the JPEG markers.
    return np.asarray(imagecodecs.jpeg8_decode(source, colorspace="YCBCR", outcolorspace="YCBCR"))


def _settle_colors(samples: npt.NDArray[Any], runner: DecodeRunner) -> None:
    colors = runner.photometric_interpretation
    if colors in (PhotometricInterpretation.YBR_ICT, PhotometricInterpretation.YBR_RCT):
        # The wavelet codecs have already reversed their own transform.
        runner.set_option("photometric_interpretation", PhotometricInterpretation.RGB)
    elif str(colors).startswith("YBR") and samples.dtype.itemsize > 1:
        raise ValueError("YBR with more than 8 bits cannot be converted to RGB")


def _shape_of_jpeg(source: bytes) -> tuple[int, int, int]:
    """Shape from the frame header of JPEG (ITU-T T.81, B.2.2) or JPEG-LS."""
    place = 2
    while True:
        first, marker, length = struct.unpack_from(">BBH", source, place)
        if first != 0xFF:
            raise ValueError("not a JPEG frame")
        if marker == 0xFF:  # a fill byte before the marker
            place += 1
        elif marker == _SOF55 or (0xC0 <= marker <= 0xCF and marker not in _NOT_FRAMES):
            rows, columns, samples = struct.unpack_from(">HHB", source, place + 5)
            return rows, columns, samples
        else:
            place += 2 + length


def _shape_of_jpeg2000(source: bytes) -> tuple[int, int, int]:
    """Shape from the SIZ segment (ITU-T T.800, A.5.1)."""
    place = source.index(b"\xff\x4f\xff\x51") + 8
    right, bottom, left, top = struct.unpack_from(">IIII", source, place)
    (samples,) = struct.unpack_from(">H", source, place + 32)
    return bottom - top, right - left, samples
