"""The package decodes images exactly as the training does, and refuses what it cannot read."""

from __future__ import annotations

import io

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from medloom_trainer.data.images import decode_parts, to_record
from medloom_trainer.export.package.medloom_model import InputError, image_record

RANDOM = np.random.default_rng(0)
SIZE = (32, 24)


def encoded(image, format="PNG", **options):
    buffer = io.BytesIO()
    image.save(buffer, format, **options)
    return buffer.getvalue()


def noise(*shape, dtype=np.uint8):
    return RANDOM.integers(0, np.iinfo(dtype).max, shape, dtype=dtype)


def oriented(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


SMOOTH = np.add.outer(np.arange(40) * 900, np.arange(50) * 500)
DEEP = np.stack([SMOOTH, SMOOTH[::-1], SMOOTH // 2], axis=2).astype(np.uint16)
IMAGES = {
    "rgb": encoded(Image.fromarray(noise(40, 50, 3))),
    "gray": encoded(Image.fromarray(noise(40, 50))),
    "own size": encoded(Image.fromarray(noise(24, 32, 3))),
    "very wide": encoded(Image.fromarray(noise(3, 200, 3))),
    "one pixel": encoded(Image.fromarray(noise(1, 1))),
    "alpha": encoded(Image.fromarray(noise(40, 50, 4))),
    "gray and alpha": encoded(Image.fromarray(noise(40, 50, 4)).convert("LA")),
    "palette": encoded(Image.fromarray(noise(40, 50, 3)).quantize(16)),
    "transparent palette": encoded(Image.fromarray(noise(40, 50, 3)).quantize(16), transparency=3),
    "bits": encoded(Image.fromarray(noise(40, 50)).convert("1")),
    "jpeg": encoded(Image.fromarray(noise(40, 50, 3)), "JPEG"),
    "gray jpeg": encoded(Image.fromarray(noise(40, 50)), "JPEG"),
    "cmyk jpeg": encoded(Image.fromarray(noise(40, 50, 3)).convert("CMYK"), "JPEG"),
    "turned jpeg": encoded(Image.fromarray(noise(40, 50, 3)), "JPEG", exif=oriented(6)),
    "turned png": encoded(Image.fromarray(noise(40, 50, 3)), exif=oriented(3)),
    "gray of 16 bits": encoded(Image.fromarray(noise(40, 50, dtype=np.uint16))),
    "dark gray of 16 bits": encoded(Image.fromarray(noise(40, 50).astype(np.uint16))),
    "colors of 16 bits": imagecodecs.png_encode(DEEP),
    "noise of 16 bits": imagecodecs.png_encode(noise(40, 50, 3, dtype=np.uint16)),
    "alpha of 16 bits": imagecodecs.png_encode(noise(40, 50, 4, dtype=np.uint16)),
    "gray and alpha of 16 bits": imagecodecs.png_encode(noise(40, 50, 2, dtype=np.uint16)),
}


@pytest.mark.parametrize("name", IMAGES)
@pytest.mark.parametrize("depth", [8, 16])
@pytest.mark.parametrize("fit", ["letterbox", "stretch"])
@pytest.mark.parametrize("window", [None, (100.0, 80.0)])
def test_records_equal_those_of_the_training(name, depth, fit, window):
    (pixels,) = decode_parts(IMAGES[name], [None])
    expected = to_record(pixels, SIZE, depth, window, fit)
    settings = {"size": list(SIZE), "depth": depth, "fit": fit, "window": window and list(window)}
    found = image_record(IMAGES[name], settings)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", range(5))
def test_every_filter_of_a_png_of_16_bits(method):
    content = imagecodecs.png_encode(DEEP, filter=1 << (method + 3), level=1)
    (pixels,) = decode_parts(content, [None])
    settings = {"size": [50, 40], "depth": 16, "fit": "stretch", "window": None}
    np.testing.assert_array_equal(image_record(content, settings), to_record(pixels, (50, 40), 16, None))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\0" * 128 + b"DICM" + b"\0" * 300, "DICOM"),
        (b"\0" * 344 + b"n+1\0", "NIfTI"),
        (b"\x1f\x8b" + b"\0" * 400, "NIfTI"),
        (b"II*\0" + b"\0" * 400, "TIFF"),
        (b"hello", "unknown"),
        (IMAGES["rgb"][:200], "damaged"),
        (IMAGES["colors of 16 bits"][:200], "damaged"),
    ],
)
def test_other_files_are_refused_with_their_kind(content, reason):
    with pytest.raises(InputError, match=reason):
        image_record(content, {"size": [8, 8], "depth": 8, "fit": "letterbox", "window": None})
