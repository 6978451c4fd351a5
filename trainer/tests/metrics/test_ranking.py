"""Areas of many weightings at once, compared with scikit-learn's for each, and their cost."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.statistics.ranking import RankedScores

SCORES = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])


@pytest.mark.slow
@given(st.lists(st.tuples(st.booleans(), SCORES, st.integers(0, 3), st.integers(0, 3)), max_size=12))
def test_weighted_areas_equal_those_of_scikit_learn_also_with_ties_and_cases_left_out(cases):
    positive = np.asarray([case[0] for case in cases], dtype=bool)
    scores = np.asarray([case[1] for case in cases], dtype=np.float64)
    weights = np.asarray([[case[i] for case in cases] for i in (2, 3)], dtype=np.float64)
    found = RankedScores.from_scores(positive, scores).areas(weights)
    for row, area, precision in zip(weights, *found, strict=True):
        if not (row[positive].sum() > 0 and row[~positive].sum() > 0):
            assert np.isnan(area) and np.isnan(precision)
            continue
        drawn = row > 0
        given_to = {"sample_weight": row[drawn]}
        assert area == pytest.approx(roc_auc_score(positive[drawn], scores[drawn], **given_to), abs=1e-9)
        expected = average_precision_score(positive[drawn], scores[drawn], **given_to)
        assert precision == pytest.approx(expected, abs=1e-9)


def test_cells_of_the_confusion_are_sums_of_weights():
    random = np.random.default_rng(0)
    labels, probabilities = random.integers(0, 3, 40), random.random((40, 3))
    weights = random.integers(0, 4, (5, 40)).astype(np.float64)
    outcome = MulticlassOutcome(labels, probabilities, ("a", "b", "c"))
    for row, found in zip(weights, outcome.confusion(weights), strict=True):
        for true in range(3):
            for called in range(3):
                inside = (labels == true) & (outcome.predicted == called)
                assert found[true, called] == row[inside].sum()


def test_areas_of_a_rare_class_cost_little_more_than_reading_the_weights():
    """A study measures 1000 weightings of every variant, seed and division."""
    random = np.random.default_rng(0)
    weights = random.integers(0, 4, (175, 746)).astype(np.float64)
    ranked = RankedScores.from_scores(random.random(746) < 0.15, random.random(746))
    order = random.permutation(746)
    reading = fastest(lambda: np.cumsum(np.take(weights, order, axis=1), axis=1))
    assert fastest(lambda: ranked.areas(weights)) < 3 * reading


def fastest(work: Callable[[], object]) -> float:
    """Processor time of ten calls in seconds, the minimum of five trials."""
    found = []
    for _ in range(5):
        begun = process_time()
        for _ in range(10):
            work()
        found.append(process_time() - begun)
    return min(found)
