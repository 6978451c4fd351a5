"""DICOM and NIfTI: the stored values, in the units of the modality, in the correct orientation."""

from __future__ import annotations

import contextlib
import gzip
import warnings
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from pydicom.dataset import Dataset

from medloom_trainer.data.images import (
    Calibrated,
    UnreadableImage,
    group_scans,
    kind_of,
    to_record,
)
from medloom_trainer.data.images.decoders import decode, read_header
from medloom_trainer.data.tables import Slice, name_slice, split_slice
from testing.medical_files import dicom_file, nifti_file
from testing.shared_data import shared_files

RAMP = np.arange(16, dtype=np.int16).reshape(4, 4) * 100


def record(path: Path, window: tuple[float, float] | None = None, part: Slice | None = None) -> Any:
    """(4, 4) of 8 bits."""
    pixels = decode(path.read_bytes(), part)
    shape = (pixels.values if isinstance(pixels, Calibrated) else pixels).shape
    return to_record(pixels, (shape[1], shape[0]), 8, window)[:, :, 0]


def values(path: Path, part: Slice | None = None) -> Any:
    pixels = decode(path.read_bytes(), part)
    assert isinstance(pixels, Calibrated)
    return pixels.values[:, :, 0]


class TestDicom:
    def test_slope_and_intercept_give_units_of_the_modality(self, tmp_path: Path) -> None:
        path = dicom_file(tmp_path / "a", RAMP, Modality="CT", RescaleSlope=2, RescaleIntercept=-1024)
        np.testing.assert_array_equal(values(path), RAMP * 2.0 - 1024)

    def test_signed_values_stay_signed(self, tmp_path: Path) -> None:
        np.testing.assert_array_equal(values(dicom_file(tmp_path / "a", RAMP - 700)), RAMP - 700.0)

    def test_a_ct_is_shown_over_one_range_whatever_its_own_window(self, tmp_path: Path) -> None:
        tags: dict[str, Any] = {"Modality": "CT", "RescaleSlope": 1, "RescaleIntercept": -1024}
        plain = dicom_file(tmp_path / "a", RAMP, **tags)
        narrow = dicom_file(tmp_path / "b", RAMP, **tags, WindowCenter=40, WindowWidth=80)
        np.testing.assert_array_equal(record(plain), record(narrow))
        np.testing.assert_array_equal(record(plain), np.rint(RAMP / 4095 * 255))

    def test_a_configured_window_is_in_hounsfield_units(self, tmp_path: Path) -> None:
        path = dicom_file(tmp_path / "a", RAMP, Modality="CT", RescaleSlope=1, RescaleIntercept=-1024)
        expected = np.clip((RAMP - 1024 - (40 - 200)) / 400, 0, 1) * 255
        np.testing.assert_array_equal(record(path, (40, 400)), np.rint(expected.astype(np.float32)))

    def test_other_images_are_shown_over_the_window_of_the_file(self, tmp_path: Path) -> None:
        path = dicom_file(tmp_path / "a", RAMP, WindowCenter=[700, 5], WindowWidth=[801, 9])
        np.testing.assert_array_equal(record(path), np.rint(np.clip((RAMP - 299.5) / 800, 0, 1) * 255))

    def test_without_a_window_over_their_own_range_less_padding(self, tmp_path: Path) -> None:
        assert record(dicom_file(tmp_path / "a", RAMP)).tolist()[0] == [0, 17, 34, 51]
        padded = RAMP.copy()
        padded[0, 0] = -2000
        shown = record(dicom_file(tmp_path / "b", padded, PixelPaddingValue=-2000))
        assert shown[0, 0] == 0 and shown[0, 1] == 0 and shown[3, 3] == 255

    def test_monochrome1_is_inverted(self, tmp_path: Path) -> None:
        plain = record(dicom_file(tmp_path / "a", RAMP))
        inverted = record(dicom_file(tmp_path / "b", RAMP, PhotometricInterpretation="MONOCHROME1"))
        np.testing.assert_array_equal(inverted, 255 - plain)

    def test_a_modality_lut_is_applied(self, tmp_path: Path) -> None:
        lut = Dataset()
        lut.LUTDescriptor = [4, 0, 16]
        lut.ModalityLUTType = "US"
        lut.LUTData = np.array([10, 20, 40, 80], dtype=np.uint16).tobytes()
        stored = np.array([[0, 1], [2, 3]], dtype=np.uint16)
        path = dicom_file(tmp_path / "a", stored, ModalityLUTSequence=[lut])
        np.testing.assert_array_equal(values(path), [[10, 20], [40, 80]])

    def test_colors(self, tmp_path: Path) -> None:
        rgb = np.random.default_rng(0).integers(0, 256, (5, 6, 3), dtype=np.uint8)
        path = dicom_file(tmp_path / "a", rgb)
        np.testing.assert_array_equal(decode(path.read_bytes()), rgb)
        header = read_header(path.read_bytes())
        assert (header.width, header.height, header.channels, header.depth) == (6, 5, 3, 8)

    def test_a_slice_of_several_frames(self, tmp_path: Path) -> None:
        frames = np.stack([np.full((4, 4), n, dtype=np.uint8) for n in range(9)])
        path = dicom_file(tmp_path / "a", frames, NumberOfFrames=9)
        assert [values(path, Slice(n, 3))[0, 0] for n in (1, 2, 3)] == [1, 4, 7]
        assert values(path)[0, 0] == 4, "the middle one"

    def test_unusable_files_have_a_reason(self, tmp_path: Path) -> None:
        content = dicom_file(tmp_path / "a").read_bytes()
        with pytest.raises(UnreadableImage):
            decode(content[:-8])
        with pytest.raises(UnreadableImage, match="states 60000 x 60000"):
            read_header(dicom_file(tmp_path / "b", Rows=60000, Columns=60000).read_bytes())


VOLUME = np.arange(2 * 3 * 4, dtype=np.int16).reshape(2, 3, 4)  # x to the right, y to the front, z up


class TestNifti:
    def test_right_is_shown_left_and_front_above(self, tmp_path: Path) -> None:
        path = nifti_file(tmp_path / "a.nii", VOLUME)
        np.testing.assert_array_equal(values(path), VOLUME[::-1, ::-1, 2].T)
        header = read_header(path.read_bytes())
        assert (header.width, header.height, header.depth) == (2, 3, 16)

    @pytest.mark.parametrize(
        "axes", [((0, -1), (1, 1), (2, 1)), ((2, 1), (0, -1), (1, -1)), ((1, 1), (0, 1), (2, -1))]
    )
    def test_every_orientation_shows_the_same(self, tmp_path: Path, axes: Any) -> None:
        upright = nibabel.Nifti1Image(VOLUME, np.eye(4))
        turned = upright.as_reoriented(np.asarray(axes))
        path = tmp_path / "a.nii"
        nibabel.save(turned, path)
        np.testing.assert_array_equal(values(path), VOLUME[::-1, ::-1, 2].T)
        assert (read_header(path.read_bytes()).width, read_header(path.read_bytes()).height) == (2, 3)

    def test_slope_and_intercept(self, tmp_path: Path) -> None:
        path = tmp_path / "a.nii"
        image = nibabel.Nifti1Image(VOLUME, np.eye(4))
        image.header.set_slope_inter(2.0, -5.0)
        nibabel.save(image, path)
        shown = nibabel.load(path).get_fdata()
        np.testing.assert_allclose(values(path), shown[::-1, ::-1, 2].T, rtol=1e-6)

    def test_nan_shows_as_the_lowest_value(self, tmp_path: Path) -> None:
        volume = VOLUME.astype(np.float32)
        volume[0, 0, 2] = np.nan
        shown = record(nifti_file(tmp_path / "a.nii", volume))
        assert shown[2, 1] == 0 and shown.max() > 0

    def test_plain_gzipped_and_second_version_are_the_same(self, tmp_path: Path) -> None:
        plain = nifti_file(tmp_path / "a.nii", VOLUME)
        packed = tmp_path / "b.nii.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        second = tmp_path / "c.nii"
        nibabel.save(nibabel.Nifti2Image(VOLUME, np.eye(4)), second)
        for path in (packed, second):
            assert kind_of(path.read_bytes()) == "NIfTI"
            np.testing.assert_array_equal(values(path), values(plain))

    def test_slices(self, tmp_path: Path) -> None:
        path = nifti_file(
            tmp_path / "a.nii", np.stack([np.full((4, 4), n) for n in range(30)], axis=2).astype(np.int16)
        )
        assert [values(path, Slice(n, 3))[0, 0] for n in (1, 2, 3)] == [5, 15, 25]

    def test_series_of_volumes_are_refused_with_a_remedy(self, tmp_path: Path) -> None:
        path = nifti_file(tmp_path / "a.nii", np.zeros((2, 3, 4, 5), dtype=np.int16))
        with pytest.raises(UnreadableImage, match="4 dimensions; save one volume"):
            read_header(path.read_bytes())
        single = nifti_file(tmp_path / "b.nii", VOLUME[..., None])
        np.testing.assert_array_equal(values(single), VOLUME[::-1, ::-1, 2].T)

    def test_unusable_files_have_a_reason(self, tmp_path: Path) -> None:
        content = nifti_file(tmp_path / "a.nii", VOLUME).read_bytes()
        with pytest.raises(UnreadableImage):
            decode(content[:-10])
        with pytest.raises(UnreadableImage):
            decode(gzip.compress(content)[:60])


def test_tiff(tmp_path: Path) -> None:
    deep = np.arange(16, dtype=np.uint16).reshape(4, 4) * 4000
    Image.fromarray(deep).save(tmp_path / "a.tif")
    content = (tmp_path / "a.tif").read_bytes()
    assert kind_of(content) == "TIFF" and read_header(content).depth == 16
    np.testing.assert_array_equal(decode(content)[:, :, 0], deep)  # type: ignore[index]


def test_a_flat_image_has_no_slices(tmp_path: Path) -> None:
    Image.new("L", (4, 4)).save(tmp_path / "a.png")
    with pytest.raises(UnreadableImage, match="one image"):
        decode((tmp_path / "a.png").read_bytes(), Slice(1, 2))


@pytest.mark.parametrize(("depth", "count"), [(1, 3), (2, 3), (3, 3), (30, 3), (7, 2), (5, 1)])
def test_slices_divide_a_volume_evenly(depth: int, count: int) -> None:
    places = [Slice(number, count).index(depth) for number in range(1, count + 1)]
    assert places == sorted(places) and places[0] >= 0 and places[-1] < depth
    assert places[0] == (depth - 1) - places[-1] or depth % count or depth % 2 == 0


def test_names_of_slices() -> None:
    assert split_slice(name_slice("/a/b.nii.gz", Slice(2, 3))) == ("/a/b.nii.gz", Slice(2, 3))
    other = Slice(1, 5, "coronal", "content")
    assert split_slice(name_slice("b", other)) == ("b", other)
    for odd in ("b#slice=4of3", "b#slice=0of3", "b.png", "b#slice=1of3.png", "b#slice=1of3&axis=oblique"):
        assert split_slice(odd) == (odd, None)


@pytest.mark.parametrize("file", shared_files("nifti", "*.nii*"))
def test_real_nifti_files(file: Path) -> None:
    content = file.read_bytes()
    if len(nibabel.load(file).shape) > 3:
        with pytest.raises(UnreadableImage, match="dimensions"):
            decode(content)
        return
    header = read_header(content)
    canonical = nibabel.as_closest_canonical(nibabel.load(file))
    assert (header.width, header.height) == canonical.shape[:2]
    middle = np.nan_to_num(canonical.get_fdata()[::-1, ::-1, canonical.shape[2] // 2].T)
    shown = values(file)
    np.testing.assert_allclose(shown[middle != 0], middle[middle != 0], rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(which=st.booleans(), changes=st.lists(st.tuples(st.integers(0, 899), st.integers(0, 255)), max_size=6))
def test_damaged_files_are_read_or_refused(
    tmp_path: Path, which: bool, changes: list[tuple[int, int]]
) -> None:
    path = tmp_path / "a"
    if which:
        content = bytearray(dicom_file(path, ImagePositionPatient=[0, 0, 1.0], WindowCenter=3).read_bytes())
    else:
        content = bytearray(nifti_file(tmp_path / "a.nii", VOLUME).read_bytes())
    for place, value in changes:
        content[132 + place % (len(content) - 132) if which else place % len(content)] = value
    for look in (read_header, decode):
        with contextlib.suppress(UnreadableImage), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            look(bytes(content))
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(group_scans([(path, "DICOM")])) == 1
