"""Image files → arrays; the first bytes determine the format.

A decoder returns the stored pixels (H, W, C), C 1 or 3, uint8 or uint16: palette resolved, EXIF orientation
applied, transparent pixels over black, 16-bit depth kept; or, for wider values or units of a modality, the
values with the range that is shown. `to_record` (decoded.py) converts them to what the model sees.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import (
    NEWEST_RULES,
    Calibrated,
    Content,
    ImageHeader,
    Pixels,
    UnreadableImage,
)
from medloom_trainer.data.images.raster import raster_header, raster_pixels
from medloom_trainer.data.tables import Slice

NO_SLICES = phrase("image_one_not_slices")


def read_header(content: Content, part: Slice | None = None) -> ImageHeader:
    """Size and depth without decoding; UnreadableImage if it is not an image, if it is too large, or if
    `part` names a slice of an image without slices.
    """
    if not isinstance(content, bytes):
        return replace(_find_decoder(content).header(content[0]), slices=len(content))
    header = _find_decoder(content).header(content)
    if part is not None and not header.slices:
        raise UnreadableImage(NO_SLICES)
    return header


def decode(content: Content, part: Slice | None = None) -> Pixels | Calibrated:
    """(H, W, C) uint8 or uint16, C 1 or 3; or one channel in units of its modality. `part`: a slice of a
    volume; None: the middle one. UnreadableImage if the file is damaged, truncated, or of an unknown kind.
    """
    return decode_parts(content, [part])[0]


def decode_parts(
    content: Content, parts: Sequence[Slice | None], rules: int = NEWEST_RULES
) -> list[Pixels | Calibrated]:
    """The image, or several slices of one volume that is read once; see `decode`. rules: version of those of
    medical images."""
    decoder = _find_decoder(content)
    if decoder.slices is not None:
        return decoder.slices(content, parts, rules)
    if any(part is not None for part in parts):
        raise UnreadableImage(NO_SLICES)
    assert decoder.pixels is not None and isinstance(content, bytes)  # a decoder has one of the two
    return [decoder.pixels(content)] * len(parts)


_FILE_META = b"\x02\0\0\0UL\x04\0"
"""Begin of a DICOM file without its preamble: the length of its file meta information."""


def kind_of(content: bytes) -> str | None:
    """The kind of file, determined by its content and not by its name."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if content[128:132] == b"DICM" or content.startswith(_FILE_META):
        return "DICOM"
    if content[344:347] in (b"n+1", b"ni1") or content[4:7] == b"n+2":
        return "NIfTI"
    if content[:4] in (b"II*\0", b"MM\0*"):
        return "TIFF"
    if content[:2] == b"BM":
        return "BMP"
    if content[:2] == b"\x1f\x8b":
        return "NIfTI" if kind_of(_first_unpacked(content)) == "NIfTI" else None
    return None


@dataclass(frozen=True)
class _Decoder:
    """Functions that read one kind of file; all receive the whole file and raise UnreadableImage."""

    header: Callable[[bytes], ImageHeader]
    pixels: Callable[[bytes], Pixels | Calibrated] | None = None
    slices: Callable[[Content, Sequence[Slice | None], int], list[Pixels | Calibrated]] | None = None
    """For kinds that may contain several images; the slice None is the middle one. The last argument is the
    version of the rules."""


def _find_decoder(content: Content) -> _Decoder:
    if not isinstance(content, bytes):
        return _DECODERS["DICOM"]
    kind = kind_of(content)
    if kind is None:
        raise UnreadableImage(phrase("image_unsupported" if content else "image_empty"))
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise UnreadableImage(phrase("image_format_unreadable", format=kind))
    return decoder


def _first_unpacked(content: bytes) -> bytes:
    """The first bytes inside a gzip file; empty if it is damaged or packed twice."""
    try:
        inside = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(content, 352)
    except zlib.error:
        return b""
    return b"" if inside[:2] == b"\x1f\x8b" else inside


def _volumes(module: str) -> _Decoder:
    """Decoder in a module `<name>` of this folder with `<name>_header` and `<name>_slices`; the module and
    its library are imported at the first file of the kind.
    """

    def call(function: str, *given: Any) -> Any:
        found = importlib.import_module(f"medloom_trainer.data.images.{module}")
        try:
            return getattr(found, f"{module}_{function}")(*given)
        except UnreadableImage:
            raise
        except Exception as error:  # damaged tags raise any error of the library
            raise UnreadableImage(phrase("image_damaged", error=type(error).__name__)) from None

    return _Decoder(
        lambda content: call("header", content),
        slices=lambda content, parts, rules: call("slices", content, parts, rules),
    )


_DECODERS: dict[str, _Decoder] = {
    "PNG": _Decoder(raster_header, raster_pixels),
    "JPEG": _Decoder(raster_header, raster_pixels),
    "TIFF": _Decoder(raster_header, raster_pixels),
    "DICOM": _volumes("dicom"),
    "NIfTI": _volumes("nifti"),
}
READABLE_KINDS = frozenset(_DECODERS)
