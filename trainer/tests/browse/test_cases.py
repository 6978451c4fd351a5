"""Cases of a dataset for users: read as in a training, with identifiers only on request."""

import json

import numpy as np
import pytest

from medloom_trainer.browse.cases import cases, distribution
from medloom_trainer.data.tables import read_csv, read_numbers
from medloom_trainer.errors import TrainerError

ROLES = {
    "image": "image",
    "patient_id": "patient",
    "name": "ignored",
    "label": "label",
    "split": "split",
    "age": "numeric",
    "site": "categorical",
}
ROWS = [
    "a.png,Mustermann-7,Eva,ACK,train,61.5,west",
    "b.png,Mustermann-7,Eva,BCC,train,,east",
    "c.png,Beispiel-1,Ali,ACK,val,9,NA",
    "NA,Beispiel-2,Zoe,ack,test,103,west",
]


def nothing(message, fraction):
    pass


@pytest.fixture
def dataset(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\n".join([",".join(ROLES), *ROWS]) + "\n")
    return {
        "path": str(path),
        "image_root": None,
        "roles": ROLES,
        "classes": ["ACK", "BCC"],
        "roots": [str(tmp_path)],
        "cache_dir": str(tmp_path / "cache"),
    }


def ask(dataset, **params):
    usual = dict.fromkeys(("split", "class", "patient", "lines", "filter", "order_by", "columns"))
    bounds = {"descending": False, "most_columns": 200, "identifiers": False, "offset": 0, "limit": 50}
    return cases({"dataset": dataset, **usual, **bounds, **params}, nothing)


def rows(dataset, **params):
    return [case["row"] for case in ask(dataset, **params)["cases"]]


def test_values_are_those_of_the_trainers_reader(dataset):
    found = ask(dataset, columns=["age", "site"])
    numbers = read_numbers(read_csv(tmp_table(dataset)).cells["age"], ",").values
    ages = [case["values"][0] for case in found["cases"]]
    assert ages == [None if np.isnan(value) else value for value in numbers]
    assert [case["values"][1] for case in found["cases"]] == ["west", "east", None, "west"]
    assert [case["line"] for case in found["cases"]] == [2, 3, 4, 5]
    assert (found["total"], found["num_cases"], found["num_columns"]) == (4, 4, 7)


def tmp_table(dataset):
    from pathlib import Path

    return Path(dataset["path"])


def test_identifying_values_are_numbers_unless_they_are_asked_for(dataset):
    text = json.dumps(ask(dataset))
    for secret in ("Mustermann", "Beispiel", "Eva", "a.png"):
        assert secret not in text
    masked = ask(dataset, columns=["patient_id"])
    assert [case["values"] for case in masked["cases"]] == [["#1"], ["#1"], ["#2"], ["#3"]]
    assert [case["patient"] for case in masked["cases"]] == [1, 1, 2, 3]
    assert masked["columns"][0]["masked"]
    asked = ask(dataset, columns=["patient_id"], identifiers=True)
    assert asked["cases"][0]["values"] == ["Mustermann-7"]
    assert not asked["columns"][0]["masked"]


def test_cases_are_chosen_by_split_class_patient_and_condition(dataset):
    assert rows(dataset, split="train") == [0, 1]
    assert rows(dataset, **{"class": "ACK"}) == [0, 2, 3]
    assert rows(dataset, patient=1) == [0, 1]
    assert rows(dataset, lines=[3, 5]) == [1, 3]
    assert rows(dataset, split="holdout") == []
    assert rows(dataset, filter="age > 9 and site = west") == [0, 3]
    assert rows(dataset, filter="not age > 60") == [2]
    assert rows(dataset, filter="site is missing") == [2]
    assert rows(dataset, split="train", filter="age = 61.50") == [0]
    assert [case["images"] for case in ask(dataset)["cases"]] == [[True], [True], [True], [False]]


def test_classes_are_found_in_any_spelling_of_their_numbers(dataset):
    path = tmp_table(dataset)
    path.write_text("x,label\n5,0.0\n6,1.0\n7,1.0\n")
    numbers = {**dataset, "roles": {"x": "numeric", "label": "label"}, "classes": ["0", "1"]}
    assert rows(numbers, **{"class": "1"}) == [1, 2]


def test_a_condition_is_about_no_identifying_column(dataset):
    for condition in ('patient_id = "Beispiel-1"', "name = Eva", "image is missing"):
        with pytest.raises(TrainerError) as refused:
            ask(dataset, filter=condition)
        assert refused.value.code == "FILTER_INVALID"


def test_order_is_that_of_numbers_with_missing_values_last(dataset):
    assert rows(dataset, order_by="age") == [2, 0, 3, 1]
    assert rows(dataset, order_by="age", descending=True) == [3, 0, 2, 1]
    assert rows(dataset, order_by="site") == [1, 0, 3, 2]
    assert rows(dataset, order_by="age", offset=1, limit=2) == [0, 3]
    with pytest.raises(TrainerError) as refused:
        ask(dataset, order_by="agee")
    assert refused.value.code == "COLUMN_NOT_FOUND"


def test_a_changed_file_or_role_is_read_again(dataset):
    before = ask(dataset)["digest"]
    assert ask(dataset)["digest"] == before
    tmp_table(dataset).write_text("\n".join([",".join(ROLES), *ROWS[:2]]) + "\n")
    changed = ask(dataset)
    assert (changed["total"], changed["digest"] == before) == (2, False)
    other = ask({**dataset, "roles": {**ROLES, "site": "ignored"}}, columns=["site"])
    assert other["cases"][0]["values"] == ["#1"]


def test_a_distribution_counts_every_case_once(dataset):
    ages = distribution({"dataset": dataset, "column": "age", "bins": 2, "top": 5}, nothing)
    assert (ages["edges"], ages["values"]) == ([9.0, 56.0, 103.0], None)
    groups = {(group["split"], group["class"]): group for group in ages["groups"]}
    assert groups["train", "ACK"] == {
        "split": "train", "class": "ACK", "cases": 1, "missing": 0, "counts": [0, 1], "rest": 0,
    }  # fmt: skip
    assert groups["train", "BCC"]["missing"] == 1
    for group in ages["groups"]:
        assert group["cases"] == group["missing"] + sum(group["counts"]) + group["rest"]
    sites = distribution({"dataset": dataset, "column": "site", "bins": 2, "top": 1}, nothing)
    assert (sites["values"], sites["distinct"]) == (["west"], 2)
    assert sum(group["rest"] for group in sites["groups"]) == 1
    patients = distribution({"dataset": dataset, "column": "patient_id", "bins": 2, "top": 5}, nothing)
    assert (patients["values"], patients["masked"]) == (["#1", "#2", "#3"], True)


def test_a_folder_per_class_has_cases_too(tmp_path):
    for name in ("cat", "dog"):
        (tmp_path / "data" / name).mkdir(parents=True)
        for number in range(2):
            (tmp_path / "data" / name / f"{name}{number}.png").write_bytes(b"x")
    dataset = {
        "path": str(tmp_path / "data"),
        "image_root": None,
        "roles": {},
        "classes": ["cat", "dog"],
        "roots": [],
        "cache_dir": str(tmp_path / "cache"),
    }
    assert rows(dataset, **{"class": "dog"}) == [2, 3]
    assert "dog1.png" not in json.dumps(ask(dataset))


def test_a_recipe_makes_the_table_that_is_shown(tmp_path):
    (tmp_path / "table.csv").write_text("id,age\nB,40\nA,50\n")
    (tmp_path / "labels.csv").write_text("id,dx\nA,yes\nB,no\n")
    recipe = {
        "version": 1,
        "files": [{"name": "t", "path": "table.csv"}, {"name": "l", "path": "labels.csv"}],
        "join": [{"table": "l", "on": ["id"], "keep": "all"}],
    }
    given = {
        "path": str(tmp_path), "image_root": None, "roles": {"id": "id", "age": "numeric", "dx": "label"},
        "classes": ["no", "yes"], "roots": [str(tmp_path)], "cache_dir": str(tmp_path / "cache"),
        "recipe": recipe,
    }  # fmt: skip
    found = ask(given, columns=["age", "dx"])
    assert [case["values"] for case in found["cases"]] == [[40, "no"], [50, "yes"]]
    (tmp_path / "labels.csv").write_text("id,dx\nA,no\nB,no\n")
    changed = ask(given, columns=["age", "dx"])
    assert [case["values"][1] for case in changed["cases"]] == ["no", "no"]
