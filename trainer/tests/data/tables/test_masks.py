"""Masks are not images of a case, and a table in a folder is read before the names of its folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from medloom_trainer.data.tables import class_files, read_csv, read_folder
from medloom_trainer.data.tables.masks import is_mask_folder, without_masks
from medloom_trainer.data.tables.roles import infer_roles
from testing.workspace import Workspace, codes


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")


def test_masks_beside_their_images_are_not_cases(tmp_path: Path) -> None:
    files(tmp_path, "benign/a (1).png", "benign/a (1)_mask.png", "benign/a (1)_mask_1.png", "malignant/b.png")
    assert [file.name for _, _, file in class_files(tmp_path)] == ["a (1).png", "b.png"]


def test_a_name_that_only_ends_like_a_mask_is_an_image() -> None:
    assert without_masks(["a_seg.png", "b.png", "roi.png"]) == ["a_seg.png", "b.png", "roi.png"]


@pytest.mark.parametrize(
    "mask",
    [
        "a_GT.png",
        "a_annotation.png",
        "mask_a.png",
        "a_mask (1).png",
        "a_maske.png",
        "a-seg.png",
        "a_label.png",
    ],
)
def test_masks_are_recognized_by_many_names(mask: str) -> None:
    assert without_masks(["a.png", mask, "b.png"]) == ["a.png", "b.png"]
    assert without_masks([mask, "b.png"]) == [mask, "b.png"]


def test_a_mask_of_several_images_of_a_case_is_recognized() -> None:
    names = ["a-t1.nii.gz", "a-flair.nii.gz", "a-seg.nii.gz"]
    assert without_masks(names) == names[:2]


@pytest.mark.parametrize("name", ["annotations", "labels", "ground_truth", "labelsTr", "Masks_binary", "GT"])
def test_folders_of_masks_have_many_names(tmp_path: Path, name: str) -> None:
    files(tmp_path, *(f"{place}/c{row}.png" for row in range(4) for place in ("benign", name)))
    files(tmp_path, *(f"malignant/d{row}.png" for row in range(4)))
    assert {of_class for _, of_class, _ in class_files(tmp_path)} == {"benign", "malignant"}


def test_the_mask_of_a_volume_has_no_number_of_its_channel() -> None:
    assert is_mask_folder("labelsTr", ["la_01.nii.gz"], ["la_01_0000.nii.gz"])


def test_people_with_and_without_masks_are_classes(tmp_path: Path) -> None:
    files(tmp_path, *(f"{place}/{row}.png" for row in range(4) for place in ("with_mask", "without_mask")))
    assert {of_class for _, of_class, _ in class_files(tmp_path)} == {"with_mask", "without_mask"}


def test_a_folder_of_masks_is_not_a_class() -> None:
    assert is_mask_folder("masks", ["a.png", "b_mask.png"], ["a.jpg", "b.jpg"])
    assert not is_mask_folder("masks", ["x.png", "y.png"], ["a.jpg", "b.jpg"])
    assert not is_mask_folder("mask on", ["a.png"], ["a.jpg"])


def test_a_table_that_names_the_images_is_read_instead_of_the_folders(tmp_path: Path) -> None:
    files(tmp_path, *(f"part_{row % 2}/img{row}.png" for row in range(6)))
    lines = [f"img{row},{row % 2}" for row in range(6)]
    (tmp_path / "metadata.csv").write_text("image_id,dx\n" + "\n".join(lines) + "\n")
    table = read_folder(tmp_path)
    assert table is not None and table.columns == ("image_id", "dx")


def test_a_table_about_something_else_leaves_the_folders_as_classes(tmp_path: Path) -> None:
    files(tmp_path, *(f"{'ab'[row % 2]}/img{row}.png" for row in range(6)))
    (tmp_path / "readme.csv").write_text("key,value\nlicense,CC0\n")
    assert read_folder(tmp_path) is None


def test_a_column_of_masks_is_not_a_view(work: Workspace) -> None:
    rows = [
        {"image": f"a/{row}.png", "ROI mask file path": f"b/{row}.png", "outline": f"c/{row}_seg.png"}
        | {"label": row % 2}
        for row in range(20)
    ]
    path = work.table("train.csv", rows)
    roles = infer_roles(read_csv(path), work.config()["data"], work.folder)
    assert roles.images == ("image",)
    assert codes(roles.warnings) == {"MASKS_SET_APART"}
