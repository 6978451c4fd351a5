"""Rows that name the same images become one case, or are refused if their labels or inputs differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.checks import inspect, rows_with_masks
from medloom_trainer.data.outline import outline
from medloom_trainer.data.tables import (
    find_merged_rows,
    make_table,
    refuse_shared_images,
    rows_with_shared_images,
)
from medloom_trainer.data.types import InferenceData, PreparedData
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace, codes


def test_rows_of_one_image_are_reported_with_differing_labels() -> None:
    table = make_table(
        "t.csv",
        {
            "image": ["a.png", "a.png", "b.png", "b.png", "b.png", "c.png", "", ""],
            "label": ["0", "1", "1", "1", "1", "0", "0", "1"],
        },
    )
    (warning,) = rows_with_shared_images(table, ["image"], ["label"])
    assert warning["code"] == "ROWS_SHARE_IMAGES"
    assert "5 rows name only 2 images" in warning["message"]
    assert "different labels: 1" in warning["message"]


def test_the_same_label_in_other_words_is_no_difference() -> None:
    table = make_table("t.csv", {"image": ["a.png"] * 3, "label": ["Yes", "yes", ""]})
    assert "different labels: 0" in rows_with_shared_images(table, ["image"], ["label"])[0]["message"]
    numbers = make_table("t.csv", {"image": ["a.png"] * 2, "label": ["1", "1.0"]})
    refuse_shared_images(numbers, ["image"], ["label"])


def with_two_rows_of_an_image(work: Workspace, split: str, *, same: bool) -> str:
    """The path of a table in which an image of the split has two rows."""
    rows = [row | {"split": "train"} for row in work.cases(24)]
    rows += [row | {"split": "val"} for row in work.cases(12, 24)]
    rows += [row | {"split": "test"} for row in work.cases(12, 36)]
    row = next(row for row in rows if row["split"] == split)
    other = {"benign": "malignant", "malignant": "benign"}[row["label"]]
    return str(work.table(f"{same}.csv", [*rows, row | {"label": row["label"] if same else other}]))


@pytest.mark.parametrize("split", ["train", "val", "test"])
def test_rows_of_one_image_with_different_labels_are_refused_in_every_split(
    work: Workspace, split: str
) -> None:
    config = work.config(train_csv=with_two_rows_of_an_image(work, split, same=False))
    for attempt in (work.prepare_with, lambda config: outline(config, roots=[work.folder], fitted=None)):
        with pytest.raises(TrainerError, match=r"2 rows name .* different labels: 1") as caught:
            attempt(config)
        assert "data.recipe.rows" in caught.value.details
    summary = work.prepare(train_csv=with_two_rows_of_an_image(work, split, same=True)).summary
    (found,) = [one["message"] for one in summary["warnings"] if one["code"] == "ROWS_SHARE_IMAGES"]
    assert found.startswith("2 rows" if split == "train" else f"{split}: 2 rows")


def test_an_evaluation_of_another_table_reports_and_refuses_them_too(work: Workspace) -> None:
    trained = work.prepare(train_csv=str(work.table("t.csv", work.cases(24))))
    rows = work.cases(12, 30)

    def evaluate(name: str, label: str) -> InferenceData:
        return prepare_cases(
            trained.preprocessing,
            work.table(name, [*rows, rows[0] | {"label": label}]),
            image_root=None,
            split="test",
            whole_table=True,
            roots=[work.folder],
            cache_dir=work.cache,
            progress=lambda message, fraction: None,
        )

    own = rows[0]["label"]
    assert "ROWS_SHARE_IMAGES" in codes(evaluate("same.csv", own).warnings)
    with pytest.raises(TrainerError, match="different labels: 1"):
        evaluate("other.csv", "malignant" if own == "benign" else "benign")


def test_an_inspection_blocks_them_unless_a_recipe_merges_the_rows(work: Workspace) -> None:
    path = Path(with_two_rows_of_an_image(work, "test", same=False))
    absent = dict.fromkeys(("image_root", "label_column", "label_columns", "time_column", "event_column"))
    absent |= dict.fromkeys(("patient_column", "positive_class", "slices"))
    params = {**absent, "path": str(path), "roles": {}, "ignore_columns": [], "roots": [str(work.folder)]}
    status = {check["key"]: check["status"] for check in inspect(params)["readiness"]["checks"]}
    assert status["ROWS_SHARE_IMAGES"] == "blocked"
    recipe = {"version": 1, "rows": {"case": ["image"], "rule": "first"}}
    merged = inspect({**params, "recipe": recipe})["readiness"]["checks"]
    assert "ROWS_SHARE_IMAGES" not in {check["key"] for check in merged}


def test_views_of_different_cases_may_share_one_file() -> None:
    views = {"front": ["a.png", "a.png"], "side": ["b.png", "c.png"]}
    table = make_table("t.csv", {**views, "label": ["0", "1"]})
    assert rows_with_shared_images(table, ["front", "side"], ["label"]) == []
    assert rows_with_shared_images(table, [], ["label"]) == []


def test_rows_that_name_masks_of_other_rows_are_counted() -> None:
    cells = [f"scans/{number}{end}.png" for number in range(6) for end in ("", "_mask", "_mask_1")]
    (found,) = rows_with_masks(make_table("t.csv", {"image": cells}), ["image"])
    assert found["code"] == "ROWS_NAME_MASKS" and found["message"].startswith("12 rows name masks")
    folders = [f"{folder}/{number}.png" for number in range(6) for folder in ("images", "masks")]
    assert "6 rows" in rows_with_masks(make_table("t.csv", {"image": folders}), ["image"])[0]["message"]
    assert rows_with_masks(make_table("t.csv", {"image": ["a_mask.png", "b_mask.png"]}), ["image"]) == []


def with_boxes(work: Workspace, split: str) -> list[dict[str, Any]]:
    """Rows of ten images in the layout of the pneumonia challenge of the RSNA: nine boxes in four images with
    the finding, and a row without a box for each other image."""
    rows = []
    for number, boxes in enumerate([3, 2, 2, 2, 1, 1, 1, 1, 1, 1]):
        image = work.image(f"{split}/{number}.png", number + 100 * len(split) + ord(split[-1]))
        finding = int(number < 4)
        rows += [
            {
                "image": image,
                "patientId": f"{split}-{number}",
                "x": 10 * box + number if finding else "",
                "Target": finding,
                "split": split,
            }
            for box in range(boxes)
        ]
    return rows


IMAGES_ALONE = {"fusion_type": "none"}


def test_boxes_of_an_image_are_one_case_in_training_and_evaluation(work: Workspace) -> None:
    splits = ("train", "val", "test")
    path = work.table("boxes.csv", [row for split in splits for row in with_boxes(work, split)])
    trained = work.prepare(model=IMAGES_ALONE, train_csv=str(path), label_column="Target")
    assert trained.summary["splits"]["train"]["cases"] == 10
    assert trained.summary["splits"]["train"]["class_counts"] == {"0": 6, "1": 4}
    steps = {step["step"]: step["cases"] for step in trained.flow}
    assert steps["train cases after merging the rows of one image"] == 10
    tested = evaluated(work, trained, path)
    assert len(tested.cases.rows) == 10
    assert np.mean(tested.cases.labels) == pytest.approx(0.4)
    assert [step["cases"] for step in tested.flow][-2:] == [15, 10]
    assert "15 rows name only 10 images" not in str(tested.warnings)
    assert "9 rows name only 4 images" in str(tested.warnings)


def test_rows_of_an_image_with_other_inputs_are_refused(work: Workspace) -> None:
    path = str(work.table("boxes.csv", with_boxes(work, "train")))
    config = work.config(train_csv=path, label_column="Target", numeric_columns=["x"], val_fraction=0.3)
    for attempt in (work.prepare_with, lambda config: outline(config, roots=[work.folder], fitted=None)):
        with pytest.raises(TrainerError, match='differ in other columns: "x"') as caught:
            attempt(config)
        assert "data.recipe.rows" in caught.value.details
    found = inspected(Path(path), label_column="Target")
    assert status_of(found)["ROWS_SHARE_IMAGES"] == "blocked"
    found = inspected(Path(path), label_column="Target", ignore_columns=["x"])
    assert status_of(found)["ROWS_SHARE_IMAGES"] == "warning"
    assert (found["num_cases"], found["num_patients"]) == (10, 10)


def test_rows_of_one_image_and_several_patients_or_splits_remain(work: Workspace) -> None:
    table = make_table(
        "t.csv",
        {
            "image": ["a.png"] * 4,
            "patient": ["P1", "P1", "P2", "P2"],
            "split": ["train", "train", "train", "test"],
            "label": ["1", "1.0", "yes", "yes"],
        },
    )
    merged = find_merged_rows(table, ["image"], ["label", "patient", "split"], [])
    assert merged is not None and merged.kept.tolist() == [0, 2, 3]
    assert (merged.rows, merged.cases) == (2, 1)
    assert find_merged_rows(table, ["absent"], ["label"], []) is None


def test_rows_with_a_table_alone_are_not_refused(work: Workspace) -> None:
    rows = with_boxes(work, "train")
    for number, row in enumerate(rows):
        row["x"] = 7 * number % 11
    path = str(work.table("boxes.csv", rows))
    model = {"vision_backbone": "none"}
    made = work.prepare(model=model, train_csv=path, label_column="Target", numeric_columns=["x"])
    assert sum(part["cases"] for part in made.summary["splits"].values()) == 15
    assert "ROWS_SHARE_IMAGES" in codes(made.summary["warnings"])


def evaluated(work: Workspace, trained: PreparedData, path: Path) -> InferenceData:
    return prepare_cases(
        trained.preprocessing,
        path,
        image_root=None,
        split="test",
        roots=[work.folder],
        cache_dir=work.cache,
        progress=lambda message, fraction: None,
    )


def inspected(path: Path, **params: Any) -> dict[str, Any]:
    absent = dict.fromkeys(("image_root", "label_column", "label_columns", "time_column", "event_column"))
    absent |= dict.fromkeys(("patient_column", "positive_class", "slices"))
    roots = [str(path.parent)]
    return inspect({**absent, "path": str(path), "roles": {}, "ignore_columns": [], "roots": roots, **params})


def status_of(found: dict[str, Any]) -> dict[str, str]:
    return {check["key"]: check["status"] for check in found["readiness"]["checks"]}
