"""95 % intervals: the method, its formula, who is resampled, and when there is none."""

import numpy as np
import pytest
from scipy import stats

from medloom_trainer.evaluation.metrics.binary import BinaryOutcome
from medloom_trainer.evaluation.metrics.intervals import bootstrap, delong, intervals
from medloom_trainer.evaluation.metrics.multiclass import MulticlassOutcome
from medloom_trainer.evaluation.metrics.outcome import estimate
from medloom_trainer.evaluation.metrics.regression import RegressionOutcome
from medloom_trainer.evaluation.metrics.statistics.ranking import RankedScores
from medloom_trainer.evaluation.metrics.statistics.wilson import wilson


def binary(size=120, seed=0):
    generator = np.random.default_rng(seed)
    probability = generator.integers(0, 40, size) / 40
    return BinaryOutcome((generator.random(size) < probability).astype(int), probability, 0.5)


def measure(outcome, patients=None, **options):
    return intervals(outcome, *estimate(outcome), patients, **options)


@pytest.mark.parametrize("successes, trials", [(0, 10), (1, 7), (5, 10), (30, 31), (12, 12)])
def test_wilson_equals_scipy(successes, trials):
    expected = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    assert wilson(successes, trials) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_delong_equals_its_definition_pair_by_pair():
    outcome = binary()
    positive, negative = (outcome.probability[outcome.labels == k] for k in (1, 0))
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    variance = wins.mean(axis=1).var(ddof=1) / len(positive) + wins.mean(axis=0).var(ddof=1) / len(negative)
    half = stats.norm.ppf(0.975) * np.sqrt(variance)
    assert delong(outcome.ranked) == pytest.approx((wins.mean() - half, wins.mean() + half), abs=1e-12)


@pytest.mark.parametrize("labels", [[0, 0, 1, 1], [0, 0, 0, 1]], ids=["no spread", "one positive"])
def test_delong_gives_no_interval_that_it_cannot_estimate(labels):
    assert delong(RankedScores.of(labels, [0.1, 0.2, 0.3, 0.4])) is None


def test_with_one_row_per_patient_proportions_are_wilson_and_the_area_is_delong():
    found = measure(binary(), np.arange(120))
    assert {name for name, one in found.items() if one["method"] == "Wilson"} == {
        "accuracy", "prevalence", "sensitivity", "specificity", "ppv", "npv",
    }  # fmt: skip
    assert found["auc"]["method"] == "DeLong"
    assert found["f1_score"]["method"].startswith("patient bootstrap")
    assert found == measure(binary(), None)


def test_with_several_rows_per_patient_everything_is_a_bootstrap_over_patients():
    found = measure(binary(), np.arange(120) // 2)
    assert {one["method"] for one in found.values()} == {"patient bootstrap, 2000 replicates"}
    for one in found.values():
        assert one["low"] < one["estimate"] < one["high"] or one is found["ece"]


def test_the_unit_that_is_drawn_is_the_patient():
    """Ten identical rows per patient are worth one: the interval is as wide as with one."""
    few = binary(40)
    many = BinaryOutcome(few.labels.repeat(10), few.probability.repeat(10), 0.5)
    by_patient = measure(many, np.arange(40).repeat(10), seed=1)["brier"]
    by_row = measure(many, None, seed=1)["brier"]
    alone = measure(few, None, seed=1)["brier"]
    assert by_patient["low"] == pytest.approx(alone["low"])
    assert by_patient["high"] == pytest.approx(alone["high"])
    assert by_row["high"] - by_row["low"] < (alone["high"] - alone["low"]) / 2.5


def test_patient_numbers_may_be_any():
    outcome = binary()
    assert measure(outcome, np.arange(120) // 2) == measure(outcome, np.arange(120) // 2 * 7 + 1000)


def test_the_same_seed_draws_the_same_and_another_draws_another():
    draws = [bootstrap(binary(), np.arange(120), 50, seed)["brier"] for seed in (1, 1, 2)]
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])


def test_what_is_held_at_once_does_not_change_the_draws(monkeypatch):
    whole = bootstrap(binary(), np.arange(120), 50, 1)["auc"]
    monkeypatch.setattr("medloom_trainer.evaluation.metrics.intervals.CHUNK", 7 * 120)
    assert np.allclose(bootstrap(binary(), np.arange(120), 50, 1)["auc"], whole, atol=1e-12)


def test_replicates_equal_measuring_the_drawn_rows():
    outcome = binary(30)
    patients = np.arange(30) // 2
    drawn = np.random.default_rng(5).integers(15, size=(4, 15))
    found = bootstrap(outcome, patients, 4, 5)
    for replicate, members in enumerate(drawn):
        rows = np.concatenate([np.flatnonzero(patients == member) for member in members])
        values, _ = estimate(BinaryOutcome(outcome.labels[rows], outcome.probability[rows], 0.5))
        for name in ("auc", "auprc", "f1_score", "log_loss", "calibration_slope"):
            assert found[name][replicate] == pytest.approx(values[name], abs=1e-9), name


def test_a_large_table_gets_a_thousand_replicates(monkeypatch):
    monkeypatch.setattr("medloom_trainer.evaluation.metrics.intervals.MANY_ROWS", 100)
    found = measure(binary(), np.arange(120) // 2)
    assert found["brier"]["method"] == "patient bootstrap, 1000 replicates"


def test_an_undefined_metric_has_an_interval_of_nulls_with_its_reason():
    outcome = BinaryOutcome(np.ones(30, int), np.linspace(0.1, 0.9, 30), 0.5)
    found = measure(outcome)["auc"]
    assert (found["estimate"], found["low"], found["high"]) == (None, None, None)
    assert "no negative cases" in found["reason"]


def test_too_few_patients_are_not_resampled():
    outcome = binary(40)
    found = measure(outcome, np.arange(40) % 9)
    assert {(one["low"], one["reason"]) for one in found.values()} == {(None, "too few patients to resample")}


def test_certainty_is_not_claimed_where_nothing_varies():
    outcome = BinaryOutcome([0, 1] * 20, [0.2, 0.8] * 20, 0.5)
    found = measure(outcome)
    assert found["auc"]["low"] is None and "variance of zero" in found["auc"]["reason"]
    assert found["f1_score"]["low"] is None and found["f1_score"]["reason"] == "no spread between replicates"
    assert found["sensitivity"]["low"] == pytest.approx(wilson(20, 20)[0])


def test_a_rare_class_leaves_an_average_without_an_interval_when_most_replicates_miss_it():
    generator = np.random.default_rng(0)
    labels = np.array([0] * 30 + [1] * 29 + [2])
    probability = generator.dirichlet(np.ones(3), 60)
    found = measure(MulticlassOutcome(labels, probability, ("a", "b", "c")), np.arange(60) // 2)
    assert found["auc"]["low"] is not None  # one patient in 30 is drawn in 64 % of the replicates
    lone = np.array([0] * 30 + [1, 2] + [0] * 28)
    found = measure(MulticlassOutcome(lone, probability, ("a", "b", "c")), None)
    assert found["auc"]["low"] is None and found["auc"]["reason"] == "undefined in most replicates"


def test_bootstrap_intervals_of_a_regression_cover_about_95_percent():
    covered = 0
    for seed in range(60):
        generator = np.random.default_rng(seed)
        outcome = RegressionOutcome(np.zeros(80) + generator.normal(size=80), generator.normal(size=80))
        found = measure(outcome, replicates=300, seed=seed)["bias"]
        covered += found["low"] <= 0 <= found["high"]
    assert covered >= 52
