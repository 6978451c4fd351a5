"""LoadImage: files by content, cases by name, volumes as views, patients as pseudonyms."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import nibabel
import numpy as np
import pydicom
import pytest
from PIL import Image

from medloom_trainer.data.images import open_image
from testing.medical_files import dicom_file, nifti_file
from testing.node_runs import Nodes
from testing.trained_nodes import written


def load(nodes: Nodes, **config: Any) -> tuple[Any, dict[str, str]]:
    result = nodes.run("LoadImage", {"path": "scans", **config})
    warnings = {warning["code"]: warning["message"] for warning in result["warnings"]}
    return result["outputs"]["images"]["content"], warnings


def fill(nodes: Nodes) -> None:
    nodes.image("scans/one.png", 1)
    nodes.image("scans/two.jpg", 2)
    nodes.image("scans/deep/three.png", 3)
    dicom_file(nodes.folder / "scans/four.dcm")
    nifti_file(nodes.folder / "scans/five.nii.gz", np.arange(60, dtype=np.int16).reshape(3, 4, 5))
    nodes.write("scans/notes.txt", "no image")
    nodes.write("scans/.hidden.png", "x")


@pytest.mark.parametrize(
    ("format_name", "names"),
    [
        ("PNG", ["one", "three"]),
        ("JPG", ["two"]),
        ("DICOM", ["four"]),
        ("NIfTI", ["five"]),
        (None, ["five", "four", "one", "two", "three"]),
    ],
)
def test_every_format_is_found_by_content(nodes: Nodes, format_name: str | None, names: list[str]) -> None:
    fill(nodes)
    content, warnings = load(nodes, format=format_name)
    assert sorted(nodes.cells(content)["case_id"]) == sorted(names)
    assert "FILES_LEFT_OUT" in warnings and content["images_digest"]
    shutil.move(nodes.folder / "scans/one.png", nodes.folder / "scans/one.dcm")
    again, _ = load(nodes, format=format_name)
    assert sorted(nodes.cells(again)["case_id"]) == sorted(names), "the name does not make the format"


def test_what_is_no_regular_file_is_left_out_and_never_waited_for(nodes: Nodes) -> None:
    fill(nodes)
    os.mkfifo(nodes.folder / "scans/pipe.png")
    content, warnings = load(nodes, format="PNG")
    assert sorted(nodes.cells(content)["case_id"]) == ["one", "three"] and "FILES_LEFT_OUT" in warnings


def test_sub_folders_only_when_asked(nodes: Nodes) -> None:
    fill(nodes)
    assert load(nodes, format="PNG", recursive=False)[0]["num_cases"] == 1
    assert nodes.cells(nodes.out("images", "LoadImage", {"path": "scans/one.png"}))["case_id"] == ["one"]


def test_names_that_repeat_are_told_apart_by_their_folders(nodes: Nodes) -> None:
    for name in ("a/1.png", "b/1.png", "b/1.jpg", "b/2.png"):
        nodes.image(f"scans/{name}", 1)
    assert nodes.cells(load(nodes)[0])["case_id"] == ["a/1", "b/1#1", "b/1#2", "2"]


def test_a_volume_is_one_image_and_how_to_slice_it_a_setting(nodes: Nodes) -> None:
    nifti_file(nodes.folder / "scans/v.nii", np.zeros((4, 4, 9), dtype=np.float32))
    nodes.image("scans/flat.png", 1)
    content, _ = load(nodes)
    assert content["image_columns"] == ["image"] and content["settings"] == {}
    assert [Path(cell).name for cell in nodes.cells(content)["image"]] == ["flat.png", "v.nii"]
    chosen = {"count": 5, "axis": "coronal", "spread": "volume"}
    assert load(nodes, slices=chosen)[0]["settings"] == {"data.slices": chosen}


def test_a_series_is_one_case_sorted_by_position(nodes: Nodes) -> None:
    for number in range(9):  # names and instance numbers are in the opposite order of the positions
        dicom_file(
            nodes.folder / f"scans/ct/{number}.dcm",
            ImagePositionPatient=[0, 0, float(-number)],
            ImageOrientationPatient=[1, 0, 0, 0, 1, 0],
            InstanceNumber=number,
            SeriesInstanceUID="1.2.3",
        )
    content, _ = load(nodes)
    cells = nodes.cells(content)
    assert cells["case_id"] == ["ct"] and Path(cells["image"][0]).name == "ct"
    files, header = open_image(Path(cells["image"][0]))
    assert header.slices == 9
    assert list(files) == [(nodes.folder / f"scans/ct/{n}.dcm").read_bytes() for n in range(8, -1, -1)]


def test_several_series_of_a_folder_are_told_apart(nodes: Nodes) -> None:
    for number in range(6):
        dicom_file(
            nodes.folder / f"scans/ct/{number}.dcm",
            np.full((4, 4), number, dtype=np.uint16),
            ImagePositionPatient=[0, 0, float(number)],
            SeriesInstanceUID=f"1.2.{number % 2}",
        )
    cells = nodes.cells(load(nodes)[0])
    assert cells["case_id"] == ["ct#1", "ct#2"]
    for first, cell in enumerate(cells["image"]):
        numbers = (first, first + 2, first + 4)
        expected = [(nodes.folder / f"scans/ct/{n}.dcm").read_bytes() for n in numbers]
        assert list(open_image(Path(cell))[0]) == expected


def test_patients_are_pseudonyms_and_identity_is_counted_not_told(nodes: Nodes) -> None:
    for number, patient in enumerate(("SECRET-7", "SECRET-7", "SECRET-8")):
        dicom_file(
            nodes.folder / f"scans/{number}.dcm",
            PatientID=patient,
            PatientName="Doe^Jane",
            BurnedInAnnotation="YES" if number else "NO",
        )
    result = nodes.run("LoadImage", {"path": "scans"})
    content = result["outputs"]["images"]["content"]
    assert content["patient_column"] == "patient_id" and content["num_patients"] == 2
    stored = "".join(path.read_text() for path in (nodes.folder / "artifacts").rglob("*.*") if path.is_file())
    for secret in ("SECRET", "Doe", "Jane"):
        assert secret not in stored + str(result)
    warnings = {warning["code"]: warning["message"] for warning in result["warnings"]}
    assert warnings["BURNED_IN_IDENTITY"].startswith("2 images")
    assert warnings["TAGGED_IDENTITY"].startswith("3 images")


def test_paths_are_listed_in_a_file(nodes: Nodes) -> None:
    fill(nodes)
    content = nodes.out("paths", "LoadImage", {"path": "scans", "format": "PNG"})
    assert content["files"][0]["path"].startswith("artifacts/image-paths-")
    listed = written(nodes, content).read_text().splitlines()
    assert [Path(line).name for line in listed] == ["one.png", "three.png"]


def test_nothing_found_says_what_is_there(nodes: Nodes) -> None:
    nodes.image("scans/one.png", 1)
    error = nodes.refuse("DATASET_INVALID", "LoadImage", {"path": "scans", "format": "DICOM"})
    assert "no DICOM image" in error.message and "1 PNG" in error.message


def test_links_out_of_the_roots_are_not_followed(
    nodes: Nodes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "x.png"
    Image.new("L", (8, 8)).save(outside)
    nodes.image("scans/one.png", 1)
    (nodes.folder / "scans/two.png").symlink_to(outside)
    assert nodes.cells(load(nodes)[0])["case_id"] == ["one"]


def test_the_same_files_give_the_same_bytes(nodes: Nodes) -> None:
    fill(nodes)
    first = nodes.run("LoadImage", {"path": "scans"})
    shutil.rmtree(nodes.cache, ignore_errors=True)
    assert nodes.run("LoadImage", {"path": "scans"}) == first


def test_libraries_are_the_pinned_ones() -> None:
    assert pydicom.__version_info__ >= ("3", "0", "2") and nibabel.__version__ >= "5.4"


def test_volumes_reach_a_training(nodes: Nodes) -> None:
    """LoadImage + LoadTabular → the table that a training reads: three views of each volume."""
    rng = np.random.default_rng(0)
    for number in range(12):
        nifti_file(
            nodes.folder / f"scans/v{number}.nii.gz", rng.integers(0, 99, (20, 18, 9)).astype(np.int16)
        )
    rows = [{"case_id": f"v{n}", "age": n, "label": "ab"[n % 2]} for n in range(12)]
    nodes.table("t.csv", rows)
    parts = [load(nodes)[0], nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})]
    content = nodes.out("filtered_dataset", "FilterData", {"filter_condition": "age >= 0"}, dataset=parts)
    blob = content["table"]
    table = nodes.folder / "artifacts" / blob["sha256"][:2] / f"{blob['sha256']}.csv"
    data = nodes.prepare(train_csv=str(table), image_columns=content["image_columns"])
    assert data.num_views == 3 and data.summary["label_column"] == "label"
    assert data.store is not None and data.train.slots is not None
    batch = data.store.gather(data.train.slots[:2])
    assert not np.array_equal(batch[:, 0], batch[:, 1]), "each view is another slice"


def test_masks_of_other_files_are_not_cases(nodes: Nodes) -> None:
    for number in range(4):
        nodes.image(f"set/images/c{number}.png", number)
        nodes.image(f"set/masks/c{number}.png", 10 + number)
    nodes.image("set/images/c0_mask.png", 20)
    result = nodes.run("LoadImage", {"path": "set"})
    content = result["outputs"]["images"]["content"]
    assert nodes.cells(content)["case_id"] == ["c0", "c1", "c2", "c3"]
    (found,) = [one for one in result["warnings"] if one["code"] == "MASKS_SET_APART"]
    assert found["message"].startswith("5 files are masks")
    alone = nodes.out("images", "LoadImage", {"path": "set/masks"})
    assert alone["num_cases"] == 4
