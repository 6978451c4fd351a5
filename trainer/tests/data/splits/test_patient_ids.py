"""validity.md rule 3 for ids written by another program: detected, reported with counts, never merged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medloom_trainer.data.splits.leaks import as_number, patients_alike
from medloom_trainer.data.tables import read_csv
from testing.workspace import Workspace


@pytest.mark.parametrize("text", ["12", "12.0", "12.", "00012", " 12 ", "12,00", "+12", "012.000"])
def test_ways_to_write_one_number(text: str) -> None:
    assert as_number(text) == "12"


@pytest.mark.parametrize("text", ["12.5", "P12", "1e2", "12.0.0", "-12", "1 2", "12a", ""])
def test_what_is_no_whole_number_stays_as_it_is(text: str) -> None:
    assert as_number(text) == text


@given(st.integers(0, 10**30), st.integers(0, 5))
def test_zeros_change_nothing(number: int, zeros: int) -> None:
    assert as_number("0" * zeros + str(number)) == as_number(f"{number}.{'0' * zeros}") == str(number)


def numbered(work: Workspace, count: int, first: int, pattern: str) -> list[dict[str, Any]]:
    cases = work.cases(count, first, per_patient=1)
    return [case | {"patient_id": pattern.format(position)} for position, case in enumerate(cases)]


@pytest.mark.parametrize("pattern", ["{}.0", "{:05d}"])
def test_the_same_numbers_in_two_splits_are_a_warning_with_counts(work: Workspace, pattern: str) -> None:
    work.table("train.csv", numbered(work, 16, 0, "{}"))
    other = work.table("val.csv", numbered(work, 8, 100, pattern))
    warnings = work.prepare(val_csv=str(other)).summary["warnings"]
    (warning,) = [one for one in warnings if one["code"] == "PATIENTS_ALIKE"]
    assert warning["message"].startswith("8 patient IDs of train and val")


def test_other_numbers_are_no_warning(work: Workspace) -> None:
    work.table("train.csv", numbered(work, 16, 0, "{}"))
    other = work.table("val.csv", numbered(work, 8, 100, "1000{}.0"))
    assert not [
        one for one in work.prepare(val_csv=str(other)).summary["warnings"] if one["code"] == "PATIENTS_ALIKE"
    ]


def test_ids_that_differ_in_case_or_white_space_are_counted(work: Workspace) -> None:
    train, val = numbered(work, 16, 0, "P {}"), numbered(work, 8, 100, "Q{}")
    train[5]["patient_id"], val[0]["patient_id"] = "p4", "P  7"
    work.table("train.csv", train)
    warnings = work.prepare(val_csv=str(work.table("val.csv", val))).summary["warnings"]
    within, across = [one["message"] for one in warnings if one["code"] == "PATIENTS_ALIKE"]
    assert within.startswith("1 patient ID of train is written in several ways")
    assert across.startswith("1 patient ID differs between train and val only in case or white space")


@pytest.mark.parametrize(
    ("train", "val", "count"),
    [
        (["12L", "13R", "14L"], ["12R", "15L"], 2),
        (["p1_OD", "p1_OS"], ["p2-left", "p2 Right"], 4),
        (["12L", "13R"], ["14L", "15R"], 0),
        (["A7L", "A7R", "B2K", "C3M", "D4N", "E5P"], ["F6Q"], 0),
    ],
)
def test_ids_that_name_a_side_are_one_patient(
    work: Workspace, train: list[str], val: list[str], count: int
) -> None:
    tables = {}
    for split, ids in (("train", train), ("val", val)):
        file = work.table(f"{split}.csv", [{"patient": identity, "label": 0} for identity in ids])
        tables[split] = (read_csv(file), "patient")
    messages = [one["message"] for one in patients_alike(tables)]
    sides = [one for one in messages if "left and right side" in one]
    assert len(sides) == (count > 0)
    assert not count or sides[0].startswith(f"{count} patient IDs")


@pytest.mark.parametrize("sides", [("{}L", "{}R"), ("P{}_left", "P{}_right"), ("{} OD", "{} OS")])
def test_ids_of_the_two_sides_of_a_patient_are_counted(work: Workspace, sides: tuple[str, str]) -> None:
    train, val = numbered(work, 16, 0, sides[0]), numbered(work, 8, 100, sides[1])
    work.table("train.csv", train)
    warnings = work.prepare(val_csv=str(work.table("val.csv", val))).summary["warnings"]
    (message,) = [one["message"] for one in warnings if one["code"] == "PATIENTS_ALIKE"]
    assert message.startswith("16 patient IDs may denote the left and right side of the same patient")


def test_ids_that_end_like_a_side_without_the_other_one_are_no_warning(work: Workspace) -> None:
    work.table("train.csv", numbered(work, 16, 0, "{}L"))
    other = work.table("val.csv", numbered(work, 8, 100, "100{}R"))
    assert not [
        one for one in work.prepare(val_csv=str(other)).summary["warnings"] if one["code"] == "PATIENTS_ALIKE"
    ]
