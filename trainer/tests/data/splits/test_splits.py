"""validity.md rules 2 and 3: patients are never divided; overlaps of two splits are found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medloom_trainer.data.splits import choose_validation, find_overlaps, group_cases
from medloom_trainer.data.tables import split_name

cases = st.integers(4, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 15), min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
    )
)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(cases, st.integers(0, 5), st.sampled_from([0.1, 0.2, 0.5]))
def test_no_group_is_divided_and_training_keeps_every_class(
    drawn: tuple[list[int], list[int]], seed: int, fraction: float
) -> None:
    groups, strata = np.asarray(drawn[0]), np.asarray(drawn[1])
    chosen = choose_validation(groups, strata, fraction, seed)
    assert not set(groups[chosen]) & set(groups[~chosen])
    assert set(strata[~chosen]) == set(strata)
    np.testing.assert_array_equal(chosen, choose_validation(groups, strata, fraction, seed))


@pytest.mark.parametrize("fraction", [0.1, 0.2, 0.35])
def test_the_split_is_stratified_and_near_its_fraction(fraction: float) -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 400, 900)
    strata = rng.choice(4, 900, p=[0.6, 0.25, 0.12, 0.03])
    chosen = choose_validation(groups, strata, fraction, 0)
    for stratum in range(4):
        mine = strata == stratum
        assert abs(chosen[mine].mean() - fraction) < max(0.02, 1.5 / mine.sum())


def test_validation_has_a_class_that_another_patient_leaves_to_training() -> None:
    # Placed one after the other by what their classes lack, all three patients would train.
    patients, classes = np.array([2, 1, 2, 1, 0]), np.array([1, 2, 2, 0, 2])
    np.testing.assert_array_equal(choose_validation(patients, classes, 0.3, 0), patients == 0)


def test_another_seed_gives_another_split() -> None:
    groups, strata = np.arange(100), np.arange(100) % 2
    assert not np.array_equal(
        choose_validation(groups, strata, 0.2, 0), choose_validation(groups, strata, 0.2, 1)
    )


def test_cases_are_tied_through_others() -> None:
    #    0 ─P1─ 1 ─image a─ 2      3 ─P3─ 4      5
    groups = group_cases([["P1"], ["P1", "a"], ["a", "P2"], ["P3"], ["P3"], []])
    assert groups[0] == groups[1] == groups[2]
    assert groups[3] == groups[4]
    assert len(set(groups.tolist())) == 3


def test_overlaps_of_every_pair() -> None:
    found = find_overlaps(
        "patients", {"train": [["a"], ["b"]], "val": [["c"], ["b"]], "test": [["a"], ["b"], []]}
    )
    assert [(o.first, o.second, o.count, o.cases) for o in found] == [
        ("train", "val", 1, [1]),
        ("train", "test", 2, [0, 1]),
        ("val", "test", 1, [1]),
    ]


def test_words_for_splits() -> None:
    assert [split_name(word) for word in ("Training", "valid", "TEST", "fold3")] == [
        "train",
        "val",
        "test",
        "fold3",
    ]
