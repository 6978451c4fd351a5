"""A DICOM series is divided into volumes by size, orientation and the tags of time points and echoes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydicom.uid import generate_uid

from medloom_trainer.data.images import UnreadableImage, group_scans
from medloom_trainer.data.images.series import read_series
from testing.medical_files import dicom_file

UID = generate_uid(entropy_srcs=["series"])
AXIAL, CORONAL = [1, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, -1]


def slices(folder: Path, name: str, count: int, orientation: list[int] = AXIAL, **tags: Any) -> None:
    for number in range(count):
        place = [0, 0, 5 * number] if orientation == AXIAL else [0, 5 * number, 0]
        dicom_file(
            folder / f"{number:02d}-{name}",
            np.full((4, 4), number, dtype=np.uint16),
            SeriesInstanceUID=UID,
            ImagePositionPatient=place,
            ImageOrientationPatient=orientation,
            **tags,
        )


def scans_of(folder: Path) -> list[str]:
    return [scan.cell for scan in group_scans([(path, "DICOM") for path in sorted(folder.iterdir())])]


@pytest.mark.parametrize("tag", ["TemporalPositionIdentifier", "AcquisitionNumber", "EchoTime"])
def test_time_points_and_echoes_are_volumes_of_their_own(tmp_path: Path, tag: str) -> None:
    folder = tmp_path / "scan"
    for value in (1, 2, 3):
        slices(folder, f"part{value}", 4, **{tag: value})
    cells = scans_of(folder)
    assert len(cells) == 3
    assert [len(read_series(folder, cell.split("#series=")[1])) for cell in cells] == [4, 4, 4]
    with pytest.raises(UnreadableImage, match="3 DICOM volumes"):
        read_series(folder, None)


def test_localizers_are_not_slices_of_the_volume(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 9)
    slices(folder, "scout", 3, CORONAL)
    assert len(read_series(folder, None)) == 9
    assert len(scans_of(folder)) == 2


def test_two_planes_of_equal_rank_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 4)
    slices(folder, "coronal", 4, CORONAL)
    with pytest.raises(UnreadableImage, match="2 DICOM volumes"):
        read_series(folder, None)


def test_copies_of_slices_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "first", 4)
    slices(folder, "copy", 2)
    with pytest.raises(UnreadableImage, match="2 files at the position of another one"):
        read_series(folder, None)


def test_a_plain_series_is_named_by_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 4)
    assert scans_of(folder) == [str(folder)]
    assert len(read_series(folder, None)) == 4
