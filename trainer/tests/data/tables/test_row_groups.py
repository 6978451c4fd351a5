"""Ids of patients group the rows; measurements do not, also if they determine another column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.tables import make_table
from medloom_trainer.data.tables.row_groups import (
    are_regular,
    are_small_groups,
    compared_columns,
    constant_columns,
    repeat_by_chance,
)

PATIENTS = 80


def constant(column: Sequence[Any], others: dict[str, Sequence[Any]]) -> list[str]:
    table = make_table("t.csv", {name: [str(v) for v in values] for name, values in
                                 {"x": column, **others}.items()})  # fmt: skip
    return constant_columns(table, "x", compared_columns(table))


@pytest.mark.parametrize("shuffled", [False, True])
def test_columns_of_the_patient_do_not_change_within_the_rows_of_a_patient(shuffled: bool) -> None:
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(PATIENTS), rng.integers(1, 6, PATIENTS))
    if shuffled:
        patient = rng.permutation(patient)
    others = {
        "sex": rng.choice(["M", "F"], PATIENTS)[patient],
        "born": rng.integers(1930, 2000, PATIENTS)[patient],
        "visit": rng.integers(0, 5, len(patient)),
        "site": patient // 20,
    }
    assert constant(patient * 37 + 1000, others) == ["sex", "born"], "sites follow from the order of the ids"


def test_what_follows_from_a_measurement_is_no_evidence() -> None:
    rng = np.random.default_rng(0)
    age = rng.normal(60, 12, 400).round().astype(int)
    others = {"born": 2020 - age, "decade": age // 10, "old": age > 65, "sex": rng.choice(["M", "F"], 400)}
    assert constant(age, others) == []


def test_many_values_with_a_few_rows_each_are_small_groups() -> None:
    rng = np.random.default_rng(0)
    assert are_small_groups(Counter(np.repeat(np.arange(PATIENTS), 3).tolist()))
    assert not are_small_groups(Counter(range(PATIENTS)))
    assert not are_small_groups(Counter(row % 10 for row in range(240)))
    drugs = Counter((rng.zipf(1.4, 400) % 150).tolist())
    assert len(drugs) > 20 and not are_small_groups(drugs)


def test_regular_repetitions() -> None:
    assert are_regular(Counter(row % 30 for row in range(90)))
    assert not are_regular(Counter(np.random.default_rng(0).integers(0, 30, 90).tolist()))


@pytest.mark.parametrize("spread", [6, 15, 60])
def test_whole_numbers_of_a_measurement_repeat_by_chance(spread: int) -> None:
    values = np.random.default_rng(0).normal(200, spread, 300).round().astype(int)
    assert repeat_by_chance(Counter(str(value) for value in values))


def test_ids_do_not_repeat_by_chance() -> None:
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(PATIENTS), 3)
    far_apart = rng.choice(10**6, PATIENTS, replace=False)[patient]
    for ids in (patient, patient * 37 + 1000, far_apart):
        assert not repeat_by_chance(Counter(str(value) for value in ids))
