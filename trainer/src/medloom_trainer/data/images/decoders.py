"""Image files → arrays, by what their first bytes say they are.

A decoder gives the stored pixels (H, W, C), C 1 or 3, uint8 or uint16: palette resolved, EXIF orientation
applied, transparent pixels over black, 16-bit depth kept; or what is wider or in units of its modality with
the range that is shown. `to_record` (record.py) makes of them what the model sees.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from medloom_trainer.data.images.decoded import Calibrated, ImageHeader, Pixels, UnreadableImage
from medloom_trainer.data.images.raster import raster_header, raster_pixels
from medloom_trainer.data.tables import Slice


def read_header(content: bytes) -> ImageHeader:
    """Size and depth without decoding; UnreadableImage when it is not an image, or too large a one."""
    return _find_decoder(content).header(content)


def decode(content: bytes, part: Slice | None = None) -> Pixels | Calibrated:
    """(H, W, C) uint8 or uint16, C 1 or 3; or one channel in units of its modality. `part`: which slice of a
    volume. UnreadableImage when the file is damaged, cut short, or of an unknown kind.
    """
    decoder = _find_decoder(content)
    if decoder.volume is not None:
        return decoder.volume(content, part)
    if part is not None or decoder.pixels is None:
        raise UnreadableImage("holds one image, not slices")
    return decoder.pixels(content)


def kind_of(content: bytes) -> str | None:
    """The kind of file, by content and not by name."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if content[128:132] == b"DICM":
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
    """How one kind of file is read; all take the whole file and raise UnreadableImage."""

    header: Callable[[bytes], ImageHeader]
    pixels: Callable[[bytes], Pixels | Calibrated] | None = None
    volume: Callable[[bytes, Slice | None], Pixels | Calibrated] | None = None
    """Files that may hold several slices; the slice None is the middle one."""


def _find_decoder(content: bytes) -> _Decoder:
    kind = kind_of(content)
    if kind is None:
        raise UnreadableImage("the file is empty" if not content else "not an image of a known kind")
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise UnreadableImage(f"{kind} files cannot be read; convert them to PNG")
    return decoder


def _first_unpacked(content: bytes) -> bytes:
    """The first bytes inside a gzip file; nothing where it is damaged, or packed twice."""
    try:
        inside = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(content, 352)
    except zlib.error:
        return b""
    return b"" if inside[:2] == b"\x1f\x8b" else inside


def _volumes(module: str) -> _Decoder:
    """A module `<name>` of this folder with `<name>_header` and `<name>_pixels`; it and its library are
    imported at the first file of the kind.
    """

    def call(function: str, *given: Any) -> Any:
        found = importlib.import_module(f"medloom_trainer.data.images.{module}")
        try:
            return getattr(found, f"{module}_{function}")(*given)
        except UnreadableImage:
            raise
        except Exception as error:  # damaged tags raise whatever the library finds first
            raise UnreadableImage(f"damaged or cut short ({type(error).__name__})") from None

    return _Decoder(
        lambda content: call("header", content), volume=lambda content, part: call("pixels", content, part)
    )


_DECODERS: dict[str, _Decoder] = {
    "PNG": _Decoder(raster_header, raster_pixels),
    "JPEG": _Decoder(raster_header, raster_pixels),
    "TIFF": _Decoder(raster_header, raster_pixels),
    "DICOM": _volumes("dicom"),
    "NIfTI": _volumes("nifti"),
}
READABLE_KINDS = frozenset(_DECODERS)
