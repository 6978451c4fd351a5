"""Leaks that need three columns."""

from __future__ import annotations

import numpy as np
import pytest

from medloom_trainer.data.checks.column_pairs import Combination
from medloom_trainer.data.checks.column_triples import MOST_FLAGS, MOST_TESTED, Triples, triples_of_flags
from testing.outcomes import outcomes, pairs_of_texts
from testing.workspace import Workspace

CASES = 400


def flags(random: np.random.Generator, count: int, cases: int = CASES) -> dict[str, list[str]]:
    return {f"flag {index}": random.choice(["no", "yes"], cases).tolist() for index in range(count)}


def parity(columns: dict[str, list[str]], *names: str) -> np.ndarray:
    return sum(np.array(columns[name]) == "yes" for name in names) % 2


def warnings_of(work: Workspace, columns: dict[str, list[str]], labels: np.ndarray) -> dict[str, str]:
    """Code → message of the last warning with it, of a preparation."""
    rows = [
        {name: cells[row] for name, cells in columns.items()} | {"label": labels[row]} for row in range(CASES)
    ]
    work.table("train.csv", rows)
    val = work.table("val.csv", rows[:40])
    prepared = work.prepare(val_csv=str(val), model={"vision_backbone": "none"}, allow_leakage=True)
    return {one["code"]: one["message"] for one in prepared.summary["warnings"]}


def test_three_flags_of_which_an_odd_number_is_set() -> None:
    random = np.random.default_rng(0)
    columns = flags(random, 8)
    exact = parity(columns, "flag 1", "flag 4", "flag 6")
    named = ("flag 1", "flag 4", "flag 6")
    assert pairs_of_texts(columns, outcomes(exact, 2)) == []
    assert triples_of_flags(columns, outcomes(exact, 2)) == Triples([Combination(named, "AUROC 1.00")], True)
    noisy = np.where(random.random(CASES) < 0.04, 1 - exact, exact)
    assert [triple.columns for triple in triples_of_flags(columns, outcomes(noisy, 2)).found] == [named]
    third = np.where(exact == 1, 2, random.integers(0, 2, CASES))
    assert [triple.columns for triple in triples_of_flags(columns, outcomes(third, 3)).found] == [named]
    gaps = columns | {"flag 1": np.where(random.random(CASES) < 0.05, "", columns["flag 1"]).tolist()}
    assert [triple.columns for triple in triples_of_flags(gaps, outcomes(exact, 2)).found] == [named]


def test_flags_that_a_pair_explains_are_not_a_triple() -> None:
    columns = flags(np.random.default_rng(1), 5)
    assert triples_of_flags(columns, outcomes(parity(columns, "flag 0", "flag 3"), 2)).found == []


def test_a_large_table_sorted_by_its_label_is_searched() -> None:
    """The first thousands of cases have one label, and few have the other."""
    cases = 30_000
    columns = flags(np.random.default_rng(4), 5, cases)
    is_odd = parity(columns, "flag 1", "flag 2", "flag 3")
    order = np.argsort(is_odd, kind="stable")[: cases // 2 + 600]
    columns = {name: [cells[row] for row in order] for name, cells in columns.items()}
    [triple] = triples_of_flags(columns, outcomes(is_odd[order], 2)).found
    assert triple.columns == ("flag 1", "flag 2", "flag 3")


def test_copies_of_flags_are_tested_up_to_a_limit_that_is_reported(work: Workspace) -> None:
    columns = flags(np.random.default_rng(5), 3)
    labels = parity(columns, *columns)
    copied = {f"{name}, {copy}": cells for copy in range(4) for name, cells in columns.items()}
    triples = triples_of_flags(copied, outcomes(labels, 2))
    assert (len(triples.found), triples.is_complete) == (MOST_TESTED, False)
    rows = [
        {name: cells[row] for name, cells in copied.items()} | {"label": labels[row]} for row in range(CASES)
    ]
    work.table("train.csv", rows)
    val = work.table("val.csv", rows[:40])
    prepared = work.prepare(val_csv=str(val), model={"vision_backbone": "none"}, allow_leakage=True)
    messages = [
        one["message"] for one in prepared.summary["warnings"] if one["code"] == "SHORTCUTS_NOT_CHECKED"
    ]
    assert any(f"only the first {MOST_TESTED} triples" in message for message in messages)


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
        assert (
            triples_of_flags(honest | flags(random, MOST_FLAGS - 3, cases), outcomes(labels, 2)).found == []
        )


def test_a_preparation_names_them_and_the_limit_of_the_search(work: Workspace) -> None:
    columns = flags(np.random.default_rng(2), MOST_FLAGS + 1)
    messages = warnings_of(work, columns, parity(columns, "flag 0", "flag 1", "flag 2"))
    assert (
        'three columns together predict the label, although no two of them do: "flag 0", "flag 1" and '
        '"flag 2" (AUROC 1.00)' in messages["LABEL_PREDICTED_BY_MANY_COLUMNS"]
    )
    assert f"the first {MOST_FLAGS} of {MOST_FLAGS + 1} columns" in messages["SHORTCUTS_NOT_CHECKED"]
