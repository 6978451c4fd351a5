"""Scores that differ by rounding are equal in rankings and decisions."""

from __future__ import annotations

import numpy as np
import pytest

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.decision_curve import decision_curve
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.multilabel import MultilabelOutcome
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.roc_area import area_difference
from medloom_trainer.metrics.statistics.ties import settled
from medloom_trainer.metrics.threshold import choose_threshold
from medloom_trainer.metrics.threshold_grid import threshold_grid

NOISE = 1e-14
LABELS = np.arange(40) % 2
NOISY = np.full(40, 0.3) + NOISE * LABELS
"""Every positive is above every negative, only by rounding."""
RANDOM = np.random.default_rng(0)


def noisy(values: np.ndarray) -> np.ndarray:
    return values * (1 + 1e-15 * RANDOM.integers(-3, 4, size=values.shape))


def test_rounding_ranks_no_case_above_another():
    values, _ = estimate(BinaryOutcome(LABELS, NOISY, 0.5))
    assert values["auc"] == 0.5 and values["auprc"] == 0.5
    flags = np.stack([LABELS, LABELS], axis=1)
    values, _ = estimate(MultilabelOutcome(flags, np.stack([NOISY] * 2, axis=1), [0.5] * 2, ("a", "b")))
    assert values["auc"] == values["auc_micro"] == 0.5
    truth = np.arange(40.0)
    values, notes = estimate(RegressionOutcome(truth, NOISY))
    assert values["spearman"] is None and notes["spearman"] == "the prediction is constant"


def test_scores_that_are_further_apart_keep_their_order():
    scores = np.array([1e-30, 3e-30, 0.2, 0.2 + 1e-9, 1 - 1e-9, 1.0])
    assert settled(scores).tolist() == scores.tolist()
    assert estimate(BinaryOutcome([0, 1] * 3, scores, 0.5))[0]["auc"] == pytest.approx(6 / 9)


def test_models_that_differ_by_rounding_do_not_differ():
    scores = RANDOM.choice(np.linspace(0.1, 0.9, 9), size=40)
    first, second = (BinaryOutcome(LABELS, one, 0.5) for one in (scores, noisy(scores)))
    found = area_difference(first.ranked, second.ranked, Clusters.from_patients(None, 40))
    assert found == (0.0, 0.0, 0.0, 1.0)
    assert first.ranked.starts.tolist() == second.ranked.starts.tolist()


def test_rounding_decides_no_case():
    below = np.array([0.3, 0.7]) * (1 - 1e-15)
    assert BinaryOutcome([0, 1], below, 0.3).predicted.tolist() == [1, 1]
    assert MultilabelOutcome([[0, 1]], below[None], [0.3, 0.7], ("a", "b")).called.tolist() == [[True, True]]
    grid = threshold_grid([0, 1], below, None)
    at = grid["threshold"].index(0.3)
    assert (grid["true_positive"][at], grid["false_positive"][at]) == (1, 1)
    curve = decision_curve([0, 1], below)
    assert curve["model"][29] == pytest.approx((1 - 0.3 / 0.7) / 2)
    top = np.array([[0.4 * (1 - 1e-15), 0.4, 0.2]])
    assert MulticlassOutcome([0], top, ("a", "b", "c")).predicted.tolist() == [0]


def test_a_chosen_threshold_lies_between_scores_that_differ_by_more_than_rounding():
    scores = np.array([0.2, 0.4, 0.4 * (1 + 3e-12), 0.4 * (1 + 3e-11), 0.9])
    labels = np.array([0, 0, 0, 1, 1])
    outcome = BinaryOutcome(labels, scores, choose_threshold(labels, scores))
    assert outcome.predicted.tolist() == labels.tolist()
