"""Readiness of a table or a folder before training (contract Inspection)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from PIL import Image

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.data.checks import inspect
from medloom_trainer.errors import TrainerError
from testing.medical_files import nifti_file
from testing.workspace import Workspace, codes

RESULT = Draft202012Validator(task_schemas()["inspect"]["result"])


def look(
    work: Workspace,
    path: Path,
    progress: Callable[[str, float], None] = lambda message, fraction: None,
    **params: Any,
) -> dict[str, Any]:
    found = inspect(
        {
            "path": str(path), "image_root": None, "label_column": None, "label_columns": None,
            "time_column": None, "event_column": None, "patient_column": None,
            "positive_class": None, "slices": None, "roles": {}, "ignore_columns": [],
            "roots": [str(work.folder)],
            **params,
        },
        progress,
    )  # fmt: skip
    json.dumps(found, allow_nan=False)
    RESULT.validate(found)
    return found


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


def test_rows_of_an_unknown_split_are_counted(work: Workspace) -> None:
    rows = work.cases(60)
    words = ("train", "train", "test", "internal")
    found = look(work, work.table("t.csv", [{**row, "split": words[n % 4]} for n, row in enumerate(rows)]))
    (check,) = [one for one in found["readiness"]["checks"] if one["key"] == "UNKNOWN_SPLIT"]
    assert (check["status"], "15 rows" in check["message"]) == ("warning", True)


def test_every_hint_that_is_not_ready_says_what_to_do(work: Workspace) -> None:
    rows = [{"case_id": row // 2, "age": "" if row else 3, "label": row % 2} for row in range(8)]
    found = look(work, work.table("t.csv", rows))
    assert found["kind"] == "tabular"
    assert {"patients", "REPEATED_IDS", "cases", "missing_values"} <= {
        key for key, status in checks(found).items() if status == "warning"
    }
    assert all(check["hint"] for check in found["readiness"]["checks"] if check["status"] != "ready")


def test_chosen_roles_count_and_the_others_are_inferred(work: Workspace) -> None:
    rows = [
        {"number": row, "who": f"n{row // 2}", "code": row % 3, "out": "ab"[row % 2]} for row in range(60)
    ]
    roles = {"who": "patient", "code": "categorical", "out": "label"}
    found = look(work, work.table("t.csv", rows), roles=roles)
    given = {column["name"]: column["role"] for column in found["columns"]}
    assert given == {"number": "id", **roles}
    assert (found["task"], found["num_patients"]) == ("classification", 30)
    texts = look(work, work.table("t.csv", rows), roles={"out": "numeric", "code": "label"})
    assert checks(texts)["numeric_texts"] == "blocked"


@pytest.mark.parametrize(
    ("named", "roles", "code"),
    [
        ({}, {"gone": "label"}, "COLUMN_NOT_FOUND"),
        ({"label_column": "a"}, {"b": "label"}, "INVALID_REQUEST"),
        ({"patient_column": "a"}, {"b": "patient"}, "INVALID_REQUEST"),
        ({"ignore_columns": ["a"]}, {"a": "numeric"}, "INVALID_REQUEST"),
        ({}, {"a": "patient", "b": "patient"}, "INVALID_REQUEST"),
    ],
)
def test_roles_that_contradict_are_refused(
    work: Workspace, named: dict[str, Any], roles: dict[str, str], code: str
) -> None:
    table = work.table("t.csv", [{"a": row, "b": row % 2, "label": row % 2} for row in range(20)])
    with pytest.raises(TrainerError) as refused:
        look(work, table, roles=roles, **named)
    assert refused.value.code == code


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


def test_a_training_says_the_same_of_the_images_word_for_word(work: Workspace) -> None:
    rows = work.cases(40)
    nifti_file(work.folder / "scan.nii.gz", np.arange(4 * 4 * 9, dtype=np.int16).reshape(4, 4, 9))
    for number, cell in enumerate(
        ["scan.nii.gz#slice=1of3", "scan.nii.gz#slice=3of3", "gone.png", "images", "x" * 300 + ".png", ""]
    ):
        rows[number]["image"] = cell
    rows[6]["image"] += "#slice=1of2"
    (work.folder / rows[7]["image"]).write_bytes(b"x")
    os.mkfifo(work.folder / "pipe.png")
    rows[8]["image"] = "pipe.png"
    path = work.table("train.csv", rows)
    found = {check["key"]: check["message"] for check in look(work, path)["readiness"]["checks"]}
    with pytest.raises(TrainerError) as refused:
        work.prepare()
    assert refused.value.message == f"{found['images']}; {found['cases_without_image']}"
    assert found["images"].startswith("6 image files are missing or unreadable: train.csv row 4 (image)")
    assert "row 8 (image): contains one image, not slices" in found["images"]


def test_names_the_folder_when_not_one_image_is_found(work: Workspace) -> None:
    def said(rows: list[dict[str, Any]]) -> str:
        found = look(work, work.table("t.csv", rows))["readiness"]["checks"]
        return next(check["message"] for check in found if check["key"] == "images")

    rows = work.cases(12)
    elsewhere = [{**row, "image": f"elsewhere/{row['image']}"} for row in rows]
    remedy = "image paths are relative to the folder of the table unless image_root is set"
    assert remedy in said(elsewhere)
    assert remedy not in said([*elsewhere[:11], rows[11]])


def test_blank_images_are_no_leak_but_counted(work: Workspace) -> None:
    rows = [{**row, "split": "train" if number < 10 else "val"} for number, row in enumerate(work.cases(16))]
    for number in (2, 4, 12):
        Image.new("L", (20, 18), 7).save(work.folder / rows[number]["image"])
    path = work.table("train.csv", rows)
    found = {check["key"]: check for check in look(work, path)["readiness"]["checks"]}
    assert "image_leak" not in found
    assert found["BLANK_IMAGES"]["message"].startswith("3 images are blank")
    for settings in (
        {},
        {"model": {"vision_backbone": "none"}},
    ):  # images that no model reads are compared, too
        warnings = {item["code"]: item["message"] for item in work.prepare(**settings).summary["warnings"]}
        assert "DATASET_LEAK" not in warnings
        assert settings or warnings["BLANK_IMAGES"] == found["BLANK_IMAGES"]["message"]


def test_what_is_no_regular_file_is_named_and_never_waited_for(work: Workspace) -> None:
    rows = work.cases(12)
    pipe = work.folder / rows[2]["image"]
    pipe.unlink()
    os.mkfifo(pipe)
    messages = {c["key"]: c["message"] for c in look(work, work.table("t.csv", rows))["readiness"]["checks"]}
    assert "row 4 (image): is a named pipe" in messages["images"]


def test_a_name_that_no_file_can_have_is_a_missing_image(work: Workspace) -> None:
    rows = work.cases(12)
    rows[2]["image"] = "x" * 300 + ".png"
    messages = {c["key"]: c["message"] for c in look(work, work.table("t.csv", rows))["readiness"]["checks"]}
    assert "row 4 (image): is missing" in messages["images"]


def test_a_leaking_column_is_a_warning(work: Workspace) -> None:
    rows = [{"age": row * 7 % 60, "known": "AB"[(row or 1) % 2], "label": row % 2} for row in range(80)]
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
    with pytest.raises(TrainerError, match='refer to the same column "label"'):
        look(work, work.table("t.csv", rows), label_column="label", ignore_columns=["label"])


def test_a_folder_without_a_table_has_no_columns_to_name(work: Workspace) -> None:
    for name in ("a", "b"):
        work.image(f"classes/{name}/1.png", 1)
    with pytest.raises(TrainerError, match="no columns") as caught:
        look(work, work.folder / "classes", ignore_columns=["known"])
    assert (caught.value.code, caught.value.details) == ("INVALID_REQUEST", "Remove ignore_columns.")


def test_numbers_that_may_mean_something_else_are_said(work: Workspace) -> None:
    rows = [
        {
            "age": -999 if row < 3 else 20 + row,
            "dose": "inf" if row == 5 else row / 7,
            "count": 99 if row == 4 else row * 3,
            "label": 9999 if row == 6 else row * 0.37 % 5,
        }
        for row in range(60)
    ]
    found = look(work, work.table("t.csv", rows))
    said = [check["message"] for check in found["readiness"]["checks"] if check["status"] == "warning"]
    assert [text for text in said if "-999 (3)" in text and '"age"' in text]
    assert [text for text in said if "9999 (1)" in text and '"label"' in text]
    assert [text for text in said if '"dose" contains infinite values' in text and "row 7" in text]
    assert not [text for text in said if '"count"' in text]
    work.table("train.csv", rows)
    assert {"SENTINEL_SUSPECTED", "INFINITE_NUMBERS"} <= codes(
        work.prepare(model={"vision_backbone": "none"}).summary["warnings"]
    )


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


def test_a_folder_called_none_is_a_class_in_an_inspection_and_in_a_training(work: Workspace) -> None:
    for number in range(12):
        work.image(f"set/{['None', 'mild'][number % 2]}/{number}.png", number)
    found = look(work, work.folder / "set")
    assert {entry["name"]: entry["count"] for entry in found["classes"]} == {"None": 6, "mild": 6}
    recipe = {"version": 1, "label": {"column": "label"}}
    prepared = work.prepare(train_csv=str(work.folder / "set"), recipe=recipe, model={"fusion_type": "none"})
    assert prepared.classes == ("None", "mild")


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
    assert "test.csv row 3 (image): is missing" in messages["images"]
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
    with pytest.raises(TrainerError, match=r"train\.csv and training\.csv are both named"):
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


def test_the_positive_class_is_named_and_an_assumption_is_said(work: Workspace) -> None:
    rows = [{"x": number * 7 % 13, "label": ["ACK", "BCC"][number % 2]} for number in range(60)]
    table = work.table("t.csv", rows)
    found = look(work, table)
    assert found["positive_class"] == "BCC"
    (check,) = [one for one in found["readiness"]["checks"] if one["key"] == "POSITIVE_CLASS_ASSUMED"]
    assert check["status"] == "warning" and "positive_class" in check["hint"]
    named = look(work, table, positive_class="ACK")
    assert named["positive_class"] == "ACK" and [one["name"] for one in named["classes"]] == ["BCC", "ACK"]
    assert "POSITIVE_CLASS_ASSUMED" not in {one["key"] for one in named["readiness"]["checks"]}
    with pytest.raises(TrainerError, match='did you mean "ACK"'):
        look(work, table, positive_class="AKC")


def test_patient_ids_in_several_ways_to_write_them_are_said(work: Workspace) -> None:
    rows = [{"patient_id": f"P{row // 2}", "age": row * 7 % 60, "label": row % 2} for row in range(60)]
    rows[9]["patient_id"] = "p 4"
    found = look(work, work.table("t.csv", rows))
    assert checks(found)["PATIENTS_ALIKE"] == "warning"
    rows[9]["patient_id"] = "P4"
    assert "PATIENTS_ALIKE" not in checks(look(work, work.table("t.csv", rows)))


@pytest.mark.parametrize("folder", ["", "ISIC/"])
def test_names_of_images_without_ending_are_offered(work: Workspace, folder: str) -> None:
    rows = [{"image_id": f"ISIC_{row:04}", "age": row * 7 % 60, "label": row % 2} for row in range(60)]
    table = work.table("t.csv", rows)
    assert "image_names" not in checks(look(work, table))
    for row in range(60):
        work.image(f"{folder}ISIC_{row:04}.jpg", row)
    found = look(work, table)
    [check] = [one for one in found["readiness"]["checks"] if one["key"] == "image_names"]
    assert '"image_id" contains the names of 60 image files' in check["message"]
    assert f'"{folder}<image_id>.jpg"' in check["hint"]


def test_names_without_ending_in_several_folders_are_counted_together(work: Workspace) -> None:
    rows = [{"image_id": f"ISIC_{row:04}", "age": row * 7 % 60, "label": row % 2} for row in range(60)]
    table = work.table("t.csv", rows)
    for row in range(48):  # the images of twelve cases are missing
        work.image(f"images_part_{1 + row % 3}/ISIC_{row:04}.jpg", row)
    [check] = [one for one in look(work, table)["readiness"]["checks"] if one["key"] == "image_names"]
    assert "the names of 48 image files in the folder" in check["message"]
    assert all(f'"images_part_{part}"' in check["message"] for part in (1, 2, 3))
    assert "different names: 60" in check["message"]


def test_an_ignored_split_column_is_told_the_remedy(work: Workspace) -> None:
    found = look(work, split_tables(work), ignore_columns=["split"])
    [check] = [one for one in found["readiness"]["checks"] if one["key"] == "splits"]
    assert "The file names define" in check["message"]
    assert 'Remove "split" from ignore_columns' in check["hint"]


def test_training_without_a_patient_column_warns_as_inspect_does(work: Workspace) -> None:
    rows = [{"age": row * 7 % 50, "label": row % 2} for row in range(60)]
    assert checks(look(work, work.table("train.csv", rows)))["patients"] == "warning"
    settings: dict[str, Any] = {"model": {"vision_backbone": "none"}}
    assert "NO_PATIENT_COLUMN" in codes(work.prepare(**settings).summary["warnings"])
    work.table("train.csv", [{"patient_id": row // 2, **case} for row, case in enumerate(rows)])
    assert "NO_PATIENT_COLUMN" not in codes(work.prepare(**settings).summary["warnings"])


def test_several_labels_are_counted_and_searched_for_shortcuts_one_by_one(work: Workspace) -> None:
    rows = [
        {
            "age": str(20 + row % 31),
            "told": str((row or 1) % 3),
            "a": "yn"[row % 3 > 0],
            "b": ["1", "0", ""][row % 3 or row % 5 > 2],
        }
        for row in range(90)
    ]
    found = look(work, work.table("t.csv", rows), label_columns=["a", "b"])
    assert found["task"] == "multilabel" and found["positive_class"] is None
    assert found["classes"] == [
        {"name": name, "count": sum(row[name] in ("y", "1") for row in rows)} for name in ("a", "b")
    ]
    assert checks(found)["LABELS_MISSING"] == "warning"
    said = [check["message"] for check in found["readiness"]["checks"] if "told" in check["message"]]
    assert any('"told" alone predicts' in message for message in said)
    with pytest.raises(TrainerError, match="both define the label"):
        look(work, work.folder / "t.csv", label_column="a", label_columns=["a", "b"])


def times_of(work: Workspace, days: list[str], dead: list[str]) -> dict[str, Any]:
    rows = [
        {"age": str(20 + row % 31), "dose": str(row % 7), "days": one, "dead": other}
        for row, (one, other) in enumerate(zip(days, dead, strict=True))
    ]
    return look(work, work.table("t.csv", rows), time_column="days", event_column="dead")


def test_times_to_an_event_are_read_and_their_events_counted(work: Workspace) -> None:
    found = times_of(work, [str(1 + row * 7 % 60) for row in range(60)], ["1", "0", "0", "0"] * 15)
    assert (found["task"], found["time_column"], found["event_column"]) == ("survival", "days", "dead")
    assert found["classes"] == [{"name": "event", "count": 15}]
    assert [column["role"] for column in found["columns"]] == ["numeric", "numeric", "label", "label"]
    assert (checks(found)["label"], checks(found)["events"]) == ("ready", "ready")
    assert checks(found)["events_per_column"] == "warning"
    assert "FEW_EVENTS" not in checks(found)
    many = times_of(work, [str(1 + row * 7 % 60) for row in range(60)], ["1"] * 60)
    assert "events_per_column" not in checks(many)
    few = times_of(work, [str(1 + row) for row in range(60)], ["1"] * 4 + ["0"] * 56)
    assert checks(few)["FEW_EVENTS"] == "warning"


@pytest.mark.parametrize(
    ("days", "dead", "message"),
    [
        (["3", "-1", "5"], ["1", "1", "0"], '"days" is not above 0 in 1 case: t.csv, row 3'),
        (["3", "4", "5"], ["1", "2", "0"], '"dead" is neither yes nor no in 1 case: t.csv, row 3'),
        (["3", "4", "5"], ["0", "0", "0"], '"dead" was observed 0 times'),
    ],
)
def test_times_that_cannot_be_learned_are_blocked_with_their_rows(work, days, dead, message) -> None:
    found = times_of(work, days, dead)
    (label,) = [check for check in found["readiness"]["checks"] if check["key"] == "label"]
    assert label["status"] == "blocked" and message in label["message"] and label["hint"]
    assert found["readiness"]["status"] == "blocked" and found["time_column"] == "days"


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"time_column": "days"}, "requires time_column and event_column"),
        (
            {"time_column": "days", "event_column": "dead", "label_column": "age"},
            "cannot be used for survival",
        ),
    ],
)
def test_half_of_a_survival_outcome_or_a_label_beside_it_is_refused(work, named, message) -> None:
    table = work.table("t.csv", [{"age": "1", "days": "3", "dead": "1"}])
    with pytest.raises(TrainerError, match=message) as caught:
        look(work, table, **named)
    assert caught.value.code == "INVALID_REQUEST"


def test_an_inspection_says_how_far_it_is_and_what_it_counts(work: Workspace) -> None:
    said: list[tuple[str, float]] = []
    path = work.table("t.csv", work.cases(60))
    look(work, path, progress=lambda message, fraction: said.append((message, fraction)))
    fractions = [fraction for _, fraction in said]
    assert fractions == sorted(fractions) and fractions[0] == 0 and fractions[-1] < 1
    words = [message for message, _ in said]
    assert "checking the table of 60 rows" in words
    assert "reading the images, 59 of 60" in words


def test_masks_in_folders_are_listed_as_masks(work: Workspace) -> None:
    for number in range(12):
        work.image(f"set/{'ab'[number % 2]}/{number}.png", number)
        work.image(f"set/masks/{number}.png", 100 + number)
    work.image("set/a/0_mask.png", 200)
    found = look(work, work.folder / "set")
    (masks,) = [one for one in found["readiness"]["checks"] if one["key"] == "MASKS_SET_APART"]
    assert masks["message"].startswith("13 files are masks") and '"masks"' in masks["message"]
    assert found["num_cases"] == 12


def test_a_column_of_masks_has_the_role_mask(work: Workspace) -> None:
    rows = [
        {
            "image": work.image(f"{number}.png", number),
            "roi": work.image(f"{number}_mask.png", 50 + number),
            "label": number % 2,
        }
        for number in range(20)
    ]
    found = look(work, work.table("t.csv", rows))
    assert {one["name"]: one["role"] for one in found["columns"]}["roi"] == "mask"
    assert checks(found)["MASKS_SET_APART"] == "warning"


def test_all_that_is_wrong_is_reported_without_inputs_too(work: Workspace) -> None:
    rows = [{"bmi": "[Not Available]" if row % 3 else 20 + row, "label": row % 2} for row in range(60)]
    keys = checks(look(work, work.table("t.csv", rows)))
    assert (keys["inputs"], keys["MIXED_COLUMN"]) == ("blocked", "warning")


def test_an_open_question_of_the_recipe_blocks_until_a_role_answers_it(work: Workspace) -> None:
    rows = [{"key": f"k{n}", "grade": "ab"[n % 2], "age": n % 9} for n in range(60)]
    table = work.table("t.csv", rows)
    recipe = {"version": 1, "open": ["label"]}
    found = look(work, table, recipe=recipe)
    (check,) = [one for one in found["readiness"]["checks"] if one["key"] == "recipe_question"]
    assert check["status"] == "blocked"
    assert check["message"] == "Not ready: a question of the recipe is open: Which column is the label?"
    assert "recipe_question" not in checks(look(work, table, recipe=recipe, label_column="grade"))


def test_a_numeric_label_with_few_values_is_in_question(work: Workspace) -> None:
    rows = [{"label": (0, 0.5, 1, 2, 3)[row % 5], "x": row * 7 % 11} for row in range(20)]
    found = look(work, work.table("t.csv", rows))
    (check,) = [check for check in found["readiness"]["checks"] if check["key"] == "label"]
    assert (found["task"], check["status"]) == ("regression", "warning")
    assert "only 5 different values" in check["message"] and "model.task" in check["hint"]
    many = [{"label": row * 0.7, "x": row * 7 % 11} for row in range(20)]
    assert checks(look(work, work.table("t.csv", many)))["label"] == "ready"
