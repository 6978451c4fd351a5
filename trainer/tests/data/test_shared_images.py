"""Rows that name the same images are reported, because each counts as a case."""

from __future__ import annotations

from pathlib import Path

import pytest

from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.checks import inspect, rows_with_masks
from medloom_trainer.data.outline import outline
from medloom_trainer.data.tables import make_table, refuse_shared_images, rows_with_shared_images
from medloom_trainer.data.types import InferenceData
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
