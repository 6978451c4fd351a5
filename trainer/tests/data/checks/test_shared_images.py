"""Rows that name the same images are reported, because each counts as a case."""

from __future__ import annotations

from medloom_trainer.data.checks import rows_with_masks, rows_with_shared_images
from medloom_trainer.data.tables import make_table


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
