"""Regression metrics equal scikit-learn's and SciPy's if those are defined; otherwise None with a reason."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as reference

from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.regression import RegressionOutcome


@st.composite
def predictions(draw):
    size = draw(st.integers(1, 40))
    scale, offset = draw(st.sampled_from([(1, 0), (0.01, 0), (100, -5000), (1, 1e6)]))
    numbers = st.lists(st.integers(-6, 6), min_size=size, max_size=size)
    return np.array(draw(numbers)) * scale + offset, np.array(draw(numbers)) * scale + offset


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(predictions())
def test_equals_the_references_where_they_are_defined(case):
    truth, predicted = case
    values, notes = estimate(RegressionOutcome(truth, predicted))
    varies, both_vary = len(set(truth)) > 1, len(set(truth)) > 1 and len(set(predicted)) > 1
    expected = {
        "mae": reference.mean_absolute_error(truth, predicted),
        "rmse": reference.root_mean_squared_error(truth, predicted),
        "bias": (predicted - truth).mean(),
    }
    if varies:
        expected["r2"] = reference.r2_score(truth, predicted)
    if both_vary:
        expected["pearson"] = stats.pearsonr(truth, predicted).statistic
        expected["spearman"] = stats.spearmanr(truth, predicted).statistic
    if len(truth) > 1:
        deviation = np.std(predicted - truth, ddof=1)
        expected["loa_low"] = expected["bias"] - 1.96 * deviation
        expected["loa_high"] = expected["bias"] + 1.96 * deviation
    for name, value in values.items():
        if name in expected:
            assert value == pytest.approx(expected[name], rel=1e-9, abs=1e-9), name
        else:
            assert value is None and notes[name], name


def test_it_has_no_classes():
    values, notes = estimate(RegressionOutcome([1.0, 2.0], [1.0, 3.0]))
    assert list(values)[:3] == ["accuracy", "auc", "f1_score"]
    assert {values[name] for name in ("accuracy", "auc", "f1_score")} == {None}
    assert "regression" in notes["auc"]


def test_reasons_name_what_is_constant():
    _, notes = estimate(RegressionOutcome([1.1, 1.1, 1.1], [1.0, 2.0, 3.0]))
    assert notes["r2"] == notes["pearson"] == "the truth is constant"
    _, notes = estimate(RegressionOutcome([1.0, 2.0, 3.0], [1.1, 1.1, 1.1]))
    assert "r2" not in notes and notes["spearman"] == "the prediction is constant"


def test_weights_count_cases():
    generator = np.random.default_rng(0)
    truth, predicted = generator.normal(size=40).round(1), generator.normal(size=40).round(1)
    weights = generator.integers(0, 4, (5, 40))
    measured = RegressionOutcome(truth, predicted).measure(weights.astype(float))
    for row, times in enumerate(weights):
        repeated, _ = estimate(RegressionOutcome(truth.repeat(times), predicted.repeat(times)))
        for name, value in repeated.items():
            if value is not None:
                assert measured[name][row] == pytest.approx(value, abs=1e-12), name
