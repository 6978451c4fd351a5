"""Compressed DICOM: every transfer syntax returns the encoded values, with sign, unused bits and colors, and
a frame that claims more than the tags is refused before it is decoded.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
from pydicom import dcmread
from pydicom.pixels.processing import convert_color_space
from pydicom.uid import (
    HTJ2K,
    HTJ2KLossless,
    HTJ2KLosslessRPCL,
    JPEGExtended12Bit,
    JPEGLossless,
    JPEGLosslessSV1,
    JPEGLSLossless,
    JPEGLSNearLossless,
)

from medloom_trainer.data.images import Calibrated, UnreadableImage, to_record
from medloom_trainer.data.images.decoders import decode, read_header
from medloom_trainer.data.images.dicom_codecs import SYNTAXES, plugin_for
from medloom_trainer.data.tables import Slice
from testing.medical_files import compressed_dicom_file
from testing.shared_data import SHARED, shared_files

RNG = np.random.default_rng(3)
GRAY_8 = RNG.integers(0, 256, (9, 7), dtype=np.uint8)
GRAY_16 = RNG.integers(0, 65536, (9, 7), dtype=np.uint16)
SIGNED_16 = RNG.integers(-32768, 32768, (9, 7)).astype(np.int16)
SIGNED_12 = RNG.integers(-2048, 2048, (9, 7)).astype(np.int16)
GRAY_12 = RNG.integers(0, 4096, (9, 7), dtype=np.uint16)
RGB = RNG.integers(0, 256, (9, 7, 3), dtype=np.uint8)
TWELVE = {"BitsStored": 12, "HighBit": 11}
"""Tags for 12 bits in 16."""


def lossless(pixels: Any, bits: int, predictor: int = 1) -> bytes:
    """JPEG lossless; samples are the low bits, as in DICOM for signed values."""
    samples = pixels if pixels.dtype == np.uint8 else pixels.view(np.uint16) & (2**bits - 1)
    return bytes(imagecodecs.jpeg8_encode(samples, lossless=True, predictor=predictor, bitspersample=bits))


def without_color_marks(frame: bytes) -> bytes:
    """A JPEG frame of RGB without color marks: no Adobe segment, components 1, 2, 3."""
    adobe = frame.index(b"\xff\xee")
    length = int.from_bytes(frame[adobe + 2 : adobe + 4], "big")
    plain = bytearray(frame[:adobe] + frame[adobe + 2 + length :])
    header, scan = plain.index(b"\xff\xc3"), plain.index(b"\xff\xda")
    for number in range(3):
        plain[header + 10 + 3 * number] = plain[scan + 5 + 2 * number] = number + 1
    return bytes(plain)


def jpeg_ls(pixels: Any, near: int = 0) -> bytes:
    samples = pixels.view(np.uint16) if pixels.dtype == np.int16 else pixels
    return bytes(imagecodecs.jpegls_encode(samples, near))


def htj2k(pixels: Any) -> bytes:
    return bytes(imagecodecs.htj2k_encode(pixels))


CASES: list[tuple[str, str, Any, Callable[[Any], bytes], dict[str, Any]]] = [
    ("lossless SV1 8", JPEGLosslessSV1, GRAY_8, lambda p: lossless(p, 8), {}),
    ("lossless SV1 16", JPEGLosslessSV1, GRAY_16, lambda p: lossless(p, 16), {}),
    ("lossless SV1 16 signed", JPEGLosslessSV1, SIGNED_16, lambda p: lossless(p, 16), {}),
    ("lossless SV1 12 signed", JPEGLosslessSV1, SIGNED_12, lambda p: lossless(p, 12), TWELVE),
    *(
        (f"lossless predictor {n}", JPEGLossless, GRAY_12, lambda p, n=n: lossless(p, 12, n), TWELVE)
        for n in range(1, 8)
    ),
    ("JPEG-LS 8", JPEGLSLossless, GRAY_8, jpeg_ls, {}),
    ("JPEG-LS 16", JPEGLSLossless, GRAY_16, jpeg_ls, {}),
    ("JPEG-LS 16 signed", JPEGLSLossless, SIGNED_16, jpeg_ls, {}),
    ("HTJ2K lossless 8", HTJ2KLossless, GRAY_8, htj2k, {}),
    ("HTJ2K lossless 16", HTJ2KLosslessRPCL, GRAY_16, htj2k, {}),
    ("HTJ2K 16 signed", HTJ2K, SIGNED_16, htj2k, {}),
]


@pytest.mark.parametrize(
    ("syntax", "pixels", "encode", "tags"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_was_encoded_without_loss_is_decoded(
    tmp_path: Path, syntax: str, pixels: Any, encode: Callable[[Any], bytes], tags: dict[str, Any]
) -> None:
    path = compressed_dicom_file(tmp_path / "a", pixels, syntax, [encode(pixels)], **tags)
    np.testing.assert_array_equal(gray(path), pixels)
    assert read_header(path.read_bytes()).depth == (8 if pixels.dtype == np.uint8 else 16)


def test_slope_and_intercept_apply_to_signed_samples(tmp_path: Path) -> None:
    tags = {**TWELVE, "Modality": "CT", "RescaleSlope": 2, "RescaleIntercept": -1024}
    path = compressed_dicom_file(
        tmp_path / "a", SIGNED_12, JPEGLosslessSV1, [lossless(SIGNED_12, 12)], **tags
    )
    np.testing.assert_array_equal(gray(path), SIGNED_12 * 2.0 - 1024)


@pytest.mark.parametrize("near", [1, 3])
def test_near_lossless_stays_within_its_error(tmp_path: Path, near: int) -> None:
    for pixels in (GRAY_8, GRAY_16):
        path = compressed_dicom_file(tmp_path / "a", pixels, JPEGLSNearLossless, [jpeg_ls(pixels, near)])
        difference = np.abs(gray(path) - pixels.astype(float))
        assert 0 < difference.max() <= near


def test_extended_jpeg_of_12_bits(tmp_path: Path) -> None:
    smooth = (np.add.outer(np.arange(32), np.arange(24)) * 70).astype(np.uint16)
    frame = bytes(imagecodecs.jpeg8_encode(smooth, level=98, bitspersample=12))
    path = compressed_dicom_file(tmp_path / "a", smooth, JPEGExtended12Bit, [frame], **TWELVE)
    assert smooth.max() > 255 and np.abs(gray(path) - smooth).max() < 20


def test_frames_are_decoded_one_by_one(tmp_path: Path) -> None:
    frames = np.stack([GRAY_16, GRAY_16 // 2, GRAY_16 // 4])
    path = compressed_dicom_file(
        tmp_path / "a", frames, JPEGLSLossless, [jpeg_ls(frame) for frame in frames], NumberOfFrames=3
    )
    for number in (1, 2, 3):
        np.testing.assert_array_equal(gray(path, Slice(number, 3)), frames[number - 1])


@pytest.mark.parametrize(
    ("syntax", "encode"),
    [
        (JPEGLosslessSV1, lambda p: lossless(p, 8)),
        (JPEGLSLossless, imagecodecs.jpegls_encode),
        (HTJ2KLossless, imagecodecs.htj2k_encode),
    ],
)
def test_colors(tmp_path: Path, syntax: str, encode: Callable[[Any], bytes]) -> None:
    path = compressed_dicom_file(tmp_path / "a", RGB, syntax, [bytes(encode(RGB))])
    np.testing.assert_array_equal(decode(path.read_bytes()), RGB)


def test_wavelet_colors_are_rgb_once_decoded(tmp_path: Path) -> None:
    path = compressed_dicom_file(
        tmp_path / "a", RGB, HTJ2KLossless, [htj2k(RGB)], PhotometricInterpretation="YBR_RCT"
    )
    np.testing.assert_array_equal(decode(path.read_bytes()), RGB)


def test_ybr_is_converted_once(tmp_path: Path) -> None:
    ybr = convert_color_space(RGB, "RGB", "YBR_FULL")
    for syntax, encoded in (
        (JPEGLosslessSV1, without_color_marks(lossless(ybr, 8))),
        (JPEGLSLossless, bytes(imagecodecs.jpegls_encode(ybr))),
    ):
        path = compressed_dicom_file(
            tmp_path / "a", ybr, syntax, [encoded], PhotometricInterpretation="YBR_FULL"
        )
        np.testing.assert_array_equal(decode(path.read_bytes()), convert_color_space(ybr, "YBR_FULL", "RGB"))


LARGE = np.zeros((900, 700), dtype=np.uint8)


@pytest.mark.parametrize(
    ("syntax", "encode"),
    [(JPEGLosslessSV1, lambda p: lossless(p, 8)), (JPEGLSLossless, jpeg_ls), (HTJ2KLossless, htj2k)],
)
def test_a_frame_that_claims_more_than_the_tags_is_not_decoded(
    tmp_path: Path, syntax: str, encode: Callable[[Any], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = compressed_dicom_file(tmp_path / "a", GRAY_8, syntax, [encode(LARGE)])
    for codec in ("jpeg8_decode", "jpegls_decode", "htj2k_decode"):
        monkeypatch.setattr(imagecodecs, codec, lambda source: pytest.fail("was decoded"))
    with pytest.raises(UnreadableImage, match="cannot be decoded"):
        decode(path.read_bytes())


@pytest.mark.parametrize(
    ("syntax", "encode"),
    [(JPEGLosslessSV1, lambda p: lossless(p, 16)), (JPEGLSLossless, jpeg_ls), (HTJ2KLossless, htj2k)],
)
@pytest.mark.parametrize("kept", [2, 4, 8, 20, 40])
def test_frames_cut_short_are_unreadable(
    tmp_path: Path, syntax: str, encode: Callable[[Any], bytes], kept: int
) -> None:
    path = compressed_dicom_file(tmp_path / "a", GRAY_16, syntax, [encode(GRAY_16)[:kept]])
    with pytest.raises(UnreadableImage), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        decode(path.read_bytes())


def test_pillow_still_reads_what_it_read() -> None:
    assert plugin_for(JPEGExtended12Bit, 8) == "" and plugin_for(None, 8) == ""
    assert {plugin_for(syntax, 12) for syntax in SYNTAXES} == {"imagecodecs"}


@pytest.mark.slow
@pytest.mark.parametrize("file", shared_files("dicom", "*.dcm"))
def test_every_real_file_is_read(file: Path) -> None:
    content = file.read_bytes()
    header = read_header(content)
    record = to_record(decode(content), (32, 32), 8, None)
    assert record.shape == (32, 32, 3) and np.ptp(record) > 20
    assert header.channels == 1 or not np.array_equal(record[:, :, 0], record[:, :, 2])


@pytest.mark.skipif(not SHARED.is_dir(), reason="no ../shared/data/dicom beside the checkout")
@pytest.mark.parametrize(
    ("compressed", "plain"),
    [
        ("MR_small_jpeg_ls_lossless", "MR_small"),
        ("emri_small_jpeg_ls_lossless", "emri_small"),
        ("emri_small_jpeg_2k_lossless", "emri_small"),
        ("MR_small_RLE", "MR_small"),
    ],
)
def test_real_files_give_the_pixels_of_their_uncompressed_twins(compressed: str, plain: str) -> None:
    files = [SHARED / "dicom" / f"{name}.dcm" for name in (compressed, plain)]
    np.testing.assert_array_equal(gray(files[0]), gray(files[1]))


@pytest.mark.skipif(not SHARED.is_dir(), reason="no ../shared/data/dicom beside the checkout")
def test_signs_of_real_files_are_those_of_their_tags() -> None:
    """15 bits signed in 16, which JPEG-LS itself cannot express."""
    file = SHARED / "dicom" / "JLSL_16_15_1_1F.dcm"
    tags = dcmread(file)
    assert (tags.BitsStored, tags.PixelRepresentation) == (15, 1)
    values = gray(file)
    assert values.min() < 0 and values.max() < 2**14


def gray(path: Path, part: Slice | None = None) -> Any:
    """(H, W) values of the modality."""
    pixels = decode(path.read_bytes(), part)
    assert isinstance(pixels, Calibrated)
    return pixels.values[:, :, 0]
