"""The threshold maximizes Youden's J on validation, with ties resolved and no case on the threshold."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from medloom_trainer.metrics.threshold import choose_threshold, undecided


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 30)), min_size=1, max_size=40))
def test_no_cut_has_a_greater_youden_j(cases):
    labels, probability = np.array([c[0] for c in cases]), np.array([c[1] for c in cases]) / 30
    chosen = choose_threshold(labels, probability)
    if len(set(labels)) == 1:
        assert chosen == 0.5
        return
    false_positive, sensitivity, _ = roc_curve(labels, probability)
    best = (sensitivity - false_positive).max()
    called = probability >= chosen
    reached = called[labels == 1].mean() - called[labels == 0].mean()
    assert reached == pytest.approx(best, abs=1e-12) or (best <= 0 and chosen == 0.5)


def test_it_lies_half_way_between_two_neighbors():
    assert choose_threshold([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.9]) == pytest.approx(0.4)


def test_of_equal_cuts_the_one_nearest_to_a_half_is_taken():
    assert choose_threshold([0, 1, 0, 1], [0.1, 0.2, 0.6, 0.9]) == pytest.approx(0.75)
    assert choose_threshold([0, 1, 0, 1], [0.1, 0.3, 0.8, 0.9]) == pytest.approx(0.2)  # 0.2 and 0.85


@pytest.mark.parametrize(
    "labels, probability",
    [([], []), ([1, 1], [0.2, 0.9]), ([0, 1], [0.3, 0.3]), ([1, 0], [0.2, 0.9])],
    ids=["no cases", "one class", "all equal", "worse than chance"],
)
def test_where_validation_cannot_tell_it_is_a_half(labels, probability):
    assert choose_threshold(labels, probability) == 0.5


def test_scores_that_differ_by_rounding_are_not_separated():
    low = 0.3
    assert choose_threshold([0, 1], [low, np.nextafter(low, 1)]) == 0.5
    high = low * (1 + 1e-11)
    assert low < choose_threshold([0, 1], [low, high]) < high


def test_why_nothing_was_chosen_is_said():
    assert undecided([0, 0, 1, 1], [0.1, 0.2, 0.6, 0.9]) is None
    assert undecided([0, 0, 0], [0.1, 0.2, 0.6]) == "the validation cases have only one class"
    assert undecided([1, 0], [0.1, 0.6]) == "no threshold is better than chance on validation data"
