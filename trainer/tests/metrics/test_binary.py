"""Binary metrics equal scikit-learn's if those are defined; otherwise they are None with a reason."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn import metrics as reference
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.outcome import estimate

TOLERANCE = 1e-9


@st.composite
def predictions(draw):
    """Labels and probabilities: smooth, heavily tied, or at 0 and 1; any classes present."""
    size = draw(st.integers(1, 40))
    labels = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    grid = draw(st.sampled_from([2, 4, 10, 997, 2**20]))
    steps = draw(st.lists(st.integers(0, grid), min_size=size, max_size=size))
    return np.array(labels), np.array(steps) / grid, draw(st.sampled_from([0.0, 0.25, 0.5, 1.0]))


def reference_values(labels, probability, threshold):
    called = (probability >= threshold).astype(int)
    both = len(set(labels)) == 2
    report = {
        "accuracy": reference.accuracy_score(labels, called),
        "brier": reference.brier_score_loss(labels, probability, pos_label=1),
        "log_loss": reference.log_loss(labels, probability, labels=[0, 1]),
        "prevalence": labels.mean(),
    }
    if labels.any():
        report["sensitivity"] = reference.recall_score(labels, called)
    if not labels.all():
        report["specificity"] = reference.recall_score(labels, called, pos_label=0)
    if called.any():
        report["ppv"] = reference.precision_score(labels, called)
    if not called.all():
        report["npv"] = reference.precision_score(labels, called, pos_label=0)
    if labels.any() or called.any():
        report["f1_score"] = reference.f1_score(labels, called)
    if both:
        report["auc"] = reference.roc_auc_score(labels, probability)
        report["auprc"] = reference.average_precision_score(labels, probability)
        report["balanced_accuracy"] = reference.balanced_accuracy_score(labels, called)
    return report


def random_cases(count):
    return settings(
        max_examples=count, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
    )


@pytest.mark.slow
@random_cases(30)
@given(predictions())
def test_equals_scikit_learn_where_it_is_defined_and_none_with_a_reason_elsewhere(case):
    compare_with_scikit_learn(case)


@pytest.mark.slow
@pytest.mark.full
@random_cases(200)
@given(predictions())
def test_equals_scikit_learn_in_many_cases(case):
    compare_with_scikit_learn(case)


def compare_with_scikit_learn(case):
    labels, probability, threshold = case
    values, notes = estimate(BinaryOutcome(labels, probability, threshold))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)  # the reference is defined where it is used
        expected = reference_values(labels, probability, threshold)

    for name, value in expected.items():
        assert values[name] == pytest.approx(value, abs=TOLERANCE), name
    for name, value in values.items():
        assert (value is None) == (name in notes), name
        if value is None:
            assert name not in expected
        else:
            assert np.isfinite(value)


@pytest.mark.parametrize(
    "labels, probability, undefined",
    [
        ([1, 1, 1], [0.9, 0.8, 0.2], {"auc", "auprc", "specificity", "balanced_accuracy"}),
        ([0, 0, 0], [0.9, 0.8, 0.2], {"auc", "auprc", "sensitivity", "balanced_accuracy"}),
        ([0, 0, 0], [0.1, 0.1, 0.2], {"auc", "auprc", "sensitivity", "balanced_accuracy", "ppv", "f1_score"}),
        ([1, 1], [0.9, 0.8], {"auc", "auprc", "specificity", "balanced_accuracy", "npv"}),
        ([0, 1, 0, 1], [0.4, 0.6, 0.7, 0.8], set()),
    ],
)
def test_one_class_only_is_never_a_half(labels, probability, undefined):
    values, notes = estimate(BinaryOutcome(labels, probability, 0.5))
    lines = {"calibration_slope", "calibration_intercept"} if len(set(labels)) == 1 else set()
    assert {name for name, value in values.items() if value is None} == undefined | lines
    assert all(notes[name] for name in undefined)


def test_no_cases_at_all_leaves_nothing_defined():
    values, notes = estimate(BinaryOutcome([], [], 0.5))
    assert set(values.values()) == {None}
    assert set(notes.values()) == {"no cases"}


def test_the_three_of_the_interface_come_first():
    values, _ = estimate(BinaryOutcome([0, 1], [0.1, 0.9], 0.5))
    assert list(values)[:3] == ["accuracy", "auc", "f1_score"]


def test_a_case_at_the_threshold_is_positive():
    values, _ = estimate(BinaryOutcome([1, 0], [0.3, 0.2], 0.3))
    assert (values["sensitivity"], values["specificity"]) == (1, 1)


def test_weights_count_cases():
    """Integer weights equal repeated rows, for every metric: the bootstrap depends on this."""
    generator = np.random.default_rng(0)
    labels, probability = generator.integers(0, 2, 60), generator.integers(0, 20, 60) / 20
    weights = generator.integers(0, 4, (5, 60))
    measured = BinaryOutcome(labels, probability, 0.4).measure(weights.astype(float))
    for row, times in enumerate(weights):
        repeated, _ = estimate(BinaryOutcome(labels.repeat(times), probability.repeat(times), 0.4))
        for name, value in repeated.items():
            assert measured[name][row] == pytest.approx(value, abs=1e-9), name


class TestCalibration:
    def test_slope_equals_an_unpenalised_logistic_regression(self):
        generator = np.random.default_rng(1)
        probability = generator.uniform(0.01, 0.99, 400)
        labels = (generator.random(400) < probability**1.7).astype(int)
        logits = np.log(probability / (1 - probability))[:, None]
        fitted = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(logits, labels)
        values, _ = estimate(BinaryOutcome(labels, probability, 0.5))
        assert values["calibration_slope"] == pytest.approx(fitted.coef_[0, 0], abs=1e-7)

    def test_intercept_makes_the_mean_prediction_right_at_slope_one(self):
        generator = np.random.default_rng(2)
        probability = generator.uniform(0.05, 0.6, 300)
        labels = (generator.random(300) < 0.6).astype(int)
        values, _ = estimate(BinaryOutcome(labels, probability, 0.5))
        logits = np.log(probability / (1 - probability)) + values["calibration_intercept"]
        assert (1 / (1 + np.exp(-logits))).mean() == pytest.approx(labels.mean(), abs=1e-10)

    def test_right_probabilities_have_slope_one_and_intercept_zero(self):
        probability = np.repeat([0.1, 0.3, 0.5, 0.9], 10)
        labels = np.concatenate([np.arange(10) < share for share in (1, 3, 5, 9)]).astype(int)
        values, _ = estimate(BinaryOutcome(labels, probability, 0.5))
        assert values["calibration_slope"] == pytest.approx(1, abs=1e-9)
        assert values["calibration_intercept"] == pytest.approx(0, abs=1e-9)
        assert values["ece"] == pytest.approx(0, abs=1e-12)

    @pytest.mark.parametrize(
        "labels, probability",
        [([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]), ([1, 1, 0], [0.1, 0.2, 0.2]), ([0, 1], [0.5, 0.5])],
        ids=["separated", "touching", "constant"],
    )
    def test_without_overlap_no_slope_is_finite(self, labels, probability):
        values, notes = estimate(BinaryOutcome(labels, probability, 0.5))
        assert values["calibration_slope"] is None
        assert "separate" in notes["calibration_slope"]

    def test_certain_and_wrong_stays_finite(self):
        values, _ = estimate(BinaryOutcome([0, 1, 0, 1], [1.0, 0.0, 0.0, 1.0], 0.5))
        assert values["log_loss"] == pytest.approx(reference.log_loss([0, 1, 0, 1], [1.0, 0.0, 0.0, 1.0]))
        assert values["calibration_slope"] == pytest.approx(0, abs=1e-9)

    def test_ece_weighs_the_gap_of_each_tenth_by_its_cases(self):
        labels, probability = [1, 0, 1, 1], [0.05, 0.09, 1.0, 0.95]
        values, _ = estimate(BinaryOutcome(labels, probability, 0.5))
        assert values["ece"] == pytest.approx((2 * abs(0.5 - 0.07) + 2 * abs(1 - 0.975)) / 4)
