"""validity.md rule 13: depth, palette, alpha, orientation are correct; bombs and damage are refused with a
reason.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from medloom_trainer.data.images import UnreadableImage, to_record
from medloom_trainer.data.images.decoders import decode, read_header
from medloom_trainer.data.images.image_files import identify, locate


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def gray16(pixels: np.ndarray) -> bytes:
    return saved(Image.fromarray(pixels.astype(np.uint16)))


def deep_png(
    pixels: np.ndarray, color: int, filters: list[int], claimed: tuple[int, int] | None = None
) -> bytes:
    """A PNG of 16 bits per color, written row by row with the given filters (PNG 1.2 chapter 6)."""
    height, width, channels = pixels.shape
    raw = pixels.astype(">u2").view(np.uint8).reshape(height, -1).astype(int)
    unit, above, body = channels * 2, np.zeros(width * channels * 2, dtype=int), b""
    for y, line in enumerate(raw):
        left = np.concatenate([np.zeros(unit, dtype=int), line[:-unit]])
        corner = np.concatenate([np.zeros(unit, dtype=int), above[:-unit]])
        guess = left + above - corner
        far = np.stack([abs(guess - left), abs(guess - above), abs(guess - corner)])
        paeth = np.choose(far.argmin(axis=0), [left, above, corner])
        kind = filters[y % len(filters)]
        predicted = [0 * line, left, above, (left + above) // 2, paeth][kind]
        body += bytes([kind]) + ((line - predicted) % 256).astype(np.uint8).tobytes()
        above = line

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    size = claimed or (width, height)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 16, color, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")


def test_gray_of_16_bits_keeps_its_depth() -> None:
    pixels = np.asarray([[0, 255, 256], [4095, 40000, 65535]])
    assert read_header(gray16(pixels)).depth == 16
    decoded = decode(gray16(pixels))
    assert decoded.dtype == np.uint16
    np.testing.assert_array_equal(decoded[:, :, 0], pixels)
    record = to_record(decoded, (3, 2), 16, None)
    np.testing.assert_array_equal(record[:, :, 1], pixels)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.sampled_from([2, 6, 4]), st.lists(st.integers(0, 4), min_size=1, max_size=5)
)
def test_color_of_16_bits_keeps_its_depth_through_every_filter(
    seed: int, color: int, filters: list[int]
) -> None:
    channels = {2: 3, 4: 2, 6: 4}[color]
    pixels = np.random.default_rng(seed).integers(0, 65536, (6, 5, channels))
    content = deep_png(pixels, color, filters)
    assert read_header(content).depth == 16
    expected = pixels
    if color != 2:
        expected = (pixels[:, :, :-1].astype(object) * pixels[:, :, -1:] + 32767) // 65535
    np.testing.assert_array_equal(decode(content), expected.astype(np.uint16))


def test_8_bits_in_a_store_of_16_use_the_whole_range() -> None:
    pixels = np.asarray([[[0], [1], [255]]], dtype=np.uint8)
    assert to_record(pixels, (3, 1), 16, None)[0, :, 2].tolist() == [0, 257, 65535]
    assert to_record(pixels, (3, 1), 8, None)[0, :, 2].tolist() == [0, 1, 255]


def test_orientation_is_applied() -> None:
    pixels = np.arange(6, dtype=np.uint8).reshape(2, 3) * 40
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: rotate by 90 degrees clockwise to see it upright
    content = saved(Image.fromarray(pixels), exif=exif)
    assert (read_header(content).width, read_header(content).height) == (2, 3)
    np.testing.assert_array_equal(decode(content)[:, :, 0], np.rot90(pixels, -1))


def shades(content: bytes, window: tuple[float, float] | None = None) -> list[int]:
    """The record of one row of pixels, in 16 bits."""
    pixels = decode(content)
    assert read_header(content).depth == 16
    return to_record(pixels, (read_header(content).width, 1), 16, window)[0, :, 0].tolist()


def tiff(values: list[Any], kind: Any) -> bytes:
    return saved(Image.fromarray(np.asarray([values], dtype=kind)), "TIFF")


def test_floating_point_keeps_its_shades() -> None:
    assert shades(tiff([0, 0.25, 0.5, 1], np.float32)) == [0, 16384, 32768, 65535]
    # Images of one scale are comparable: a dark one remains dark.
    assert shades(tiff([0, 0.1, 0.2], np.float32)) == [0, 6554, 13107]
    assert shades(tiff([-1000, 0, 1000, 3000], np.float32)) == [0, 16384, 32768, 65535]
    assert shades(tiff([np.nan, np.inf, -5, 5], np.float32)) == [0, 65535, 0, 65535]
    assert shades(tiff([-1000, 0, 50, 3000], np.float32), (50.0, 100.0)) == [0, 0, 32768, 65535]
    with pytest.raises(UnreadableImage, match="contains no number"):
        decode(tiff([np.nan, np.nan], np.float32))


def test_whole_numbers_of_32_bits_keep_their_shades() -> None:
    assert shades(tiff([0, 300, 65535], np.int32)) == [0, 300, 65535]
    assert shades(tiff([0, 50_000, 100_000, 200_000], np.int32)) == [0, 16384, 32768, 65535]
    assert shades(tiff([-100, 0, 100, 300], np.int32)) == [0, 16384, 32768, 65535]
    # Unsigned: the same bits with another sample format (tag 339, one short; 1 instead of 2).
    signed = tiff([0, 2**30, -(2**31), -1], np.int32)
    unsigned = signed.replace(struct.pack("<HHII", 339, 3, 1, 2), struct.pack("<HHII", 339, 3, 1, 1))
    assert shades(unsigned) == [0, 16384, 32768, 65535]


def test_white_is_zero_is_turned_around() -> None:
    # The tag (262, one short): 1 means black is zero, 0 white.
    for kind, largest in ((np.uint8, 255), (np.uint16, 65535)):
        black_is_zero = tiff([0, 100, largest], kind)
        white_is_zero = black_is_zero.replace(
            struct.pack("<HHII", 262, 3, 1, 1), struct.pack("<HHII", 262, 3, 1, 0)
        )
        assert white_is_zero != black_is_zero
        assert decode(white_is_zero).ravel().tolist() == [largest, largest - 100, 0]


def test_palette_and_alpha_become_plain_colors() -> None:
    rgb = np.asarray([[[200, 10, 30], [0, 90, 255]]], dtype=np.uint8)
    palette = Image.fromarray(rgb).quantize(4)
    np.testing.assert_allclose(decode(saved(palette)), rgb, atol=8)
    transparent = np.dstack([rgb, np.asarray([[255, 0]], dtype=np.uint8)])
    assert decode(saved(Image.fromarray(transparent))).tolist() == [[[200, 10, 30], [0, 0, 0]]]
    gray = Image.fromarray(np.asarray([[[80, 255], [80, 128]]], dtype=np.uint8), "LA")
    assert decode(saved(gray)).tolist() == [[[80], [40]]]


@pytest.mark.parametrize("mode", ["1", "L", "RGB", "CMYK", "YCbCr"])
def test_every_common_mode_is_read(mode: str) -> None:
    kind = "PNG" if mode == "1" else "JPEG"
    decoded = decode(saved(Image.new("RGB", (4, 3), (255, 255, 255)).convert(mode), kind))
    assert decoded.shape[:2] == (3, 4)
    assert decoded.min() >= 250


def test_a_window_is_in_stored_units() -> None:
    pixels = np.asarray([[900, 1000, 1100, 1200]])
    record = to_record(decode(gray16(pixels)), (4, 1), 16, (1050.0, 200.0))
    assert record[0, :, 0].tolist() == [0, 16384, 49151, 65535] or record[0, :, 0].tolist() == [
        0,
        16384,
        49152,
        65535,
    ]
    color = np.full((1, 1, 3), 7, dtype=np.uint8)
    assert to_record(color, (1, 1), 8, (1050.0, 200.0))[0, 0, 0] == 7  # only for images of one channel


@pytest.mark.parametrize("depth", [8, 16])
def test_shrinking_averages_instead_of_skipping(depth: Any) -> None:
    stripes = np.tile(np.asarray([0, 255], dtype=np.uint8), (64, 32))[:, :, None]
    pixels = stripes if depth == 8 else stripes.astype(np.uint16) * 257
    record = to_record(pixels, (8, 8), depth, None)[1:-1, 1:-1] / (255 if depth == 8 else 65535)
    assert abs(record - 0.5).max() < 0.05


def bomb(side: int) -> bytes:
    content = bytearray(saved(Image.new("L", (1, 1))))
    content[16:24] = struct.pack(">II", side, side)
    content[29:33] = struct.pack(">I", zlib.crc32(bytes(content[12:29])))
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "empty"),
        (b"hello", "not an image"),
        (bytes(128) + b"DICM", "damaged|without an image"),
        (b"\x1f\x8b\x08", "not an image"),
        (saved(Image.new("RGB", (40, 40)), "JPEG")[:300], "damaged or truncated"),
        (saved(Image.effect_noise((40, 40), 50))[:400], "damaged or truncated"),
        (bomb(12_000), "states 12000 x 12000 pixels"),
        (bomb(60_000), "too many pixels"),
        (deep_png(np.zeros((2, 2, 3)), 2, [0], claimed=(30_000, 30_000)), "too many pixels"),
        (deep_png(np.zeros((2, 2, 3)), 2, [0], claimed=(3, 2)), "damaged or truncated"),
        (deep_png(np.zeros((2, 2, 3)), 2, [0])[:-20], "damaged or truncated"),
    ],
)
def test_unusable_files_have_a_reason(content: bytes, why: str) -> None:
    with pytest.raises(UnreadableImage, match=why):
        decode(content)


def test_a_bomb_is_refused_by_its_header_alone() -> None:
    for side in (12_000, 60_000):
        with pytest.raises(UnreadableImage, match="states"):
            read_header(bomb(side))


def test_a_header_is_read_without_decoding() -> None:
    cut = saved(Image.effect_noise((64, 64), 50))[:200]
    assert (read_header(cut).width, read_header(cut).depth) == (64, 8)


def test_images_stay_inside_the_folders_that_may_be_read(tmp_path: Path) -> None:
    root, other, outside = (tmp_path / name for name in ("root", "other", "outside"))
    for folder in (root, other, outside):
        folder.mkdir()
        (folder / "x.png").write_bytes(b"x")
    (root / "link.png").symlink_to(outside / "x.png")
    allowed = [str(root), str(other)]
    assert locate("x.png", root, [str(root)]) == root / "x.png"
    assert locate("../other/x.png", root, allowed) == other / "x.png"
    for cell in (
        "../outside/x.png",
        "link.png",
        str(outside / "x.png"),
        "../root2/x.png",
        "..\\outside\\x.png",
    ):
        with pytest.raises(UnreadableImage, match="outside"):
            locate(cell, root, allowed)


def test_a_pipe_among_the_images_of_a_training_is_named_and_never_waited_for(tmp_path: Path) -> None:
    pipe, image = tmp_path / "pipe.png", tmp_path / "image.png"
    os.mkfifo(pipe)
    image.write_bytes(saved(Image.new("L", (4, 4))))
    found = identify([pipe, image], tmp_path / "cache", report=lambda done, total: None)
    assert isinstance(found[pipe], UnreadableImage) and "is a named pipe" in str(found[pipe])
    assert not isinstance(found[image], UnreadableImage)


def _turned() -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    return saved(_noise("RGB"), "JPEG", exif=exif)


def _noise(mode: str) -> Image.Image:
    noise = np.random.default_rng(0).integers(0, 256, (90, 140, 3), dtype=np.uint8)
    return Image.fromarray(noise).convert(mode)


@pytest.mark.parametrize(
    "content",
    [
        *(saved(_noise(mode)) for mode in ("RGB", "L", "P", "1")),
        *(saved(_noise(mode), "JPEG") for mode in ("RGB", "L", "CMYK")),
        _turned(),
    ],
)
def test_a_record_is_made_of_exactly_the_decoded_pixels(content: bytes) -> None:
    decoded = decode(content)
    plain = np.array(decoded)
    assert type(plain) is np.ndarray
    for fit in ("letterbox", "stretch"):
        for depth in (8, 16):
            record = to_record(decoded, (32, 32), depth, None, fit)
            assert np.array_equal(record, to_record(plain, (32, 32), depth, None, fit))
    part = decoded[10:50, 20:60]
    assert np.array_equal(to_record(part, (16, 16), 8, None), to_record(np.array(part), (16, 16), 8, None))
