"""Slices of DICOM files are shown in the same orientation as those of a NIfTI volume of the same patient."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.images import FIRST_RULES, Calibrated, decode_parts, open_image
from medloom_trainer.data.tables import Slice
from testing.medical_files import dicom_file, nifti_file

SHAPE = (6, 5, 4)
"""Voxels toward the left, the back and the head."""
PATIENT = np.random.default_rng(0).integers(0, 1000, SHAPE).astype(np.int16)
POSITIONS = {
    "head first, supine": ((1, 0, 0), (0, 1, 0)),
    "head first, prone": ((-1, 0, 0), (0, -1, 0)),
    "feet first, supine": ((-1, 0, 0), (0, 1, 0)),
    "rows from the back": ((1, 0, 0), (0, -1, 0)),
    "turned by a quarter": ((0, 1, 0), (-1, 0, 0)),
    "rows and columns exchanged": ((0, 1, 0), (1, 0, 0)),
}


def series(folder: Path, rows: Any, columns: Any) -> Path:
    """Axial slices of the patient as a scanner with these directions stores them, one file for each."""
    across, down = np.asarray(rows), np.asarray(columns)
    normal = np.cross(across, down)
    volume = PATIENT
    for direction in (across, down, normal):
        if direction.sum() < 0:
            volume = np.flip(volume, int(np.abs(direction).argmax()))
    volume = volume.transpose([int(np.abs(one).argmax()) for one in (normal, down, across)])
    start = sum(
        (np.abs(one) * (np.asarray(SHAPE) - 1) for one in (across, down, normal) if one.sum() < 0),
        np.zeros(3),
    )
    for number, plane in enumerate(volume):
        dicom_file(
            folder / f"{(number * 7) % 10}",
            np.ascontiguousarray(plane),
            SeriesInstanceUID="1.2.3",
            PixelSpacing=[1.0, 1.0],
            ImageOrientationPatient=[*rows, *columns],
            ImagePositionPatient=[*(start + number * normal)],
        )
    return folder


def shown(path: Path, rules: int | None = None) -> list[Any]:
    content, header = open_image(path)
    parts = [Slice(number, SHAPE[2], "axial", "volume") for number in range(1, SHAPE[2] + 1)]
    slices = decode_parts(content, parts) if rules is None else decode_parts(content, parts, rules)
    assert (header.width, header.height) == SHAPE[:2]
    return [one.values[:, :, 0].tolist() for one in slices if isinstance(one, Calibrated)]


@pytest.mark.parametrize("name", POSITIONS)
def test_a_series_is_shown_as_the_nifti_volume_of_the_patient(tmp_path: Path, name: str) -> None:
    volume = nifti_file(tmp_path / "volume.nii", PATIENT, np.diag([-1.0, -1.0, 1.0, 1.0]))
    expected = shown(volume)
    assert expected == [PATIENT[:, :, z].T.tolist() for z in range(SHAPE[2])]
    assert shown(series(tmp_path / "series", *POSITIONS[name])) == expected


def test_a_model_keeps_the_orientation_of_its_training(tmp_path: Path) -> None:
    folder = series(tmp_path / "prone", *POSITIONS["head first, prone"])
    assert shown(folder, FIRST_RULES) == [PATIENT[::-1, ::-1, z].T.tolist() for z in range(SHAPE[2])]


@pytest.mark.parametrize(
    ("rows", "columns", "axis"),
    [
        ((1, 0, 0), (0, 0, -1), "coronal"),
        ((0, 1, 0), (0, 0, -1), "sagittal"),
        ((0, -1, 0), (0, 0, 1), "sagittal"),
    ],
)
def test_other_planes_have_the_head_above_and_the_order_of_nifti(
    tmp_path: Path, rows: Any, columns: Any, axis: Any
) -> None:
    count = SHAPE[1] if axis == "coronal" else SHAPE[0]
    volume = nifti_file(tmp_path / "volume.nii", PATIENT, np.diag([-1.0, -1.0, 1.0, 1.0]))
    content, _ = open_image(series(tmp_path / "series", rows, columns))
    stored = decode_parts(content, [Slice(n, count, "axial", "volume") for n in range(1, count + 1)])
    expected = decode_parts(
        volume.read_bytes(), [Slice(n, count, axis, "volume") for n in range(1, count + 1)]
    )
    for one, other in zip(stored, expected, strict=True):
        assert isinstance(one, Calibrated) and isinstance(other, Calibrated)
        np.testing.assert_array_equal(one.values, other.values)


def test_an_image_without_directions_is_not_turned(tmp_path: Path) -> None:
    pixels = np.arange(6, dtype=np.uint16).reshape(2, 3)
    for tags in ({}, {"ImageOrientationPatient": [0, 0, 0, 0, 0, 0]}):
        content, _ = open_image(dicom_file(tmp_path / "a", pixels, **tags))
        (image,) = decode_parts(content, [None])
        assert isinstance(image, Calibrated)
        np.testing.assert_array_equal(image.values[:, :, 0], pixels)
