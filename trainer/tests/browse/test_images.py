"""Pictures of cases: decoded by the reader of a training; those of the model exactly as it sees them."""

import base64
import io
import json
from pathlib import Path

import nibabel
import numpy as np
import pytest
from PIL import Image

from medloom_trainer.browse.images import file_image, image_info, images
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.images import decode_parts, to_record
from medloom_trainer.data.tables import Slice
from medloom_trainer.errors import TrainerError

SHARED = Path(__file__).parents[4] / "shared" / "data"
real = pytest.mark.skipif(not SHARED.exists(), reason="the real images of shared/data are not here")
VIEW = {"size": None, "slice": None, "axis": "axial", "window": None, "model": None, "view": 1}


def nothing(message, fraction):
    pass


def reading(**changed):
    data = contract_defaults("DataConfig")
    return {key: data[key] for key in ("image_size", "window", "slices")} | changed


def dataset_of(folder, files, root=None):
    (folder / "table.csv").write_text(
        "image,label\n" + "".join(f"{file},{at}\n" for at, file in enumerate(files))
    )
    return {
        "path": str(folder / "table.csv"),
        "image_root": str(root or folder),
        "roles": {"image": "image", "label": "label"},
        "classes": None,
        "roots": [str(folder)],
        "cache_dir": str(folder / "cache"),
    }


def show(dataset, row=0, image=0, **view):
    (found,) = images(
        {"dataset": dataset, "images": [{"row": row, "image": image}], "view": VIEW | view}, nothing
    )["pictures"]
    if found["problem"]:
        return found["problem"]["code"]
    content = base64.b64decode(found["picture"]["data"])
    return np.asarray(Image.open(io.BytesIO(content)))


def test_a_file_is_drawn_without_a_dataset(tmp_path):
    volume = nibabel.Nifti1Image(np.zeros((4, 6, 3), np.float32), np.eye(4))
    volume.get_fdata()[2, 3, 1] = 1
    nibabel.save(nibabel.Nifti1Image(volume.get_fdata(), np.eye(4)), tmp_path / "head.nii.gz")
    request = {"path": str(tmp_path / "head.nii.gz"), "view": VIEW, "cache_dir": str(tmp_path / "cache")}
    found = file_image(request, nothing)
    assert found["media_type"] == "image/png"
    drawn = np.asarray(Image.open(io.BytesIO(base64.b64decode(found["data"]))))
    assert sorted(drawn.shape) == [4, 6] and np.count_nonzero(drawn) == 1  # the middle slice
    (tmp_path / "head.nii.gz").write_bytes(b"no image")
    with pytest.raises(TrainerError) as refused:
        file_image(request, nothing)
    assert refused.value.code == "IMAGES_UNREADABLE"


@pytest.fixture
def photo(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 255, (60, 100, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "Mustermann.png")
    return dataset_of(tmp_path, ["Mustermann.png", "gone.png", "", "table.csv", "../outside.png"])


def test_a_picture_has_the_shape_of_the_image_and_at_most_its_size(photo):
    assert show(photo).shape == (60, 100, 3)
    assert show(photo, size=50).shape == (30, 50, 3)
    assert show(photo, size=2048).shape == (60, 100, 3)


def test_the_model_sees_exactly_these_pixels(photo):
    data = reading(image_size=[32, 32])
    pixels = decode_parts((Path(photo["path"]).parent / "Mustermann.png").read_bytes(), [None])[0]
    assert np.array_equal(show(photo, model=data), to_record(pixels, (32, 32), 8, None))
    assert show(photo, model=data, view=2) == "IMAGE_NOT_FOUND"


def test_what_is_not_there_or_cannot_be_read_says_so(photo):
    assert [show(photo, row) for row in range(1, 6)] == [
        "IMAGES_UNREADABLE", "IMAGE_NOT_FOUND", "IMAGES_UNREADABLE", "IMAGES_UNREADABLE", "IMAGE_NOT_FOUND",
    ]  # fmt: skip
    assert show(photo, image=1) == "IMAGE_NOT_FOUND"
    assert show(photo, slice=1) == "IMAGE_NOT_FOUND"


def test_names_in_the_cache_and_problems_tell_nothing_of_a_patient(photo):
    show(photo, size=64)
    names = [path.name for path in (Path(photo["cache_dir"]) / "browse").rglob("*")]
    assert any(len(name) == 64 for name in names)
    assert not any("Mustermann" in name for name in names)
    problems = images({"dataset": photo, "images": [{"row": 1, "image": 0}], "view": VIEW}, nothing)
    assert "gone" not in json.dumps(problems)


def test_a_kept_picture_is_made_again_when_its_file_changes(photo):
    before = show(photo, size=64)
    file = Path(photo["path"]).parent / "Mustermann.png"
    Image.fromarray(np.zeros((60, 100, 3), dtype=np.uint8)).save(file)
    assert not np.array_equal(show(photo, size=64), before)


@real
def test_a_dicom_file_tells_its_window_and_spacing_and_no_patient(tmp_path):
    dataset = dataset_of(tmp_path, ["CT_small.dcm", "emri_small.dcm"], SHARED / "dicom")
    dataset["roots"].append(str(SHARED))
    info = image_info({"dataset": dataset, "image": {"row": 0, "image": 0}, "data": reading()}, nothing)
    assert (info["kind"], info["modality"], info["slices"]["axial"]) == ("DICOM", "CT", 1)
    assert info["spacing"][:2] == pytest.approx([0.661468, 0.661468])
    assert info["shown"] == {"low": -1024.0, "high": 3071.0}
    assert "CompressedSamples" not in json.dumps(info)
    assert not np.array_equal(show(dataset), show(dataset, window={"center": 40, "width": 400}))
    frames = image_info({"dataset": dataset, "image": {"row": 1, "image": 0}, "data": reading()}, nothing)
    assert (frames["slices"]["axial"], frames["views"]) == (10, 3)
    assert not np.array_equal(show(dataset, 1, slice=0), show(dataset, 1, slice=9))
    assert [show(dataset, 1, slice=10), show(dataset, 1, slice=0, axis="coronal")] == ["IMAGE_NOT_FOUND"] * 2


@real
def test_a_nifti_volume_is_cut_along_three_axes(tmp_path):
    dataset = dataset_of(tmp_path, ["hippocampus_003.nii.gz"], SHARED / "nifti")
    dataset["roots"].append(str(SHARED))
    info = image_info({"dataset": dataset, "image": {"row": 0, "image": 0}, "data": reading()}, nothing)
    content = (SHARED / "nifti" / "hippocampus_003.nii.gz").read_bytes()
    for axis, depth in info["slices"].items():
        assert depth > 1
        last = show(dataset, slice=depth - 1, axis=axis)
        expected = decode_parts(content, [Slice(depth, depth, axis)])[0].values
        assert last.shape == expected.shape[:2]
        assert show(dataset, slice=depth, axis=axis) == "IMAGE_NOT_FOUND"
    views = [show(dataset, model=reading(image_size=[64, 64]), view=view) for view in (1, 2, 3)]
    assert not np.array_equal(views[0], views[2])
