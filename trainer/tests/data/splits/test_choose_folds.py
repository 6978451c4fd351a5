"""Folds for the members of an ensemble: groups are not divided, and strata are divided as evenly as
possible."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medloom_trainer.data.splits.divide import choose_folds

CASES = st.integers(4, 40).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(0, 12), min_size=size, max_size=size),
        st.lists(st.integers(0, 2), min_size=size, max_size=size),
    )
)


@pytest.mark.slow
@given(CASES, st.integers(2, 6), st.integers(0, 3), st.booleans())
def test_groups_stay_whole_and_only_what_alone_has_a_class_is_in_no_fold(cases, k, seed, classes):
    groups, strata = (np.asarray(part) for part in cases)
    folds = choose_folds(groups, strata, k, seed, strata_are_classes=classes)
    assert folds.min() >= -1 and folds.max() < k
    for group in np.unique(groups):
        inside = groups == group
        assert len(set(folds[inside].tolist())) == 1
        alone = any(set(groups[strata == one].tolist()) == {group} for one in np.unique(strata[inside]))
        assert (folds[inside][0] == -1) == (classes and alone)


def test_each_class_is_divided_evenly_whatever_the_order_of_the_rows():
    strata = np.repeat([0, 1, 2], [60, 25, 10])
    groups = np.arange(95)
    for order in (groups, groups[::-1], np.random.default_rng(0).permutation(95)):
        folds = choose_folds(groups, strata[order], 5, 7, strata_are_classes=True)
        for stratum, size in enumerate((60, 25, 10)):
            held = np.bincount(folds[strata[order] == stratum], minlength=5)
            assert held.tolist() == [size // 5] * 5


def test_a_seed_always_divides_alike_and_another_one_otherwise():
    strata, groups = np.arange(40) % 2, np.arange(40)
    one, again, other = (choose_folds(groups, strata, 4, seed, strata_are_classes=True) for seed in (1, 1, 2))
    assert np.array_equal(one, again) and not np.array_equal(one, other)


@pytest.mark.parametrize("classes", [True, False])
def test_quantiles_of_a_number_may_stand_in_one_group_classes_may_not(classes):
    groups, strata = np.asarray([0, 0, 1, 2, 3]), np.asarray([1, 1, 0, 0, 0])
    folds = choose_folds(groups, strata, 2, 0, strata_are_classes=classes)
    assert (folds[:2] == -1).all() == classes and (folds[2:] >= 0).all()
