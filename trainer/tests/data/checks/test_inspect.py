"""Readiness of a table or a folder before training (contract Inspection)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import medloom_trainer
from medloom_trainer.data.checks import inspect
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace


def look(work: Workspace, path: Path, **params: Any) -> dict[str, Any]:
    found = inspect(
        {
            "path": str(path), "image_root": None, "label_column": None, "patient_column": None,
            "ignore_columns": [], "roots": [str(work.folder)], **params,
        }
    )  # fmt: skip
    json.dumps(found, allow_nan=False)
    jsonschema.validate(found, inspection_schema())
    return found


def inspection_schema() -> dict[str, Any]:
    path = Path(medloom_trainer.__file__).parent / "contract" / "tasks.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["inspect"]["result"]
    return schema


def checks(found: dict[str, Any]) -> dict[str, str]:
    return {check["key"]: check["status"] for check in found["readiness"]["checks"]}


def test_a_good_table_is_ready(work: Workspace) -> None:
    found = look(work, work.table("t.csv", work.cases(60)))
    assert found["readiness"]["status"] == "ready"
    assert (found["kind"], found["task"], found["num_cases"], found["num_patients"]) == (
        "multimodal", "classification", 60, 30,
    )  # fmt: skip
    assert [column["role"] for column in found["columns"]] == [
        "image",
        "patient",
        "numeric",
        "categorical",
        "label",
    ]
    assert sum(of["count"] for of in found["classes"]) == 60
    assert found["missing"] == {} and found["splits"] == {}


def test_every_hint_that_is_not_ready_says_what_to_do(work: Workspace) -> None:
    rows = [{"case_id": row // 2, "age": "" if row else 3, "label": row % 2} for row in range(8)]
    found = look(work, work.table("t.csv", rows))
    assert found["kind"] == "tabular"
    assert {"patients", "REPEATED_IDS", "cases", "missing_values"} <= {
        key for key, status in checks(found).items() if status == "warning"
    }
    assert all(check["hint"] for check in found["readiness"]["checks"] if check["status"] != "ready")


DIVIDED_PATIENTS = [
    {"patient_id": row // 3, "age": row, "split": ["train", "val"][row % 2], "label": row % 4 // 2}
    for row in range(12)
]
CLASS_ONLY_IN_VAL = [
    {"age": row, "split": "val" if row > 8 else "train", "label": 7 if row > 8 else row % 2}
    for row in range(12)
]


@pytest.mark.parametrize(
    ("rows", "key"),
    [
        ([{"age": 1, "height": 2}, {"age": 3, "height": 4}], "label"),
        ([{"age": row, "label": "same"} for row in range(6)], "label"),
        ([{"age": row, "label": "" if row == 3 else row % 2} for row in range(6)], "label"),
        ([{"only": "x", "label": row % 2} for row in range(6)], "inputs"),
        ([{"image": f"{row}.png", "label": row % 2} for row in range(6)], "images"),
        (DIVIDED_PATIENTS, "patient_leak"),
        (CLASS_ONLY_IN_VAL, "label_val"),
    ],
)
def test_what_would_stop_a_training_is_blocked(work: Workspace, rows: list[dict[str, Any]], key: str) -> None:
    found = look(work, work.table("t.csv", rows))
    assert checks(found)[key] == "blocked"
    assert found["readiness"]["status"] == "blocked"


def test_the_same_file_in_two_splits(work: Workspace) -> None:
    rows = [{**row, "split": "train" if number < 10 else "test"} for number, row in enumerate(work.cases(16))]
    rows[12]["image"] = work.image("images/copy.png", 3)
    assert checks(look(work, work.table("t.csv", rows)))["image_leak"] == "blocked"
    rows[12]["image"] = work.image("images/copy.png", 77)
    found = look(work, work.table("t.csv", rows))
    assert "image_leak" not in checks(found)
    assert found["splits"] == {"train": 10, "test": 6}


def test_damaged_and_missing_images_are_listed_by_row(work: Workspace) -> None:
    rows = work.cases(12)
    (work.folder / rows[2]["image"]).unlink()
    (work.folder / rows[5]["image"]).write_bytes(b"x")
    rows[7]["image"] = ""
    found = look(work, work.table("t.csv", rows))
    messages = {check["key"]: check["message"] for check in found["readiness"]["checks"]}
    assert "2 image files" in messages["images"] and "row 4 (image): is missing" in messages["images"]
    assert "row 9" in messages["cases_without_image"]


def test_a_name_that_no_file_can_have_is_a_missing_image(work: Workspace) -> None:
    rows = work.cases(12)
    rows[2]["image"] = "x" * 300 + ".png"
    messages = {c["key"]: c["message"] for c in look(work, work.table("t.csv", rows))["readiness"]["checks"]}
    assert "row 4 (image): is missing" in messages["images"]


def test_a_leaking_column_is_a_warning(work: Workspace) -> None:
    rows = [{"age": row * 7 % 60, "known": f"{'AB'[row % 2]}", "label": row % 2} for row in range(80)]
    assert checks(look(work, work.table("t.csv", rows)))["LABEL_PREDICTED_BY_COLUMN"] == "warning"


def test_what_the_caller_names_counts(work: Workspace) -> None:
    rows = [{"who": row // 2, "result": row % 2, "age": row} for row in range(20)]
    found = look(work, work.table("t.csv", rows), label_column="result", patient_column="who")
    assert (found["num_patients"], found["task"]) == (10, "classification")
    with pytest.raises(TrainerError, match='did you mean "result"'):
        look(work, work.table("t.csv", rows), label_column="results")


def test_a_column_that_is_left_out_is_no_input_and_warns_of_nothing(work: Workspace) -> None:
    rows = [{"age": row * 7 % 60, "known": f"{'AB'[row % 2]}", "label": row % 2} for row in range(80)]
    found = look(work, work.table("t.csv", rows), ignore_columns=["known"])
    assert {column["name"]: column["role"] for column in found["columns"]}["known"] == "ignored"
    assert "LABEL_PREDICTED_BY_COLUMN" not in checks(found)
    with pytest.raises(TrainerError, match='did you mean "known"'):
        look(work, work.table("t.csv", rows), ignore_columns=["knwon"])
    with pytest.raises(TrainerError, match='both name the column "label"'):
        look(work, work.table("t.csv", rows), label_column="label", ignore_columns=["label"])


def test_a_folder_without_a_table_has_no_columns_to_name(work: Workspace) -> None:
    for name in ("a", "b"):
        work.image(f"classes/{name}/1.png", 1)
    with pytest.raises(TrainerError, match="no columns") as caught:
        look(work, work.folder / "classes", ignore_columns=["known"])
    assert (caught.value.code, caught.value.details) == ("INVALID_REQUEST", "Leave out ignore_columns.")


def test_no_value_of_a_patient_is_told(work: Workspace) -> None:
    rows = [
        {
            "patient_id": f"Roe{row // 2}",
            "name": "Jane",
            "remark": f"fell on day {row}",
            "age": row,
            "label": row % 2,
        }
        for row in range(30)
    ]
    text = json.dumps(look(work, work.table("t.csv", rows)))
    assert not any(word in text for word in ("Roe", "Jane", "fell"))


def test_a_folder_per_class(work: Workspace) -> None:
    for number in range(12):
        work.image(f"set/{['cat', 'dog'][number % 2]}/{number}.png", number)
    found = look(work, work.folder / "set")
    assert (found["kind"], found["num_cases"]) == ("image", 12)
    assert found["classes"] == [{"name": "cat", "count": 6}, {"name": "dog", "count": 6}]
    assert found["readiness"]["status"] == "warning"
    for number in range(4):
        work.image(f"divided/{['train', 'valid'][number % 2]}/{['a', 'b'][number // 2]}/{number}.png", number)
    assert look(work, work.folder / "divided")["splits"] == {"train": 2, "val": 2}


def split_tables(work: Workspace) -> Path:
    for name, first, count in (("train", 0, 60), ("valid", 100, 8), ("test", 200, 6)):
        work.table(f"{name}.csv", work.cases(count, first=first))
    (work.folder / "facts.csv").write_text("not\na part\n")
    return work.folder


def test_the_tables_of_a_folder_that_are_named_as_splits_are_one_data_set(work: Workspace) -> None:
    found = look(work, split_tables(work))
    assert (found["kind"], found["num_cases"], found["num_patients"]) == ("multimodal", 74, 37)
    assert found["splits"] == {"train": 60, "val": 8, "test": 6}
    assert {column["name"]: column["role"] for column in found["columns"]} == {
        "image": "image", "patient_id": "patient", "age": "numeric", "site": "categorical", "label": "label",
        "split": "split",
    }  # fmt: skip
    assert found["path"] == str(work.folder) and found["readiness"]["status"] == "ready"
    digest = found["digest"]
    work.table("test.csv", work.cases(8, first=200))
    assert look(work, work.folder)["digest"] != digest


def test_a_leak_between_the_tables_of_a_folder(work: Workspace) -> None:
    split_tables(work)
    work.table("test.csv", work.cases(6, first=58))
    found = checks(look(work, work.folder))
    assert found["patient_leak"] == "blocked" and found["image_leak"] == "blocked"


def test_what_is_wrong_in_a_folder_of_tables_is_named_by_file(work: Workspace) -> None:
    rows = [
        {**row, "label": ""} if number == 3 else row for number, row in enumerate(work.cases(6, first=200))
    ]
    split_tables(work)
    work.table("test.csv", rows)
    (work.folder / rows[1]["image"]).unlink()
    messages = {check["key"]: check["message"] for check in look(work, work.folder)["readiness"]["checks"]}
    assert "row 3 of test.csv (image): is missing" in messages["images"]
    assert "row 5 of test.csv" in messages["label_test"]


def test_a_row_that_says_its_split_is_of_that_split(work: Workspace) -> None:
    split_tables(work)
    rows = [{**row, "split": "test" if number > 54 else ""} for number, row in enumerate(work.cases(60))]
    work.table("train.csv", rows)
    assert look(work, work.folder)["splits"] == {"train": 55, "test": 11, "val": 8}


def test_the_one_table_of_a_folder(work: Workspace) -> None:
    work.table("cases.CSV", work.cases(60))
    found = look(work, work.folder)
    assert (found["num_cases"], found["splits"], found["path"]) == (60, {}, str(work.folder))


def test_of_several_tables_one_is_to_be_named(work: Workspace) -> None:
    for name in ("b.csv", "a.csv"):
        work.table(name, work.cases(6))
    with pytest.raises(TrainerError) as caught:
        look(work, work.folder)
    assert caught.value.code == "DATASET_INVALID" and "a.csv, b.csv" in caught.value.message
    assert "train.csv" in caught.value.details
    for name in ("train.csv", "training.csv"):
        work.table(name, work.cases(6))
    with pytest.raises(TrainerError, match=r"both train\.csv and training\.csv"):
        look(work, work.folder)


def test_without_a_row_that_trains(work: Workspace) -> None:
    work.table("test.csv", work.cases(12))
    assert checks(look(work, work.folder))["splits"] == "blocked"


def test_tables_beside_a_folder_per_class_are_not_read_but_named(work: Workspace) -> None:
    for number in range(12):
        work.image(f"set/{['cat', 'dog'][number % 2]}/{number}.png", number)
    for name in ("a.csv", "b.csv"):
        (work.folder / "set" / name).write_text("x\n1\n")
    found = look(work, work.folder / "set")
    assert (found["kind"], found["num_cases"], checks(found)["tables"]) == ("image", 12, "warning")


def test_nothing_to_look_at(work: Workspace) -> None:
    (work.folder / "empty").mkdir()
    (work.folder / "ragged.csv").write_text("a,b\n1\n")
    for name, code in (
        ("none.csv", "FILE_NOT_FOUND"), ("empty", "DATASET_INVALID"), ("ragged.csv", "CSV_MALFORMED"),
    ):  # fmt: skip
        with pytest.raises(TrainerError) as caught:
            look(work, work.folder / name)
        assert caught.value.code == code
