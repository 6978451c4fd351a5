"""The label column: task, classes in order, and every refusal with its rows."""

from __future__ import annotations

from typing import Any

import pytest

from medloom_trainer.data.tables import read_csv
from medloom_trainer.data.tables.labels import LabelScheme, learn_labels, read_labels
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace


def learn(work: Workspace, labels: list[Any], task: Any = None) -> tuple[LabelScheme, list[Any]]:
    table = read_csv(work.table("t.csv", [{"label": label, "x": 1} for label in labels]))
    scheme = learn_labels(table, "label", task)
    return scheme, read_labels(table, scheme, "train").tolist()


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["b", "a", "c", "a"], ("a", "b", "c")),
        ([0, 1, 1, 0], ("0", "1")),
        (["1.0", "0", "0.0", "1"], ("0", "1")),
        ([10, 9, 2, 10, 9, 2], ("2", "9", "10")),
        (["True", "False"], ("False", "True")),
        (["case", "control"], ("control", "case")),
        (["Disease", "Healthy"], ("Healthy", "Disease")),
        (["malignant", "benign"], ("benign", "malignant")),
    ],
)
def test_classes_in_order_the_positive_one_last(work: Workspace, labels: list[Any], classes: Any) -> None:
    scheme, values = learn(work, labels)
    assert (scheme.task, scheme.classes) == ("classification", classes)
    names = [classes[value] for value in values]
    assert [name.casefold() for name in names] == [
        str(label).removesuffix(".0").casefold() for label in labels
    ]


@pytest.mark.parametrize("labels", [[0.5, 1, 2, 3], list(range(60)), [10.25, 3, 10.25, 8]])
def test_floats_and_many_numbers_are_a_regression(work: Workspace, labels: list[float]) -> None:
    scheme, values = learn(work, labels)
    assert (scheme.task, scheme.classes, values) == ("regression", None, labels)


@pytest.mark.parametrize(
    ("labels", "task", "said"),
    [
        (["a", "", "b", "NA"], None, "missing in 2 of 4 cases: t.csv, rows 3, 5"),
        (["a", "a"], None, "one class only"),
        ([1.5, "high", 2.5], "regression", "not a number in 1 cases: t.csv, row 3"),
        ([1.5, "inf", 2.5, 3.5], "regression", "row 3"),
        ([3, 3, 3], "regression", "one value only"),
        ([f"name {row}" for row in range(60)], None, "60 classes in 60 rows"),
    ],
)
def test_labels_that_cannot_be_learned(work: Workspace, labels: list[Any], task: Any, said: str) -> None:
    with pytest.raises(TrainerError) as caught:
        learn(work, labels, task)
    assert caught.value.code == "LABEL_INVALID"
    assert said in caught.value.message


def test_a_class_that_training_does_not_have(work: Workspace) -> None:
    scheme, _ = learn(work, ["a", "b", "a"])
    other = read_csv(work.table("v.csv", [{"label": label, "x": 1} for label in "abcc"]))
    with pytest.raises(TrainerError, match=r"1 class in val that .*: v.csv, rows 4, 5"):
        read_labels(other, scheme, "val")


def test_at_most_twenty_rows_are_named(work: Workspace) -> None:
    with pytest.raises(TrainerError, match="and 10 more"):
        learn(work, [""] * 30 + ["a", "b"])


@pytest.mark.parametrize("labels", [["a", "b", "a"], [1.5, 2.5, 3.5]])
def test_a_gap_in_another_split_is_a_gap_and_no_class(work: Workspace, labels: list[Any]) -> None:
    scheme, _ = learn(work, labels)
    other = read_csv(work.table("v.csv", [{"label": label, "x": 1} for label in [*labels, ""]]))
    with pytest.raises(TrainerError, match=r"missing in 1 of 4 cases: v\.csv, row 5"):
        read_labels(other, scheme, "val")
