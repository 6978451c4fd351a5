"""Cases of a table before it is registered, beside the rows from which a recipe makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.browse.preview import preview_cases

VIEW = {"size": 64, "slice": None, "axis": "axial", "window": None, "model": None, "view": 1}
CASES = 30


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table with a one-hot label, and images that it names without their ending."""
    (tmp_path / "images").mkdir()
    lines = ["patient_id,image_id,MEL,NV,age"]
    for number in range(CASES):
        Image.fromarray(np.full((20, 30, 3), number, np.uint8)).save(tmp_path / "images" / f"c{number}.png")
        lines.append(f"Mustermann-{number // 2},c{number},{number % 2},{1 - number % 2},{40 + number}")
    (tmp_path / "cases.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def ask(folder: Path, **dataset: Any) -> dict[str, Any]:
    place = {
        "path": str(folder / "cases.csv"),
        "image_root": str(folder),
        "classes": None,
        "roots": [str(folder)],
        "cache_dir": str(folder / "cache"),
        **dataset,
    }
    params = {"dataset": place, "rows": 5, "most_images": 4, "most_columns": 40, "view": VIEW}
    return preview_cases(params, lambda message, fraction: None)


RECIPE = {
    "version": 1,
    "images": [{"column": "image", "key": "image_id", "search": ["images"]}],
    "label": {"column": "label", "one_hot": ["MEL", "NV"]},
}
ROLES = {"patient_id": "patient", "image_id": "id", "image": "image", "label": "label", "age": "numeric"}


def test_the_cases_of_a_recipe_are_beside_their_source_rows_with_images(folder: Path) -> None:
    found = ask(folder, roles=ROLES, recipe=RECIPE)
    assert [len(found["cases"]), found["num_cases"]] == [5, CASES]
    names = [column["name"] for column in found["columns"]]
    source = found["source"]
    assert source["name"] == "cases.csv"
    assert [column["name"] for column in source["columns"]] == ["patient_id", "image_id", "MEL", "NV", "age"]
    for case, row in zip(found["cases"], source["rows"], strict=True):
        number = case["line"] - 2
        assert case["values"][names.index("label")] == ("MEL" if number % 2 else "NV")
        assert row[2:] == [str(number % 2), str(1 - number % 2), str(40 + number)]
        (picture,) = case["pictures"]
        assert picture["problem"] is None and picture["picture"]["media_type"] == "image/jpeg"


def test_identifying_values_appear_nowhere(folder: Path) -> None:
    found = ask(folder, roles=ROLES, recipe=RECIPE)
    masked = {column["name"] for column in found["source"]["columns"] if column["masked"]}
    assert masked >= {"patient_id", "image_id"}
    text = json.dumps([found["source"], [case["values"] for case in found["cases"]]])
    assert "Mustermann" not in text and '"c' not in text.replace('"columns"', "").replace('"cases.csv"', "")


def test_the_same_table_shows_the_same_cases_and_no_source_without_a_recipe(folder: Path) -> None:
    roles = {"patient_id": "patient", "image_id": "id", "MEL": "label", "NV": "ignored", "age": "numeric"}
    first, again = ask(folder, roles=roles), ask(folder, roles=roles)
    assert first == again and first["source"] is None
    assert [case["pictures"] for case in first["cases"]] == [[]] * 5
