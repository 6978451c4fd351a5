"""Leaks that need three columns."""

from __future__ import annotations

import numpy as np
import pytest

from medloom_trainer.data.checks.column_pairs import Combination, pairs_of_categories
from medloom_trainer.data.checks.column_triples import MOST_FLAGS, triples_of_flags
from testing.outcomes import outcomes
from testing.workspace import Workspace

CASES = 400


def flags(random: np.random.Generator, count: int, cases: int = CASES) -> dict[str, list[str]]:
    return {f"flag {index}": random.choice(["no", "yes"], cases).tolist() for index in range(count)}


def parity(columns: dict[str, list[str]], *names: str) -> np.ndarray:
    return sum(np.array(columns[name]) == "yes" for name in names) % 2


def test_three_flags_of_which_an_odd_number_is_set() -> None:
    random = np.random.default_rng(0)
    columns = flags(random, 8)
    exact = parity(columns, "flag 1", "flag 4", "flag 6")
    named = ("flag 1", "flag 4", "flag 6")
    assert pairs_of_categories(columns, outcomes(exact, 2)) == []
    assert triples_of_flags(columns, outcomes(exact, 2)) == [Combination(named, "AUROC 1.00")]
    noisy = np.where(random.random(CASES) < 0.04, 1 - exact, exact)
    assert [triple.columns for triple in triples_of_flags(columns, outcomes(noisy, 2))] == [named]
    third = np.where(exact == 1, 2, random.integers(0, 2, CASES))
    assert [triple.columns for triple in triples_of_flags(columns, outcomes(third, 3))] == [named]
    gaps = columns | {"flag 1": np.where(random.random(CASES) < 0.05, "", columns["flag 1"]).tolist()}
    assert [triple.columns for triple in triples_of_flags(gaps, outcomes(exact, 2))] == [named]


def test_flags_that_a_pair_explains_are_not_a_triple() -> None:
    columns = flags(np.random.default_rng(1), 5)
    assert triples_of_flags(columns, outcomes(parity(columns, "flag 0", "flag 3"), 2)) == []


@pytest.mark.parametrize("cases", [40, 120, CASES])
def test_honest_flags_are_not_a_triple(cases: int) -> None:
    """Four thousand triples: in the small tables the best of them predict the label of the same cases."""
    for seed in range(3):
        random = np.random.default_rng(seed)
        labels = random.integers(0, 2, cases)
        honest = {
            f"sign {right}": np.where(random.random(cases) < right, labels, 1 - labels).astype(str).tolist()
            for right in (0.8, 0.75, 0.7)
        }
        assert triples_of_flags(honest | flags(random, MOST_FLAGS - 3, cases), outcomes(labels, 2)) == []


def test_a_preparation_names_them_and_the_limit_of_the_search(work: Workspace) -> None:
    columns = flags(np.random.default_rng(2), MOST_FLAGS + 1)
    labels = parity(columns, "flag 0", "flag 1", "flag 2")
    rows = [
        {name: cells[row] for name, cells in columns.items()} | {"label": labels[row]} for row in range(CASES)
    ]
    work.table("train.csv", rows)
    val = work.table("val.csv", rows[:40])
    prepared = work.prepare(val_csv=str(val), model={"vision_backbone": "none"}, allow_leakage=True)
    messages = {one["code"]: one["message"] for one in prepared.summary["warnings"]}
    assert (
        'three columns together predict the label, although no two of them do: "flag 0", "flag 1" and '
        '"flag 2" (AUROC 1.00)' in messages["LABEL_PREDICTED_BY_MANY_COLUMNS"]
    )
    assert f"the first {MOST_FLAGS} of {MOST_FLAGS + 1} columns" in messages["SHORTCUTS_NOT_CHECKED"]
