"""Headers of DICOM and NIfTI files that other software reads: empty or incomplete tags, padding in another
representation, missing orientation, several gzip members.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from PIL import Image
from pydicom import dcmread
from pydicom.dataset import Dataset

from medloom_trainer.data.images import Calibrated, UnreadableImage
from medloom_trainer.data.images.decoders import decode, read_header
from testing.medical_files import dicom_file, nifti_file

RAMP = np.arange(16, dtype=np.int16).reshape(4, 4) * 100
CUBE = np.arange(24, dtype=np.int16).reshape(2, 3, 4)


def decoded(path: Path) -> Calibrated:
    read_header(path.read_bytes(), None)
    pixels = decode(path.read_bytes(), None)
    assert isinstance(pixels, Calibrated)
    return pixels


def lookup(bits: int, entries: list[int]) -> Dataset:
    table = Dataset()
    table.LUTDescriptor = [len(entries), 0, bits]
    table.LUTData = np.asarray(entries, dtype="<u2").tobytes()
    return table


@pytest.mark.parametrize(
    ("tags", "factor", "offset"),
    [
        ({"RescaleSlope": "", "RescaleIntercept": ""}, 1, 0),
        ({"RescaleSlope": "", "RescaleIntercept": "-50"}, 1, -50),
        ({"RescaleIntercept": "-50"}, 1, -50),
        ({"RescaleSlope": "2"}, 2, 0),
        ({"VOILUTSequence": []}, 1, 0),
        ({"VOILUTSequence": [Dataset()]}, 1, 0),
    ],
)
def test_an_empty_or_missing_tag_is_neutral(
    tmp_path: Path, tags: dict[str, Any], factor: int, offset: int
) -> None:
    image = decoded(dicom_file(tmp_path / "a", RAMP, **tags))
    np.testing.assert_array_equal(image.values[:, :, 0], RAMP * factor + offset)


def test_a_modality_table_of_12_bits(tmp_path: Path) -> None:
    pixels = np.asarray([[0, 1], [2, 3]], dtype=np.uint16)
    path = dicom_file(tmp_path / "a", pixels, ModalityLUTSequence=[lookup(12, [0, 100, 2000, 4000])])
    assert decoded(path).values[:, :, 0].tolist() == [[0, 100], [2000, 4000]]


@pytest.mark.parametrize(
    "tags",
    [
        {"PixelPaddingValue": 2**16 - 2000},
        {"PixelPaddingValue": -2000, "PixelPaddingRangeLimit": -1500},
        {"PixelPaddingValue": -1500, "PixelPaddingRangeLimit": -2000},
    ],
)
def test_padding_does_not_count_in_the_range(tmp_path: Path, tags: dict[str, int]) -> None:
    pixels = RAMP.copy()
    pixels[0, 0] = -2000
    path = dicom_file(tmp_path / "a", pixels)

    data = dcmread(path)
    for name, value in tags.items():
        data.add_new(name, "US" if value > 0 else "SS", value)
    data.save_as(path)
    image = decoded(path)
    assert (image.low, image.high) == (100, 1500)


def test_a_volume_of_two_gzip_members(tmp_path: Path) -> None:
    whole = nifti_file(tmp_path / "a.nii", CUBE).read_bytes()
    (tmp_path / "b.nii.gz").write_bytes(gzip.compress(whole[:360]) + gzip.compress(whole[360:]))
    np.testing.assert_array_equal(decoded(tmp_path / "b.nii.gz").values, decoded(tmp_path / "a.nii").values)


@pytest.mark.parametrize("broken", ["sform", "zooms"])
def test_zeros_in_the_orientation_of_a_volume(tmp_path: Path, broken: str) -> None:
    image = nibabel.Nifti1Image(CUBE, np.eye(4))
    image.header["sform_code"], image.header["qform_code"] = (1, 0) if broken == "sform" else (0, 0)
    if broken == "sform":
        for row in ("srow_x", "srow_y", "srow_z"):
            image.header[row] = 0
    else:
        image.header["pixdim"][1:4] = 0
    image.header["vox_offset"] = 352
    path = tmp_path / "a.nii"
    path.write_bytes(image.header.binaryblock + bytes(4) + CUBE.tobytes(order="F"))
    np.testing.assert_array_equal(decoded(path).values, decoded(nifti_file(tmp_path / "b.nii", CUBE)).values)


def test_a_flat_volume(tmp_path: Path) -> None:
    path = nifti_file(tmp_path / "a.nii", CUBE[:, :, 0])
    assert decoded(path).values.shape == (3, 2, 1)


def test_colors_of_a_volume(tmp_path: Path) -> None:
    colors = np.zeros((2, 3, 1), dtype=[("R", "u1"), ("G", "u1"), ("B", "u1")])
    colors["G"] = 200
    path = nifti_file(tmp_path / "a.nii", colors)
    assert read_header(path.read_bytes(), None).channels == 3
    pixels = decode(path.read_bytes(), None)
    assert isinstance(pixels, np.ndarray)
    assert (pixels.shape, pixels[0, 0].tolist()) == ((3, 2, 3), [0, 200, 0])


def test_pages_of_a_tiff_are_not_dropped_silently(tmp_path: Path) -> None:
    pages = [Image.fromarray(np.full((4, 4), value, dtype=np.uint8)) for value in (0, 90, 200)]
    pages[0].save(tmp_path / "a.tif", save_all=True, append_images=pages[1:])
    with pytest.raises(UnreadableImage, match="contains 3 pages"):
        read_header((tmp_path / "a.tif").read_bytes(), None)


def test_complex_numbers_are_refused(tmp_path: Path) -> None:
    path = nifti_file(tmp_path / "a.nii", CUBE.astype(np.complex64))
    with pytest.raises(UnreadableImage, match="complex numbers"):
        read_header(path.read_bytes(), None)
