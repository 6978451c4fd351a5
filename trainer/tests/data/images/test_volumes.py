"""Volumes as views: the slices that represent them, their range and shape, and how often they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydicom.dataset import Dataset

from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.checks import inspect
from medloom_trainer.data.images import sources
from medloom_trainer.data.images.decoded import FIRST_RULES, NEWEST_RULES, Calibrated, to_record
from medloom_trainer.data.images.decoders import decode, decode_parts, read_header
from medloom_trainer.data.tables import Slice, Slicing
from medloom_trainer.data.types import PreparedData
from medloom_trainer.errors import TrainerError
from testing.medical_files import dicom_file, nifti_file
from testing.workspace import Workspace

CONTENT = Slicing(3, "axial", "content")


def head(seed: int, depth: int = 24, filled: range = range(14, 20)) -> Any:
    """A bright body in a few slices of an otherwise empty box."""
    rng = np.random.default_rng(seed)
    volume = np.zeros((12, 16, depth), dtype=np.int16)
    for z in filled:
        volume[3:9, 4:12, z] = 100 + 10 * z + rng.integers(0, 5, (6, 8))
    return volume


def gray(pixels: Any) -> Any:
    assert isinstance(pixels, Calibrated)
    return pixels.values[:, :, 0]


def places(shown: Any) -> list[int]:
    """Slices of `head`, by their brightness."""
    return [int(gray(pixels).max()) // 10 - 10 for pixels in shown]


def lesion_records(folder: Path, body: Any, *lesions: int, rules: int = NEWEST_RULES) -> list[int]:
    """Brightness, from 0 to 65535, of the middle of lesions of eight voxels in the same body."""
    found = []
    for value in lesions:
        volume = body.astype(np.int16)
        volume[11:13, 11:13, 5:7] = value
        content = nifti_file(folder / "lesion.nii", volume).read_bytes()
        (shown,) = decode_parts(content, [Slice(6, 12)], rules)
        found.append(int(to_record(shown, (24, 24), 16, None)[12, 12, 0]))
    return found


def scans(work: Workspace, count: int = 12) -> Path:
    for number in range(count):
        nifti_file(work.folder / f"v{number}.nii.gz", head(number))
    rows = [{"image": f"v{n}.nii.gz", "age": 40 + n * 7 % 5, "label": "ab"[n % 2]} for n in range(count)]
    return work.table("train.csv", rows)


def records(data: PreparedData) -> Any:
    assert data.store is not None and data.train.slots is not None
    return data.store.gather(data.train.slots)


def inspected(work: Workspace, slices: dict[str, Any] | None = None) -> dict[str, Any]:
    roles = (
        "image_root",
        "label_column",
        "label_columns",
        "time_column",
        "event_column",
        "patient_column",
        "positive_class",
    )
    settings = dict.fromkeys(roles)
    path = str(work.folder / "train.csv")
    return inspect(
        {"path": path, "roles": {}, "ignore_columns": [], "roots": [], "slices": slices, **settings}
    )


def told(inspection: dict[str, Any]) -> str:
    (check,) = [one for one in inspection["readiness"]["checks"] if one["key"] == "VOLUMES_AS_SLICES"]
    message: str = check["message"]
    return message


class TestSlices:
    def test_lie_in_the_content_and_not_in_the_empty_box(self, tmp_path: Path) -> None:
        content = nifti_file(tmp_path / "a.nii", head(0)).read_bytes()
        assert places(decode_parts(content, CONTENT.parts(3))) == [15, 17, 19]
        assert not gray(decode(content, Slice(1, 3))).any(), "the first third of the box is empty"

    def test_no_part_of_a_divided_content_is_between_them(self, tmp_path: Path) -> None:
        volume = head(0, 30, range(2, 4)) + head(1, 30, range(26, 28))
        content = nifti_file(tmp_path / "a.nii", volume).read_bytes()
        parts = Slicing(5, "axial", "content").parts(5)
        assert all(gray(pixels).any() for pixels in decode_parts(content, parts))

    @pytest.mark.parametrize(
        ("axis", "expected"),
        [
            ("axial", lambda v: v[::-1, ::-1, 2].T),
            ("coronal", lambda v: v[::-1, 1, ::-1].T),
            ("sagittal", lambda v: v[1, ::-1, ::-1].T),
        ],
    )
    def test_planes_are_shown_as_radiologists_see_them(
        self, tmp_path: Path, axis: Any, expected: Any
    ) -> None:
        volume = np.arange(2 * 3 * 4, dtype=np.int16).reshape(2, 3, 4)
        content = nifti_file(tmp_path / "a.nii", volume).read_bytes()
        np.testing.assert_array_equal(gray(decode(content, Slice(1, 1, axis))), expected(volume))

    def test_frames_with_content_are_chosen_too(self, tmp_path: Path) -> None:
        frames = np.ascontiguousarray(np.moveaxis(head(0), 2, 0)).astype(np.uint16)
        content = dicom_file(tmp_path / "a", frames, NumberOfFrames=24).read_bytes()
        assert places(decode_parts(content, CONTENT.parts(3))) == [15, 17, 19]


class TestRange:
    def test_the_slices_of_a_series_compare(self, tmp_path: Path) -> None:
        files = []
        for number in range(4):
            pixels = np.full((4, 4), 100 * number, dtype=np.uint16)
            pixels[0, 0] += 50
            files.append(dicom_file(tmp_path / str(number), pixels).read_bytes())
        shown = decode_parts(tuple(files), [Slice(n, 4) for n in range(1, 5)])
        assert {(p.low, p.high) for p in shown if isinstance(p, Calibrated)} == {(0, 350)}
        assert [to_record(p, (4, 4), 8, None)[2, 2, 0] for p in shown] == [0, 73, 146, 219]

    def test_the_window_of_the_middle_one_holds_for_all(self, tmp_path: Path) -> None:
        files = tuple(
            dicom_file(tmp_path / str(n), WindowCenter=100 * (n + 1), WindowWidth=101).read_bytes()
            for n in range(3)
        )
        shown = decode_parts(files, [Slice(n, 3) for n in (1, 2, 3)])
        assert {(p.low, p.high) for p in shown if isinstance(p, Calibrated)} == {(149.5, 249.5)}

    def test_a_configured_window_takes_the_place_of_the_lut_of_the_file(self, tmp_path: Path) -> None:
        lut = Dataset()
        lut.LUTDescriptor = [4, 0, 16]
        lut.LUTData = np.array([65535, 0, 0, 0], dtype=np.uint16).tobytes()
        stored = np.array([[0, 1], [2, 3]], dtype=np.uint16)
        pixels = decode(dicom_file(tmp_path / "a", stored, VOILUTSequence=[lut]).read_bytes())
        assert to_record(pixels, (2, 2), 8, None)[:, :, 0].tolist() == [[255, 0], [0, 0]]
        assert to_record(pixels, (2, 2), 8, (1.5, 3.0))[:, :, 0].tolist() == [[0, 85], [170, 255]]

    def test_two_lesions_of_a_ct_without_a_window_differ(self, tmp_path: Path) -> None:
        """A lesion of a few voxels is above the 99.5th percentile of its volume."""
        low, high = lesion_records(tmp_path, np.full((24, 24, 12), -1000), 120, 900)
        assert low < high
        volume = np.full((24, 24, 12), -1000, dtype=np.int16)
        volume[4:20, 4:20] = 40
        pixels = decode(nifti_file(tmp_path / "ct.nii", volume).read_bytes())
        assert isinstance(pixels, Calibrated)
        assert (pixels.low, pixels.high, pixels.compressed) == (-1024, 3071, False), "as DICOM"

    @pytest.mark.parametrize("offset", [0, 500, -40], ids=["MR", "no background", "negative values"])
    def test_two_lesions_of_another_volume_differ(self, tmp_path: Path, offset: int) -> None:
        body = np.random.default_rng(0).integers(0, 100, (24, 24, 12)) + offset
        low, high = lesion_records(tmp_path, body, offset + 400, offset + 5000)
        assert low < high

    def test_two_lesions_of_a_volume_of_8_bits_differ(self, tmp_path: Path) -> None:
        """Its own range is shown: the steps of 8 bits are too coarse for a compressed part."""
        records = []
        for value in (220, 221):
            volume = np.random.default_rng(0).integers(0, 100, (24, 24, 12), dtype=np.uint8)
            volume[11:13, 11:13, 5:7] = value
            volume[0, 0, 5] = 255
            (shown,) = decode_parts(nifti_file(tmp_path / "a.nii", volume).read_bytes(), [Slice(6, 12)])
            records.append(int(to_record(shown, (24, 24), 8, None)[12, 12, 0]))
        assert records == [220, 221]

    def test_a_model_keeps_the_range_of_its_training(self, tmp_path: Path) -> None:
        body = np.random.default_rng(0).integers(0, 100, (24, 24, 12))
        assert len({*lesion_records(tmp_path, body, 400, 5000, rules=FIRST_RULES)}) == 1
        content = nifti_file(tmp_path / "a.nii", body.astype(np.int16)).read_bytes()
        (before,) = decode_parts(content, [None], FIRST_RULES)
        assert isinstance(before, Calibrated) and (before.low, before.high) == (0, 99)

    def test_a_phase_image_is_not_a_ct(self, tmp_path: Path) -> None:
        phase = np.random.default_rng(0).integers(-4096, 4095, (12, 12, 12), dtype=np.int16)
        pixels = decode(nifti_file(tmp_path / "a.nii", phase).read_bytes())
        assert isinstance(pixels, Calibrated) and pixels.low == phase.min()

    def test_a_code_for_a_missing_value_does_not_widen_the_range(self, tmp_path: Path) -> None:
        body = np.random.default_rng(0).integers(0, 100, (24, 24, 12)).astype(np.int16)
        body[0, 0, :5] = -32768
        pixels = decode(nifti_file(tmp_path / "a.nii", body).read_bytes())
        assert isinstance(pixels, Calibrated) and pixels.low == -99 and pixels.high == 99


class TestShape:
    def test_images_keep_their_shape_on_black(self) -> None:
        wide = np.full((10, 40, 3), 200, dtype=np.uint8)
        record = to_record(wide, (40, 40), 8, None)
        assert (record[15:25] == 200).all() and not record[:15].any() and not record[25:].any()
        assert (to_record(wide, (40, 40), 8, None, "stretch") == 200).all(), "models of older versions"

    def test_the_spacing_of_pixels_counts(self, tmp_path: Path) -> None:
        volume = np.full((20, 20, 5), 100, dtype=np.int16)
        volume[:, :, 0] = 0
        content = nifti_file(tmp_path / "a.nii", volume, np.diag([1.0, 1.0, 4.0, 1.0])).read_bytes()
        coronal = decode(content, Slice(1, 1, "coronal"))
        assert isinstance(coronal, Calibrated) and coronal.aspect == 4 and coronal.values.shape == (5, 20, 1)
        assert to_record(coronal, (20, 20), 8, None)[:14].all(), "20 mm high and 20 mm wide: no border"
        pixels = decode(dicom_file(tmp_path / "b", PixelSpacing=[2.0, 1.0]).read_bytes())
        assert isinstance(pixels, Calibrated) and pixels.aspect == 2


class TestTraining:
    def test_volumes_of_a_table_become_views_of_their_content_and_it_is_said(self, work: Workspace) -> None:
        scans(work)
        data = work.prepare()
        assert data.num_views == 3
        assert records(data).reshape(-1, 3, 16 * 16 * 3).any(axis=2).all(), "no view is blank"
        said = {item["code"]: item["message"] for item in data.summary["warnings"]}
        expected = "12 volumes are read as 3 axial slices, evenly spaced over"
        assert "BLANK_IMAGES" not in said and said["VOLUMES_AS_SLICES"].startswith(expected)
        volumes = {"count": 12, "slices": {"count": 3, "axis": "axial", "spread": "content"}}
        assert data.summary["volumes"] == volumes == inspected(work)["volumes"]
        assert told(inspected(work)) == said["VOLUMES_AS_SLICES"]

    def test_other_slices_are_said_as_they_are(self, work: Workspace) -> None:
        scans(work)
        slices = {"count": 1, "axis": "coronal", "spread": "volume"}
        data, found = work.prepare(slices=slices), inspected(work, slices)
        (message,) = [
            one["message"] for one in data.summary["warnings"] if one["code"] == "VOLUMES_AS_SLICES"
        ]
        assert message.startswith("12 volumes are read as 1 coronal slice, from their whole extent")
        assert told(found) == message
        assert data.summary["volumes"] == found["volumes"] == {"count": 12, "slices": slices}

    def test_data_without_volumes_have_none(self, work: Workspace) -> None:
        work.table("train.csv", work.cases(12))
        assert work.prepare().summary["volumes"] is None
        found = inspected(work)
        assert found["volumes"] is None
        assert "VOLUMES_AS_SLICES" not in [check["key"] for check in found["readiness"]["checks"]]

    def test_a_named_slice_is_that_slice_and_a_flat_image_has_one_view(self, work: Workspace) -> None:
        scans(work)
        rows = [{"image": f"v{n}.nii.gz#slice=2of3", "age": n, "label": "a"} for n in (0, 3)]
        rows += [{"image": work.image(f"x{n}.png", n), "age": n, "label": "b"} for n in (1, 2)]
        path = work.table("named.csv", rows)
        assert work.prepare(train_csv=str(path), val_csv=str(path), allow_leakage=True).num_views == 1
        rows += [{"image": f"v{n}.nii.gz", "age": n, "label": "ab"[n % 2]} for n in (1, 2)]
        path = work.table("mixed.csv", rows)
        data = work.prepare(train_csv=str(path), val_csv=str(path), allow_leakage=True)
        assert data.num_views == 3 and data.summary["missing"]["train"]["columns"]["image"] == 0
        assert data.train.slots is not None
        assert (data.train.slots >= 0).sum(axis=1).tolist() == [1, 1, 1, 1, 3, 3]

    def test_an_evaluation_takes_the_slices_of_the_training(self, work: Workspace) -> None:
        path = scans(work)
        data = work.prepare(slices={"count": 2, "axis": "coronal", "spread": "volume"})

        def evaluated(preprocessing: dict[str, Any]) -> Any:
            again = prepare_cases(
                preprocessing, path, image_root=None, split="all", whole_table=True, roots=[work.folder],
                cache_dir=work.cache, progress=lambda message, fraction: None,
            )  # fmt: skip
            assert again.cases.slots is not None
            return again.cases.slots.shape

        assert data.num_views == 2 and evaluated(data.preprocessing) == (12, 2)
        assert data.preprocessing["images"]["rules"] == NEWEST_RULES
        before = {key: data.preprocessing["images"][key] for key in ("size", "depth", "window")}
        assert evaluated({**data.preprocessing, "images": before}) == (12, 1), "of an older version"

    def test_empty_slices_are_counted_and_nobodys_identity(self, work: Workspace) -> None:
        scans(work)
        data = work.prepare(slices={"count": 4, "axis": "axial", "spread": "volume"})
        said = {item["code"]: item["message"] for item in data.summary["warnings"]}
        assert said["BLANK_IMAGES"].startswith("36 images are blank") and "DATASET_LEAK" not in said

    def test_a_volume_is_read_once_for_all_its_slices(
        self, work: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scans(work, 8)
        read: list[str] = []
        real = sources.read_regular

        def counting(path: Any) -> bytes:
            read.append(Path(path).name)
            return real(path)

        monkeypatch.setattr(sources, "read_regular", counting)
        work.prepare(slices={"count": 6, "axis": "axial", "spread": "content"})
        assert sorted(read) == sorted(2 * [f"v{n}.nii.gz" for n in range(8)]), "to know it, and to decode it"

    def test_measurements_keep_their_values_without_a_window(self, work: Workspace) -> None:
        scans(work)
        plain, windowed = work.prepare(augmentation="light"), work.prepare(window={"center": 0, "width": 400})
        assert plain.measured and not windowed.measured
        said = [item["message"] for item in plain.summary["warnings"] if "augmentation" in item["message"]]
        assert said and "data.window" in said[0]
        ct = dicom_file(work.folder / "ct", Modality="CT", RescaleSlope=1, RescaleIntercept=-1024)
        assert read_header(ct.read_bytes()).measured
        assert not read_header(dicom_file(work.folder / "mr").read_bytes()).measured

    @pytest.mark.slow
    def test_a_series_is_a_folder(self, work: Workspace) -> None:
        for case in range(8):
            for number, plane in enumerate(np.moveaxis(head(case), 2, 0)):
                dicom_file(
                    work.folder / f"s{case}/{(number * 7) % 24}.dcm",
                    np.ascontiguousarray(plane).astype(np.uint16),
                    ImagePositionPatient=[0, 0, float(number)],
                    SeriesInstanceUID="1.2.3",
                )
        rows = [{"image": f"s{case}", "age": case % 3, "label": "ab"[case % 2]} for case in range(8)]
        work.table("train.csv", rows)
        data = work.prepare(image_columns=["image"])
        assert data.num_views == 3 and records(data).reshape(-1, 3, 768).any(axis=2).all()
        for file in (work.folder / "s3").iterdir():
            file.write_bytes(file.read_bytes()[:-9])
        with pytest.raises(TrainerError, match=r"1 image file is missing or unreadable: train.csv row 5"):
            work.prepare(image_columns=["image"])
