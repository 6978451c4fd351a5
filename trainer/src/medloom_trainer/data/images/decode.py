"""Image files → arrays. One table of decoders by kind of file.

A decoder gives the stored pixels (H, W, C), C 1 or 3, uint8 or uint16: palette resolved, EXIF orientation
applied, transparent pixels over black, 16-bit depth kept; or what is wider or in units of its modality with
the range that is shown. `to_record` makes of them what the model sees.
"""

from __future__ import annotations

import importlib
import io
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageFile, ImageOps

from medloom_trainer.data.images.decoded import MAX_PIXELS as MAX_PIXELS
from medloom_trainer.data.images.decoded import Calibrated as Calibrated
from medloom_trainer.data.images.decoded import Depth as Depth
from medloom_trainer.data.images.decoded import ImageHeader as ImageHeader
from medloom_trainer.data.images.decoded import Pixels as Pixels
from medloom_trainer.data.images.decoded import UnreadableImage as UnreadableImage
from medloom_trainer.data.images.png_deep import decode_deep_png, is_deep_colour_png
from medloom_trainer.data.images.wide_pixels import from_floats, from_integers
from medloom_trainer.data.tables.image_cells import Slice

BITS_PER_SAMPLE, PHOTOMETRIC, SAMPLE_FORMAT = 258, 262, 339
"""Tags of a TIFF."""


@dataclass(frozen=True)
class Decoder:
    """How one kind of file is read; both take the whole file and raise UnreadableImage."""

    header: Callable[[bytes], ImageHeader]
    pixels: Callable[[bytes], Pixels | Calibrated] | None = None
    volume: Callable[[bytes, Slice | None], Pixels | Calibrated] | None = None
    """Files that may hold several slices; the slice None is the middle one."""


def read_header(content: bytes) -> ImageHeader:
    """Size and depth without decoding; UnreadableImage when it is no image, or too large a one."""
    return find_decoder(content).header(content)


def decode(content: bytes, part: Slice | None = None) -> Pixels | Calibrated:
    """(H, W, C) uint8 or uint16, C 1 or 3; or one channel in units of its modality. `part`: which slice of a
    volume. UnreadableImage when the file is damaged, cut short, or of an unknown kind.
    """
    decoder = find_decoder(content)
    if decoder.volume is not None:
        return decoder.volume(content, part)
    if part is not None or decoder.pixels is None:
        raise UnreadableImage("has one picture, not slices")
    return decoder.pixels(content)


def to_record(
    pixels: Pixels | Calibrated, size: tuple[int, int], depth: Depth, window: tuple[float, float] | None
) -> Pixels:
    """(H, W, C) stored pixels → (height, width, 3) of `depth` bits.

    window (center, width) in stored units, for images of one channel: its lower end becomes 0, its upper
    end the largest value. Resized with an antialiasing bicubic filter in float32 where depth matters; the
    picture fills the whole size.
    """
    if isinstance(pixels, Calibrated):
        center, width = window or ((pixels.low + pixels.high) / 2, pixels.high - pixels.low)
        shown = np.clip((pixels.values - np.float32(center - width / 2)) / np.float32(width), 0, 1)
        return resized(1 - shown if pixels.inverted else shown, size, depth)
    stored_max = float(np.iinfo(pixels.dtype).max)
    if window is not None and pixels.shape[2] == 1:
        center, width = window
        scaled = np.clip((pixels.astype(np.float32) - (center - width / 2)) / width, 0, 1)
        return resized(scaled, size, depth)
    if pixels.dtype == np.uint8:
        record = resized_8_bit(pixels, size)
        return record if depth == 8 else record.astype(np.uint16) * 257
    return resized(pixels.astype(np.float32) / np.float32(stored_max), size, depth)


def find_decoder(content: bytes) -> Decoder:
    kind = kind_of(content)
    if kind is None:
        raise UnreadableImage("the file is empty" if not content else "not an image of a known kind")
    decoder = DECODERS.get(kind)
    if decoder is None:
        raise UnreadableImage(f"{kind} files cannot be read; convert them to PNG")
    return decoder


def kind_of(content: bytes) -> str | None:
    """Kind by content, not by name."""
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
        return "NIfTI" if kind_of(first_unpacked(content)) == "NIfTI" else None
    return None


def first_unpacked(content: bytes) -> bytes:
    """The first bytes inside a gzip file; nothing where it is damaged, or packed twice."""
    try:
        inside = zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(content, 352)
    except zlib.error:
        return b""
    return b"" if inside[:2] == b"\x1f\x8b" else inside


def raster_header(content: bytes) -> ImageHeader:
    with opened(content) as image:
        width, height = image.size
        if orientation(image) >= 5:  # these swap the sides
            width, height = height, width
        deep = image.mode.startswith(("I", "F")) or is_deep_colour_png(content)
        channels = 1 if image.mode in ("1", "L", "LA", "F") or image.mode.startswith("I") else 3
        return ImageHeader(width, height, channels, 16 if deep else 8)


def orientation(image: Image.Image) -> int:
    """The EXIF tag, 1 (upright) to 8, from what the header holds: asking Pillow for the EXIF of a PNG
    decodes it.
    """
    exif = Image.Exif()
    try:
        exif.load(image.info.get("exif", b""))
        value = exif.get(0x0112, 1)
    except Exception:  # a broken EXIF block makes no broken picture
        return 1
    return value if isinstance(value, int) else 1


def raster_pixels(content: bytes) -> Pixels | Calibrated:
    if is_deep_colour_png(content):
        raster_header(content)  # refuses a bomb
        try:
            return decode_deep_png(content)
        except ValueError as error:
            raise UnreadableImage(str(error)) from None
    with opened(content) as image:
        try:
            image.load()
            upright = ImageOps.exif_transpose(image)
        except Exception as error:  # Pillow lets many kinds through for damaged files, SyntaxError among them
            raise UnreadableImage(f"damaged or cut short ({type(error).__name__})") from None
        if image.mode == "F":
            return from_floats(np.asarray(upright))
        if image.mode.startswith("I"):
            values = np.asarray(upright)
            if image.mode.startswith("I;16") and is_white_zero(image):
                values = np.iinfo(np.uint16).max - values
            return from_integers(values.view(np.uint32) if is_unsigned(image) else values)
        return plain_pixels(upright)


def is_unsigned(image: Image.Image) -> bool:
    """Whether a TIFF holds unsigned numbers of 32 bits, which Pillow reads into signed ones."""
    tags = getattr(image, "tag_v2", {})
    return tags.get(BITS_PER_SAMPLE) == (32,) and tags.get(SAMPLE_FORMAT, (1,)) == (1,)


def is_white_zero(image: Image.Image) -> bool:
    """Whether a TIFF counts from white to black. Pillow turns 8 bits around itself, deeper ones not."""
    return getattr(image, "tag_v2", {}).get(PHOTOMETRIC) == 0


def opened(content: bytes) -> ImageFile.ImageFile:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own size warning: the limit here is MAX_PIXELS
            image = Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "TIFF"))
    except Image.DecompressionBombError:
        raise UnreadableImage("the header claims too many pixels") from None
    except Exception as error:
        raise UnreadableImage(f"damaged or cut short ({type(error).__name__})") from None
    if image.width * image.height > MAX_PIXELS:
        message = f"the header claims {image.width} x {image.height} pixels; the limit is {MAX_PIXELS:,}"
        raise UnreadableImage(message)
    return image


def plain_pixels(image: Image.Image) -> Pixels:
    """Any mode of 8 bits per colour → (H, W, 1 or 3)."""
    if image.mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in image.info:
        grey = image.mode in ("1", "L", "LA", "La")
        rgba = np.asarray(image.convert("RGBA"), dtype=np.uint16)
        over_black = ((rgba[:, :, :3] * rgba[:, :, 3:] + 127) // 255).astype(np.uint8)
        return over_black[:, :, :1] if grey else over_black
    if image.mode in ("1", "L"):
        return np.asarray(image.convert("L"))[:, :, None]
    return np.asarray(image.convert("RGB"))


def resized_8_bit(pixels: Pixels, size: tuple[int, int]) -> Pixels:
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    if image.size != size:
        image = image.resize(size, Image.Resampling.BICUBIC)
    return three_channels(np.asarray(image).reshape(size[1], size[0], -1))


def resized(unit: npt.NDArray[np.float32], size: tuple[int, int], depth: Depth) -> Pixels:
    """(H, W, C) in 0..1 → (height, width, 3) of `depth` bits."""
    planes = [Image.fromarray(np.ascontiguousarray(unit[:, :, channel])) for channel in range(unit.shape[2])]
    if planes[0].size != size:
        planes = [plane.resize(size, Image.Resampling.BICUBIC) for plane in planes]
    largest = 255 if depth == 8 else 65535
    stacked = np.clip(np.stack([np.asarray(plane) for plane in planes], axis=2), 0, 1)
    return three_channels(np.rint(stacked * largest).astype(np.uint8 if depth == 8 else np.uint16))


def three_channels(record: Pixels) -> Pixels:
    return np.ascontiguousarray(np.broadcast_to(record, (*record.shape[:2], 3)))


def library(module: str) -> Decoder:
    """A module `<name>` with `<name>_header` and `<name>_pixels`; its library is imported at the first file
    of the kind.
    """

    def call(function: str, *given: Any) -> Any:
        found = importlib.import_module(f"medloom_trainer.data.images.{module}")
        try:
            return getattr(found, f"{module}_{function}")(*given)
        except UnreadableImage:
            raise
        except Exception as error:  # damaged tags raise whatever the library meets first
            raise UnreadableImage(f"damaged or cut short ({type(error).__name__})") from None

    return Decoder(
        lambda content: call("header", content), volume=lambda content, part: call("pixels", content, part)
    )


DECODERS: dict[str, Decoder] = {
    "PNG": Decoder(raster_header, raster_pixels),
    "JPEG": Decoder(raster_header, raster_pixels),
    "TIFF": Decoder(raster_header, raster_pixels),
    "DICOM": library("dicom"),
    "NIfTI": library("nifti"),
}
