"""Net benefit as Vickers and Elkin (2006) define it."""

import numpy as np
import pytest

from medloom_trainer.metrics.decision_curve import decision_curve


def test_each_point_is_the_formula():
    generator = np.random.default_rng(0)
    chances = np.round(generator.random(200), 2)  # some are on the thresholds themselves
    labels = (generator.random(200) < chances).astype(int)
    found = decision_curve(labels, chances)
    assert found["thresholds"] == pytest.approx(np.arange(1, 91) / 100)
    prevalence = labels.mean()
    points = (found[name] for name in ("thresholds", "model", "treat_all"))
    for t, model, everybody in zip(*points, strict=True):
        called = chances >= t
        benefit = (called & (labels == 1)).sum() / 200 - (called & (labels == 0)).sum() / 200 * t / (1 - t)
        assert model == pytest.approx(benefit, abs=1e-12)
        assert everybody == pytest.approx(prevalence - (1 - prevalence) * t / (1 - t), abs=1e-12)


def test_a_perfect_model_is_worth_the_prevalence_and_one_that_calls_nobody_nothing():
    labels = np.array([1, 0, 0, 0])
    assert decision_curve(labels, [1, 0, 0, 0])["model"] == pytest.approx([0.25] * 90)
    assert decision_curve(labels, [0, 0, 0, 0])["model"] == [0] * 90


def test_the_interval_is_students_over_the_patients_who_are_drawn():
    generator = np.random.default_rng(1)
    rows = 4
    chances = generator.random(60).repeat(rows)
    labels = (generator.random(60).repeat(rows) < chances).astype(int)
    patients = np.arange(60).repeat(rows)
    alone, shared = decision_curve(labels, chances), decision_curve(labels, chances, patients)
    assert shared["interval"] == "patient bootstrap, 1,000 replicates"
    # Rows of a patient repeat each other: as wide as with one row each, twice as wide as counting rows.
    one = decision_curve(labels[::rows], chances[::rows])
    width = {
        name: np.array(found["high"][9:60]) - np.array(found["low"][9:60])
        for name, found in (("rows", alone), ("patients", shared), ("one", one))
    }
    assert width["patients"] == pytest.approx(width["one"], rel=1e-6)
    assert width["patients"] / width["rows"] == pytest.approx(np.full(51, 2.0), rel=0.15)
    for low, model, high in zip(
        shared["low"][9:60], shared["model"][9:60], shared["high"][9:60], strict=True
    ):
        assert low < model < high
    # The standard error of a mean of independent cases.
    benefit = np.where(labels[::rows] == 1, 1.0, -0.25) * (chances[::rows] >= 0.2)
    half = (shared["high"][19] - shared["low"][19]) / 2
    assert half / 2.001 == pytest.approx(benefit.std(ddof=1) / np.sqrt(60), rel=0.06)


def test_where_nobody_varies_or_patients_are_few_there_is_no_interval():
    labels = np.arange(40) % 2
    found = decision_curve(labels, np.full(40, 0.3))
    assert found["low"][40] is None and found["high"][40] is None and found["low"][10] < found["high"][10]
    few = decision_curve(labels, np.full(40, 0.3), np.arange(40) % 8)
    assert "low" not in few and few["interval"] == "none: too few patients to resample"


def test_no_interval_where_few_patients_with_the_event_are_called_positive():
    """Two rows of each patient: rows do not count as patients."""
    chances = np.concatenate([np.linspace(0.105, 0.705, 13), np.linspace(0.01, 0.6, 60)]).repeat(2)
    labels = np.repeat([1, 0], [13, 60]).repeat(2)
    patients = np.arange(73).repeat(2)
    found = decision_curve(labels, chances, patients)
    # Probabilities .105, .155, …: the ten largest reach .25.
    assert found["reliable_to"] == pytest.approx(0.25)
    assert found["fewest_true_positives"] == 10
    assert found["low"][24] < found["model"][24] < found["high"][24]
    assert found["low"][25] is None and found["high"][25] is None
    nine = decision_curve(labels[8:], chances[8:], patients[8:])
    assert nine["reliable_to"] is None and "low" not in nine
    assert nine["interval"] == "none: fewer than 10 patients with the event are detected"
