"""The maximum-likelihood temperature; classes and the order of cases do not change."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit, log_softmax, logit, softmax
from scipy.stats import t as student
from sklearn.metrics import log_loss

from medloom_trainer.metrics.temperature import (
    different_from_one,
    fit_temperature,
    threshold_with_temperature,
    with_temperature,
)


def too_certain(classes, size=300, seed=0, factor=2.5):
    """Labels drawn from logits, and the probabilities of logits that are `factor` times as large."""
    generator = np.random.default_rng(seed)
    logits = generator.normal(0, 1.5, (size, classes))
    labels = (generator.random(size)[:, None] > softmax(logits, axis=1).cumsum(axis=1)).sum(axis=1)
    return labels, softmax(logits * factor, axis=1), logits * factor


@pytest.mark.parametrize("classes", [2, 5])
def test_it_has_the_largest_likelihood_and_finds_what_made_the_model_too_certain(classes):
    labels, probabilities, logits = too_certain(classes)
    found = fit_temperature(labels, probabilities)
    own = np.arange(len(labels)), labels
    loss = minimize_scalar(
        lambda b: -log_softmax(logits * b, axis=1)[own].mean(),
        bounds=(0.05, 20),
        method="bounded",
        options={"xatol": 1e-12},
    )
    # The optimum of a function is known to the square root of its rounding; its value to all digits.
    assert found.value == pytest.approx(1 / loss.x, abs=1e-6) and found.reason is None
    after = with_temperature(probabilities, found.value)
    assert after == pytest.approx(softmax(logits / found.value, axis=1), abs=1e-12)
    assert log_loss(labels, after) == pytest.approx(loss.fun, abs=1e-9)
    assert log_loss(labels, after) < log_loss(labels, probabilities)
    slope = ((after * np.log(after)).sum(axis=1) - np.log(after)[own]).mean()
    assert slope == pytest.approx(0, abs=1e-9)  # the equation of the maximum
    assert found.value == pytest.approx(2.5, rel=0.25)


def test_its_interval_is_the_sandwich_of_a_logistic_regression_whose_cases_depend_on_each_other():
    """Equal to statsmodels 0.15 (Logit with cov_type "cluster"); computed here by numerical derivatives."""
    labels, probabilities, logits = too_certain(2)
    patients = np.arange(len(labels)) // 3
    found = fit_temperature(labels, probabilities, patients)
    difference, sharpness, step = logits[:, 1] - logits[:, 0], 1 / found.value, 1e-4

    def likelihood(slope):
        return np.where(labels == 1, log_expit(slope * difference), log_expit(-slope * difference))

    below, here, above = (likelihood(sharpness + move) for move in (-step, 0, step))
    curvature = -((above - 2 * here + below) / step**2).sum()
    scores = np.bincount(patients, (above - below) / (2 * step))
    error = np.sqrt(100 / 99 * (scores**2).sum()) / curvature
    reach = np.exp(student.ppf(0.975, 99) * error / sharpness)
    assert (found.low, found.high) == pytest.approx((found.value / reach, found.value * reach), rel=1e-5)
    alone = fit_temperature(labels, probabilities)
    assert alone.value == found.value and alone.low != found.low


def test_a_temperature_that_may_be_1_is_none_and_keeps_its_interval():
    labels, probabilities, _ = too_certain(2, factor=1.0)
    fitted = fit_temperature(labels, probabilities)
    none = different_from_one(fitted)
    assert fitted.low < 1 < fitted.high and (none.value, none.low) == (None, fitted.low)
    assert f"{fitted.value:.2f} (95% CI {fitted.low:.2f} to" in none.reason
    labels, probabilities, _ = too_certain(2)
    fitted = fit_temperature(labels, probabilities)
    assert fitted.low > 1 and different_from_one(fitted) == fitted
    labels, probabilities, _ = too_certain(2, factor=0.4)
    fitted = fit_temperature(labels, probabilities)
    assert fitted.high < 1 and different_from_one(fitted) == fitted


def test_no_case_changes_its_class_or_its_side_of_a_threshold():
    _, probabilities, _ = too_certain(4)
    after = with_temperature(probabilities, 3.7)
    assert (after.argmax(axis=1) == probabilities.argmax(axis=1)).all()
    _, probabilities, _ = too_certain(2)
    for threshold in (0.01, 0.3, 0.5, 0.93):
        moved = threshold_with_temperature(threshold, 2.2)
        assert moved == pytest.approx(expit(logit(threshold) / 2.2), abs=1e-12)
        scaled = with_temperature(probabilities, 2.2)[:, 1]
        assert ((scaled >= moved) == (probabilities[:, 1] >= threshold)).all()
    assert threshold_with_temperature(0.5, 2.2) == 0.5


def test_what_has_no_finite_temperature_has_a_reason():
    certain = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    assert "separated perfectly" in fit_temperature([0, 0, 1], certain).reason
    assert "contain no information" in fit_temperature([1, 1, 0], certain).reason
    assert "contain no information" in fit_temperature([0, 1], np.full((2, 2), 0.5)).reason


def test_certainty_beyond_what_a_float_holds_stays_finite():
    given = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.4]])
    after = with_temperature(given, 3.0)
    assert np.isfinite(np.log(after)).all() and after[0, 0] > after[2, 0]
    assert fit_temperature([0, 0, 0], given).reason is not None
