"""Thresholds by rule: no other threshold that satisfies the rule is better, and an unsatisfiable rule has a
reason."""

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from medloom_trainer.metrics.operating_points import choose_operating_point
from medloom_trainer.metrics.threshold import choose_threshold


def sample(seed, size=80):
    generator = np.random.default_rng(seed)
    labels = (np.arange(size) % 3 == 0).astype(int)
    # Two decimals, so that ties occur.
    return labels, np.round(np.clip(generator.normal(0.35 + 0.25 * labels, 0.2), 0, 1), 2)


@pytest.mark.parametrize("seed", range(8))
class TestAgainstTheRocCurve:
    def rates(self, seed):
        """All cuts except those that put every case on the same side."""
        labels, probability = sample(seed)
        false_positive, sensitivity, _ = roc_curve(labels, probability, drop_intermediate=False)
        return labels, probability, sensitivity[1:-1], 1 - false_positive[1:-1]

    def test_at_least_a_sensitivity(self, seed):
        labels, probability, sensitivity, specificity = self.rates(seed)
        point = choose_operating_point({"rule": "sensitivity", "at_least": 0.9}, labels, probability)
        assert point.specificity == pytest.approx(specificity[sensitivity >= 0.9 - 1e-12].max(), abs=1e-12)
        self.holds(point, labels, probability)
        assert point.sensitivity >= 0.9

    def test_at_least_a_specificity(self, seed):
        labels, probability, sensitivity, specificity = self.rates(seed)
        point = choose_operating_point({"rule": "specificity", "at_least": 0.9}, labels, probability)
        assert point.sensitivity == pytest.approx(sensitivity[specificity >= 0.9 - 1e-12].max(), abs=1e-12)
        self.holds(point, labels, probability)
        assert point.specificity >= 0.9

    def test_the_least_cost(self, seed):
        labels, probability, sensitivity, specificity = self.rates(seed)
        rule = {"rule": "cost", "false_negative": 4, "false_positive": 1.5}
        point = choose_operating_point(rule, labels, probability)
        positives, negatives = labels.sum(), (1 - labels).sum()
        costs = 4 * (1 - sensitivity) * positives + 1.5 * (1 - specificity) * negatives
        self.holds(point, labels, probability)
        paid = 4 * (1 - point.sensitivity) * positives + 1.5 * (1 - point.specificity) * negatives
        assert paid == pytest.approx(costs.min(), abs=1e-9)

    def test_youden_is_the_threshold_of_the_model(self, seed):
        labels, probability = sample(seed)
        point = choose_operating_point({"rule": "youden"}, labels, probability)
        assert point.threshold == choose_threshold(labels, probability)
        self.holds(point, labels, probability)

    def holds(self, point, labels, probability):
        """The stored values are those of the threshold."""
        called = probability >= point.threshold
        assert point.sensitivity == pytest.approx(called[labels == 1].mean(), abs=1e-12)
        assert point.specificity == pytest.approx((~called)[labels == 0].mean(), abs=1e-12)
        assert point.reason is None and point.threshold not in probability


def test_nine_of_ten_are_a_sensitivity_of_0_9():
    labels = np.array([1] * 10 + [0] * 10)
    probability = np.concatenate([[0.05], np.linspace(0.5, 0.95, 9), np.linspace(0.1, 0.45, 10)])
    point = choose_operating_point({"rule": "sensitivity", "at_least": 0.9}, labels, probability)
    assert point.sensitivity == pytest.approx(0.9) and point.specificity == 1


def test_of_equal_costs_the_threshold_of_calibrated_probabilities_decides():
    labels, probability = np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.6, 0.9])
    rare = choose_operating_point(
        {"rule": "cost", "false_negative": 1, "false_positive": 1}, labels, probability
    )
    assert rare.threshold in (pytest.approx(0.25), pytest.approx(0.75))
    dear = {"rule": "cost", "false_negative": 1.01, "false_positive": 1}
    assert choose_operating_point(dear, labels, probability).threshold == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"rule": "youden"}, "no threshold is better than chance"),
        ({"rule": "sensitivity", "at_least": 0.9}, "every case is predicted positive"),
        ({"rule": "specificity", "at_least": 0.9}, "every case is predicted negative"),
        (
            {"rule": "cost", "false_negative": 50, "false_positive": 1},
            "predicting every case as positive does not cost",
        ),
        (
            {"rule": "cost", "false_negative": 1, "false_positive": 50},
            "predicting every case as negative does not cost",
        ),
    ],
)
def test_a_rule_that_cannot_be_satisfied_has_a_reason(rule, reason):
    labels, probability = np.array([1, 0, 1, 0]), np.array([0.2, 0.8, 0.3, 0.9])
    point = choose_operating_point(rule, labels, probability)
    assert point.threshold is None and reason in point.reason
    alike = choose_operating_point(rule, labels, np.full(4, 0.5))
    assert alike.threshold is None and alike.reason
