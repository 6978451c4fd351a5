"""Net benefit as Vickers and Elkin (2006) define it."""

import numpy as np
import pytest

from medloom_trainer.evaluation.metrics.decision_curve import decision_curve


def test_each_point_is_the_formula():
    generator = np.random.default_rng(0)
    chances = np.round(generator.random(200), 2)  # on the thresholds themselves, too
    labels = (generator.random(200) < chances).astype(int)
    found = decision_curve(labels, chances)
    assert found["thresholds"] == pytest.approx(np.arange(1, 91) / 100)
    prevalence = labels.mean()
    for t, model, everybody in zip(*found.values(), strict=True):
        called = chances >= t
        benefit = (called & (labels == 1)).sum() / 200 - (called & (labels == 0)).sum() / 200 * t / (1 - t)
        assert model == pytest.approx(benefit, abs=1e-12)
        assert everybody == pytest.approx(prevalence - (1 - prevalence) * t / (1 - t), abs=1e-12)


def test_a_perfect_model_is_worth_the_prevalence_and_one_that_calls_nobody_nothing():
    labels = np.array([1, 0, 0, 0])
    assert decision_curve(labels, [1, 0, 0, 0])["model"] == pytest.approx([0.25] * 90)
    assert decision_curve(labels, [0, 0, 0, 0])["model"] == [0] * 90
