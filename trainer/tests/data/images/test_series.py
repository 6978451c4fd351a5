"""A DICOM series is divided into volumes by size, orientation and the tags of time points and echoes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydicom import dcmread
from pydicom.dataset import Dataset
from pydicom.sequence import Sequence as Items
from pydicom.uid import ComprehensiveSRStorage, generate_uid

from medloom_trainer.data.images import (
    Calibrated,
    Scan,
    UnreadableImage,
    decode_parts,
    divided_series,
    facts_of,
    group_scans,
    open_image,
)
from medloom_trainer.data.images.series import read_series
from medloom_trainer.data.tables import Slice
from testing.medical_files import dicom_file

UID = generate_uid(entropy_srcs=["series"])
AXIAL, CORONAL = [1, 0, 0, 0, 1, 0], [1, 0, 0, 0, 0, -1]


def slices(folder: Path, name: str, count: int, orientation: list[int] = AXIAL, **tags: Any) -> None:
    for number in range(count):
        place = [0, 0, 5 * number] if orientation == AXIAL else [0, 5 * number, 0]
        dicom_file(
            folder / f"{number:02d}-{name}",
            np.full((4, 4), number, dtype=np.uint16),
            **{
                "SeriesInstanceUID": UID,
                "ImagePositionPatient": place,
                "ImageOrientationPatient": orientation,
                **tags,
            },
        )


def scans_of(folder: Path) -> list[str]:
    return [scan.cell for scan in grouped(folder) if scan.is_image]


def grouped(folder: Path) -> list[Scan]:
    return group_scans([(path, "DICOM") for path in sorted(folder.iterdir())])


@pytest.mark.parametrize("tag", ["TemporalPositionIdentifier", "AcquisitionNumber", "EchoTime"])
def test_time_points_and_echoes_are_volumes_of_their_own(tmp_path: Path, tag: str) -> None:
    folder = tmp_path / "scan"
    for value in (1, 2, 3):
        slices(folder, f"part{value}", 4, **{tag: value})
    cells = scans_of(folder)
    assert len(cells) == 3
    assert divided_series(grouped(folder)) == (1, 3)
    assert [len(read_series(folder, cell.split("#series=")[1])) for cell in cells] == [4, 4, 4]
    with pytest.raises(UnreadableImage, match="3 DICOM volumes"):
        read_series(folder, None)


def test_localizers_are_not_slices_of_the_volume(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 9)
    slices(folder, "scout", 3, CORONAL)
    assert len(read_series(folder, None)) == 9
    assert scans_of(folder) == [str(folder)]
    assert sum(scan.is_localizer for scan in grouped(folder)) == 3
    assert divided_series(grouped(folder)) == (0, 0)


@pytest.mark.parametrize("count", [1, 5])
def test_a_localizer_that_says_so_is_no_case_whatever_its_series(tmp_path: Path, count: int) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 9, StudyInstanceUID="1.2")
    scout = {"StudyInstanceUID": "1.2", "SeriesInstanceUID": "1.2.9"}
    slices(folder, "scout", count, CORONAL, ImageType=["ORIGINAL", "PRIMARY", "LOCALIZER"], **scout)
    assert scans_of(folder) == [str(folder)] and len(read_series(folder, None)) == 9
    alone = tmp_path / "alone"
    slices(alone, "scout", count, CORONAL, ImageType=["ORIGINAL", "PRIMARY", "LOCALIZER"], **scout)
    assert len(scans_of(alone)) == 1, "next to no volume it is an image"


def test_two_planes_of_equal_rank_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 4)
    slices(folder, "coronal", 4, CORONAL)
    with pytest.raises(UnreadableImage, match="2 DICOM volumes"):
        read_series(folder, None)


def test_positions_that_scanners_round_are_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    for phase, noise in ((1, 0.0), (2, 0.004)):
        for number in range(4):
            dicom_file(
                folder / f"{number:02d}-{phase}",
                np.full((4, 4), number, dtype=np.uint16),
                SeriesInstanceUID=UID,
                ImagePositionPatient=[0, 0, 5 * number + noise],
                ImageOrientationPatient=AXIAL,
                TemporalPositionIdentifier=phase,
            )
    with pytest.raises(UnreadableImage, match="2 DICOM volumes"):
        read_series(folder, None)


def test_a_series_that_lacks_slices_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 9)
    (folder / "03-axial").unlink()
    with pytest.raises(UnreadableImage, match=r"lacks 1 slice: positions are up to 10 mm apart instead of 5"):
        read_series(folder, None)
    (folder / "08-axial").unlink()  # the last one is not missing between others
    slices(folder, "axial", 8)
    assert len(read_series(folder, None)) == 8


def test_slices_of_another_size_are_a_volume_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 9)
    dicom_file(
        folder / "09-large",
        np.zeros((8, 8), dtype=np.uint16),
        SeriesInstanceUID=UID,
        ImagePositionPatient=[0, 0, 45],
        ImageOrientationPatient=AXIAL,
    )
    with pytest.raises(UnreadableImage, match="2 DICOM volumes"):
        read_series(folder, None)


def enhanced(path: Path, places: Sequence[float], **tags: Any) -> Path:
    """Frames of which each has its position as its values."""
    frames = []
    for place in places:
        frame, position = Dataset(), Dataset()
        position.ImagePositionPatient = [0, 0, place]
        frame.PlanePositionSequence = Items([position])
        frames.append(frame)
    shared, plane = Dataset(), Dataset()
    plane.ImageOrientationPatient = AXIAL
    shared.PlaneOrientationSequence = Items([plane])
    pixels = np.stack([np.full((4, 4), place, dtype=np.uint16) for place in places])
    return dicom_file(
        path, pixels, NumberOfFrames=len(places), PerFrameFunctionalGroupsSequence=Items(frames),
        SharedFunctionalGroupsSequence=Items([shared]), **tags,
    )  # fmt: skip


def test_frames_are_in_the_order_of_their_positions(tmp_path: Path) -> None:
    content, header = open_image(enhanced(tmp_path / "ct.dcm", [10, 0, 20, 5, 15]))
    shown = decode_parts(content, [Slice(number, 5) for number in range(1, 6)])
    assert header.slices == 5
    assert [float(one.values.mean()) for one in shown if isinstance(one, Calibrated)] == [0, 5, 10, 15, 20]
    assert (facts_of(content).spacing or ())[2] == 5


@pytest.mark.parametrize(
    ("places", "message"),
    [([0, 5, 10, 0, 5, 10], "3 frames at the positions"), ([0, 5, 10, 20, 25], "lacks 1 slice")],
)
def test_frames_of_several_volumes_or_with_gaps_are_refused(
    tmp_path: Path, places: list[float], message: str
) -> None:
    with pytest.raises(UnreadableImage, match=message):
        open_image(enhanced(tmp_path / "mr.dcm", places))


def test_a_file_without_a_preamble_is_read(tmp_path: Path) -> None:
    path = dicom_file(tmp_path / "plain.dcm")
    path.write_bytes(path.read_bytes()[132:])
    assert open_image(path)[1].width == 4


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


@pytest.mark.parametrize("length", [0.3, 0.97])
def test_a_damaged_slice_is_not_left_out(tmp_path: Path, length: float) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 6)
    damaged = sorted(folder.iterdir())[2]
    content = damaged.read_bytes()
    damaged.write_bytes(content[: int(length * len(content))])
    with pytest.raises(UnreadableImage, match="1 damaged DICOM file"):
        read_series(folder, None)


def test_reports_segmentations_and_pictures_of_the_screen_are_no_images(tmp_path: Path) -> None:
    folder = tmp_path / "scan"
    slices(folder, "axial", 6)
    pixels = np.zeros((4, 4), dtype=np.uint16)
    dicom_file(folder / "seg", pixels, Modality="SEG", SeriesInstanceUID="1.2.3")
    report = dcmread(dicom_file(folder / "sr", Modality="SR", Rows=None, SeriesInstanceUID="1.2.4"))
    report.file_meta.MediaStorageSOPClassUID = ComprehensiveSRStorage
    report.SOPClassUID = ComprehensiveSRStorage
    report.save_as(folder / "sr")
    capture = "1.2.840.10008.5.1.4.1.1.7"
    dicom_file(folder / "dose", pixels, SOPClassUID=capture, SeriesInstanceUID="1.2.5")
    scans = group_scans([(path, "DICOM") for path in sorted(folder.iterdir())])
    assert [scan.cell for scan in scans if scan.is_image] == [str(folder)] and len(scans) == 4
    alone = tmp_path / "captures"
    dicom_file(alone / "photo", pixels, SOPClassUID=capture)
    assert [scan.is_image for scan in group_scans([(alone / "photo", "DICOM")])] == [True]


def test_a_header_without_pixels_is_no_image(tmp_path: Path) -> None:
    path = dicom_file(tmp_path / "a.dcm", np.zeros((4, 4), dtype=np.uint16))
    content = path.read_bytes()
    path.write_bytes(content[: content.index(b"\xe0\x7f\x10\x00")])
    with pytest.raises(UnreadableImage, match="without pixels"):
        open_image(path)
