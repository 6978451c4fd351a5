"""Leaks that need two columns, and columns that were computed from the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from medloom_trainer.data.checks.association import area_under_curve
from medloom_trainer.data.checks.column_pairs import MOST_COLUMNS, Combination, pairs_of_codes
from medloom_trainer.data.checks.label_means import is_mean_label
from medloom_trainer.data.checks.number_pairs import class_pairs_of_numbers, pairs_of_numbers, quantiles_of
from testing.outcomes import outcomes, pairs_of_texts
from testing.workspace import Workspace

CASES = 400


def texts(values: npt.NDArray[Any]) -> list[str]:
    return [str(value) for value in values.tolist()]


def test_two_flags_of_which_one_is_set() -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(0, 2, (2, CASES))
    ward = random.choice(list("abcde"), CASES)
    columns = {"first": texts(first), "second": texts(second), "ward": texts(ward)}
    exact = first ^ second
    assert pairs_of_texts(columns, outcomes(exact, 2)) == [Combination(("first", "second"), "AUROC 1.00")]
    noisy = np.where(random.random(CASES) < 0.05, 1 - exact, exact)
    assert [pair.columns for pair in pairs_of_texts(columns, outcomes(noisy, 2))] == [("first", "second")]
    third = np.where(exact == 1, 2, random.integers(0, 2, CASES))
    assert [pair.columns for pair in pairs_of_texts(columns, outcomes(third, 3))] == [("first", "second")]


def test_honest_flags_that_add_up_are_not_a_pair() -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        labels = random.integers(0, 2, CASES)
        columns = {
            name: texts(np.where(random.random(CASES) < right, labels, 1 - labels))
            for name, right in (("a", 0.8), ("b", 0.8), ("c", 0.7), ("d", 0.5))
        }
        assert pairs_of_texts(columns, outcomes(labels, 2)) == []


def test_rare_joint_values_prove_nothing() -> None:
    """Forty cases in a hundred combinations of values: in each of them the label seems to be known."""
    random = np.random.default_rng(0)
    columns = {name: texts(random.integers(0, 10, 40)) for name in "abcdef"}
    assert pairs_of_texts(columns, outcomes(random.integers(0, 2, 40), 2)) == []


def test_a_quantity_that_is_the_difference_of_two_columns() -> None:
    random = np.random.default_rng(0)
    before = random.normal(60, 10, CASES)
    change = random.normal(5, 3, CASES)
    after = np.where(random.random(CASES) < 0.1, np.nan, before + change + random.normal(0, 0.5, CASES))
    columns = {"before": before, "after": after, "noise": random.normal(size=CASES)}
    [pair] = pairs_of_numbers(columns, outcomes(change, None))
    assert pair.columns == ("before", "after")
    rows = ~np.isnan(after)
    design = np.stack([before, after, np.ones(CASES)], axis=1)[rows]
    left = change[rows] - design @ np.linalg.lstsq(design, change[rows], rcond=None)[0]
    assert pair.strength == f"R² {1 - left.var() / change[rows].var():.2f}"


def test_honest_numbers_are_not_a_pair() -> None:
    for seed in range(5):
        random = np.random.default_rng(seed)
        target = random.normal(size=CASES)
        columns = {name: target + random.normal(0, noise, CASES) for name, noise in (("a", 0.5), ("b", 0.6))}
        columns["constant"], columns["empty"] = np.ones(CASES), np.full(CASES, np.nan)
        assert pairs_of_numbers(columns, outcomes(target, None)) == []


def numbers(random: np.random.Generator, cases: int = CASES, count: int = 6) -> dict[str, npt.NDArray[Any]]:
    return {name: random.normal(60, 10, cases) for name in "abcdef"[:count]}


def class_pairs(columns: dict[str, npt.NDArray[Any]], labels: npt.NDArray[Any]) -> set[tuple[str, ...]]:
    """All pairs of numbers that are found, by both searches."""
    answers = outcomes(labels, int(labels.max()) + 1)
    codes = {name: quantiles_of(values) for name, values in columns.items()}
    found = [*class_pairs_of_numbers(columns, answers), *pairs_of_codes(codes, answers, columns)]
    return {one.columns for one in found}


def auc_of_one(column: npt.NDArray[Any], labels: npt.NDArray[Any]) -> float:
    known = ~np.isnan(column)
    area = area_under_curve(labels[known] == 1, column[known])
    return max(area, 1 - area)


@pytest.mark.parametrize("cases", [150, CASES])
def test_a_class_of_the_larger_one_of_two_numbers(cases: int) -> None:
    for seed in (0, 3, 4):
        columns = numbers(np.random.default_rng(seed), cases)
        labels = (columns["b"] - columns["d"] > 0).astype(int)
        assert max(auc_of_one(column, labels) for column in columns.values()) < 0.85
        columns["b"][:5] = np.nan
        [pair] = class_pairs_of_numbers(columns, outcomes(labels, 2))
        assert pair.columns == ("b", "d") and pair.strength == "AUROC 1.00"


def test_a_class_of_the_signs_of_two_numbers() -> None:
    for seed in range(3):
        columns = numbers(np.random.default_rng(seed))
        labels = ((columns["a"] > 60) ^ (columns["e"] > 60)).astype(int)
        assert max(auc_of_one(column, labels) for column in columns.values()) < 0.6
        assert class_pairs(columns, labels) == {("a", "e")}


def test_a_class_of_the_sign_of_a_number_and_of_a_flag(work: Workspace) -> None:
    random = np.random.default_rng(0)
    columns = numbers(random) | {"flag": random.integers(0, 2, CASES)}
    labels = (columns["c"] > 60) ^ (columns["flag"] == 1)
    rows = [
        {name: cells[row] for name, cells in columns.items()} | {"label": int(labels[row])}
        for row in range(CASES)
    ]
    work.table("train.csv", rows)
    val = work.table("val.csv", rows[:40])
    prepared = work.prepare(val_csv=str(val), model={"vision_backbone": "none"}, allow_leakage=True)
    [message] = [
        one["message"]
        for one in prepared.summary["warnings"]
        if one["code"] == "LABEL_PREDICTED_BY_MANY_COLUMNS"
    ]
    assert '"flag" and "c" (AUROC' in message


@pytest.mark.parametrize("cases", [40, 120, CASES])
def test_honest_numbers_do_not_predict_a_class_in_pairs(cases: int) -> None:
    """Some columns are associated with the label, others are not, and some have gaps."""
    for seed in range(5):
        random = np.random.default_rng(seed)
        labels = random.integers(0, 2, cases)
        columns = {f"noise {index}": random.normal(size=cases) for index in range(30)}
        columns |= {
            f"sign {shift}": shift * labels + random.normal(size=cases) for shift in (0.5, 1, 1.2, 1.3)
        }
        columns["gaps"] = np.where(random.random(cases) < 0.3, np.nan, labels + random.normal(size=cases))
        columns["skewed"] = np.exp(columns["sign 1"] + random.normal(size=cases))
        columns["constant"], columns["empty"] = np.ones(cases), np.full(cases, np.nan)
        assert class_pairs(columns, labels) == set()


def test_a_table_of_many_numbers_reports_the_limit_of_the_search(work: Workspace) -> None:
    random = np.random.default_rng(0)
    values = random.normal(size=(60, MOST_COLUMNS + 1)).round(4)
    rows = [
        {f"x{index}": value for index, value in enumerate(row)} | {"label": number % 2}
        for number, row in enumerate(values.tolist())
    ]
    work.table("train.csv", rows)
    val = work.table("val.csv", rows[:20])
    prepared = work.prepare(val_csv=str(val), model={"vision_backbone": "none"}, allow_leakage=True)
    messages = [
        one["message"] for one in prepared.summary["warnings"] if one["code"] == "SHORTCUTS_NOT_CHECKED"
    ]
    assert any(f"only the first {MOST_COLUMNS} of {MOST_COLUMNS + 1} columns" in one for one in messages)


def ward_means(seed: int, wards: int = 20, *, known: bool) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """(share of each case's ward, labels). known: the share is of these cases; otherwise of others."""
    random = np.random.default_rng(seed)
    ward = random.integers(0, wards, CASES)
    risk = random.beta(3, 4, wards)
    labels, others = ((random.random(CASES) < risk[ward]).astype(int) for _ in range(2))
    counted = labels if known else others
    return (np.bincount(ward, counted, wards) / np.bincount(ward, minlength=wards))[ward], labels


def test_a_ward_replaced_by_its_share_of_the_label() -> None:
    for seed in range(5):
        shares, labels = ward_means(seed, known=True)
        assert is_mean_label(shares, outcomes(labels, 2))
        assert is_mean_label(3 - 2 * shares, outcomes(labels, 2))
        assert is_mean_label(np.where(np.arange(CASES) < 20, np.nan, shares), outcomes(labels, 2))
    shares, labels = ward_means(0, 40, known=True)
    training = np.random.default_rng(1).permutation(CASES) < 360
    assert is_mean_label(shares[training], outcomes(labels[training], 2))


def test_a_share_that_was_measured_in_other_patients_is_honest() -> None:
    for seed in range(20):
        shares, labels = ward_means(seed, known=False)
        assert not is_mean_label(shares, outcomes(labels, 2))


def test_cases_matched_by_age_do_not_accuse_the_age() -> None:
    age = np.repeat(np.arange(40, 80), 10)
    assert not is_mean_label(age.astype(float), outcomes(np.tile([0, 1], 200), 2))


def test_a_class_with_one_common_value_does_not_accuse_it() -> None:
    content = np.concatenate((np.zeros(40), np.repeat(np.linspace(3.4, 3.6, 20), 5)))
    labels = np.concatenate((np.tile([1, 1, 0], 14)[:40], np.zeros(100, dtype=int)))
    assert not is_mean_label(content, outcomes(labels, 2))


def test_visits_of_the_same_patients_do_not_accuse_the_year() -> None:
    random = np.random.default_rng(0)
    patient, year = np.repeat(np.arange(40), 10), np.tile(np.arange(10), 40)
    level = random.normal(0, 10, 40)[patient] + year + random.normal(0, 0.5, 400)
    assert not is_mean_label(year.astype(float), outcomes(level, None, patient))
    assert not is_mean_label(year.astype(float), outcomes(10 * level, None))


@pytest.mark.parametrize("leak", ["pair", "mean"])
def test_a_preparation_warns_of_them(work: Workspace, leak: str) -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(0, 2, (2, CASES))
    shares, labels = ward_means(0, known=True)
    columns = {"first": first, "second": second} if leak == "pair" else {"rate": shares}
    target = first ^ second if leak == "pair" else labels
    rows = [
        {name: cells[row] for name, cells in columns.items()} | {"label": target[row]} for row in range(CASES)
    ]
    work.table("train.csv", rows)
    val = work.table("val.csv", rows[:40])
    prepared = work.prepare(val_csv=str(val), model={"vision_backbone": "none"}, allow_leakage=True)
    messages = {one["code"]: one["message"] for one in prepared.summary["warnings"]}
    if leak == "pair":
        assert '"first" and "second" (AUROC 1.00)' in messages["LABEL_PREDICTED_BY_MANY_COLUMNS"]
    else:
        assert (
            '"rate" has values that agree with the mean of the label' in messages["LABEL_PREDICTED_BY_COLUMN"]
        )
