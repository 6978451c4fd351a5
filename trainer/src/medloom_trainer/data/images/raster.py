"""PNG, JPEG and TIFF → stored pixels.

Pillow reads them all, but reduces PNG of 16 bits per color to 8; these are read with imagecodecs.

Numbers of more than 16 bits (TIFF) have no largest value that could be shown as white. Those in a known range
(0..65535, or 0..1 as written by programs that divide by the largest value) keep it, so that images are
comparable; others are measurements, shown over the range of their file unless a window is configured.
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
from PIL import Image, ImageFile, ImageOps

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import (
    MAX_PIXELS,
    Calibrated,
    ImageHeader,
    ImagePixels,
    Pixels,
    UnreadableImage,
)

_KIND_OF_PAGE, _BITS_PER_SAMPLE, _PHOTOMETRIC, _SAMPLE_FORMAT = 254, 258, 262, 339
"""Tags of a TIFF."""
_EXIF_ORIENTATION = 0x0112
_CHANNELS = {2: 3, 4: 2, 6: 4}
"""Color type of a PNG → channels: RGB, gray with alpha, RGB with alpha."""


def raster_header(content: bytes) -> ImageHeader:
    """Width and height as on the screen."""
    with _opened(content) as image:
        width, height = image.size
        if _orientation(image) >= 5:  # these exchange the sides
            width, height = height, width
        deep = image.mode.startswith(("I", "F")) or _is_deep_color_png(content)
        channels = 1 if image.mode in ("1", "L", "LA", "F") or image.mode.startswith("I") else 3
        return ImageHeader(width, height, channels, 16 if deep else 8)


def raster_pixels(content: bytes) -> Pixels | Calibrated:
    """(H, W, 1 or 3) uint8 or uint16; TIFF of 32 bits or floating point with the range that is shown."""
    if _is_deep_color_png(content):
        return _deep_color_pixels(content)
    with _opened(content) as image:
        try:
            image.load()
            # In place: an image that is already upright, as most are, is not copied.
            ImageOps.exif_transpose(image, in_place=True)
        except Exception as error:  # for damaged files Pillow raises many kinds, including SyntaxError
            raise UnreadableImage(phrase("image_damaged", error=type(error).__name__)) from None
        if image.mode == "F":
            return _from_floats(np.asarray(image))
        if image.mode.startswith("I"):
            values = np.asarray(image)
            if image.mode.startswith("I;16") and _is_white_zero(image):
                values = np.iinfo(np.uint16).max - values
            return _from_integers(values.view(np.uint32) if _is_unsigned(image) else values)
        return _plain_pixels(image)


def _is_deep_color_png(content: bytes) -> bool:
    """Return whether it has sixteen bits and more than one channel."""
    return (
        content[:4] == b"\x89PNG"
        and content[12:16] == b"IHDR"
        and content[24] == 16
        and content[25] in _CHANNELS
    )


def _deep_color_pixels(content: bytes) -> Pixels:
    """(H, W, 1 or 3) uint16, transparent pixels over black. libpng inflates at most what the header claims,
    and `_opened` refuses a header that claims too much.
    """
    import imagecodecs  # only these files need it

    with _opened(content) as image:
        width, height = image.size
    try:
        samples: Any = imagecodecs.png_decode(content)
    except imagecodecs.PngError:
        raise UnreadableImage(phrase("image_damaged", error="PNG")) from None
    color = content[25]
    if samples.dtype != np.uint16 or samples.shape[:2] != (height, width):
        raise UnreadableImage(phrase("image_damaged", error="PNG"))
    if color == 2:
        rgb: Pixels = samples[:, :, :3]
        return np.ascontiguousarray(rgb)
    alpha = samples[:, :, -1:].astype(np.uint64)
    over_black: Pixels = ((samples[:, :, :-1] * alpha + 32767) // 65535).astype(np.uint16)
    return over_black


def _orientation(image: Image.Image) -> int:
    """The EXIF tag, 1 (upright) to 8, from the header: requesting the EXIF of a PNG from Pillow would decode
    it.
    """
    exif = Image.Exif()
    try:
        exif.load(image.info.get("exif", b""))
        value = exif.get(_EXIF_ORIENTATION, 1)
    except Exception:  # the image can be read although its EXIF block is damaged
        return 1
    return value if isinstance(value, int) else 1


def _is_unsigned(image: Image.Image) -> bool:
    """Return whether a TIFF contains unsigned numbers of 32 bits, which Pillow reads as signed ones."""
    tags = getattr(image, "tag_v2", {})
    return tags.get(_BITS_PER_SAMPLE) == (32,) and tags.get(_SAMPLE_FORMAT, (1,)) == (1,)


def _is_white_zero(image: Image.Image) -> bool:
    """Return whether a TIFF counts from white to black. Pillow inverts only 8-bit images itself."""
    return getattr(image, "tag_v2", {}).get(_PHOTOMETRIC) == 0


def _opened(content: bytes) -> ImageFile.ImageFile:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow's own size warning: the limit here is MAX_PIXELS
            image = Image.open(io.BytesIO(content), formats=("PNG", "JPEG", "TIFF"))
    except Image.DecompressionBombError:
        raise UnreadableImage(phrase("image_too_many_pixels")) from None
    except Exception as error:
        raise UnreadableImage(phrase("image_damaged", error=type(error).__name__)) from None
    if image.width * image.height > MAX_PIXELS:
        message = phrase(
            "image_pixels_above_limit",
            width=str(image.width),
            height=str(image.height),
            limit=MAX_PIXELS,
        )
        raise UnreadableImage(message)
    pages = _count_pages(image)
    if pages > 1:
        raise UnreadableImage(phrase("image_pages", pages=str(pages)))
    return image


def _count_pages(image: ImageFile.ImageFile) -> int:
    """Pages of a TIFF, without reduced copies and masks of another page; 1 for other files."""
    if image.format != "TIFF" or getattr(image, "n_frames", 1) == 1:
        return 1
    pages = 0
    for index in range(image.n_frames):  # type: ignore[attr-defined]
        image.seek(index)
        pages += not (image.tag_v2.get(_KIND_OF_PAGE, 0) & 0b101)  # type: ignore[attr-defined]
    image.seek(0)
    return pages


def _plain_pixels(image: Image.Image) -> Pixels:
    """Any mode of 8 bits per color → (H, W, 1 or 3)."""
    if image.mode in ("LA", "La", "PA", "RGBA", "RGBa") or "transparency" in image.info:
        gray = image.mode in ("1", "L", "LA", "La")
        rgba = np.asarray(image.convert("RGBA"), dtype=np.uint16)
        over_black = ((rgba[:, :, :3] * rgba[:, :, 3:] + 127) // 255).astype(np.uint8)
        return over_black[:, :, :1] if gray else over_black
    if image.mode in ("1", "L"):
        return ImagePixels.of_image(_converted(image, "L"))
    return ImagePixels.of_image(_converted(image, "RGB"))


def _converted(image: Image.Image, mode: str) -> Image.Image:
    """Convert without the copy that Pillow makes of an image that already has this mode."""
    return image if image.mode == mode else image.convert(mode)


def _from_integers(values: Pixels) -> Pixels | Calibrated:
    """(H, W) of any integers → uint16 if that is lossless."""
    low, high = int(values.min()), int(values.max())
    if low >= 0 and high <= 65535:
        return values.astype(np.uint16)[:, :, None]
    return _measured(values.astype(np.float32), low, high)


def _from_floats(values: Pixels) -> Calibrated:
    """(H, W) float32. NaN is shown as the lowest value; UnreadableImage if there is no number."""
    known = values[np.isfinite(values)]
    if not known.size:
        raise UnreadableImage(phrase("image_no_number"))
    low, high = float(known.min()), float(known.max())
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    return _measured(np.nan_to_num(values, nan=low, posinf=high, neginf=low), low, high)


def _measured(values: Pixels, low: float, high: float) -> Calibrated:
    return Calibrated(values[:, :, None], low, high if high > low else low + 1, False)
