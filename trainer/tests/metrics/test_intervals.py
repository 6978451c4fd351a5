"""95 % intervals: the method, its formula, the resampled units, and cases without an interval."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit, logit

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.intervals import bootstrap, intervals
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.multilabel import MultilabelOutcome
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.roc_area import area_interval, newcombe
from medloom_trainer.metrics.statistics.wilson import clustered_wilson, wilson


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


def test_rows_of_patients_that_balance_each_other_are_not_worth_more_than_rows():
    patients = np.repeat(np.arange(20), 2)
    success = np.tile([True, False], 20)
    success[:2] = True  # one patient of twenty differs: nearly no variance between patients
    found = clustered_wilson(success, np.ones(40, dtype=bool), Clusters.from_patients(patients, 40))
    assert found == pytest.approx(wilson(21, 40, t_quantile(19)))


@pytest.mark.parametrize("few", [True, False])
def test_a_label_that_some_cases_lack_has_the_methods_of_a_complete_one_on_the_others(few):
    generator = np.random.default_rng(5)
    size, events = (60, 12) if few else (200, 80)
    labels = np.stack([np.arange(size) < events, generator.permutation(size) < events], axis=1).astype(int)
    scores = generator.random((size, 2))
    missing = labels.copy()
    missing[0, 0] = -1
    patients = generator.permutation(size)
    outcome = MultilabelOutcome(missing, scores, [0.5, 0.5], ("a", "b"))
    found = measure(outcome, patients)
    rest = measure(BinaryOutcome(labels[1:, 0], scores[1:, 0], 0.5), patients[1:])
    assert found["auc[0]"] == rest["auc"] and found["brier[0]"] == rest["brier"]
    assert found["auc[0]"]["method"] == ("Newcombe" if few else "DeLong, logit scale")
    complete = measure(MultilabelOutcome(labels, scores, [0.5, 0.5], ("a", "b")), patients)
    assert found["auc[1]"] == complete["auc[1]"]


def test_a_label_of_few_patients_has_no_resampled_interval():
    labels = np.full((40, 2), -1)
    labels[:, 1], labels[:8, 0] = np.arange(40) % 2, np.arange(8) % 2
    scores = np.random.default_rng(0).random((40, 2))
    found = measure(MultilabelOutcome(labels, scores, [0.5, 0.5], ("a", "b")))
    assert found["brier[0]"]["reason"] == "too few patients to resample"
    assert found["brier[1]"]["reason"] is None and found["auc[0]"]["method"] == "Newcombe"


def test_delong_equals_its_definition_pair_by_pair_on_the_logit_scale():
    outcome = binary()
    positive, negative = (outcome.probability[outcome.labels == k] for k in (1, 0))
    wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    parts = [wins.mean(axis=1).var(ddof=1) / len(positive), wins.mean(axis=0).var(ddof=1) / len(negative)]
    area, variance = wins.mean(), sum(parts)
    degrees = variance**2 / (parts[0] ** 2 / (len(positive) - 1) + parts[1] ** 2 / (len(negative) - 1))
    half = stats.t.ppf(0.975, degrees) * np.sqrt(variance) / (area * (1 - area))
    method, *bounds = area_interval(outcome.ranked, Clusters.from_patients(None, outcome.size))
    assert method == "DeLong, logit scale"
    assert bounds == pytest.approx(expit([logit(area) - half, logit(area) + half]), abs=1e-12)


@pytest.mark.parametrize("negatives", [40, 8])
def test_a_perfect_area_has_a_bound_that_tightens_with_the_cases(negatives):
    def bound(positives):
        labels = [0] * negatives + [1] * positives
        return area_interval(
            RankedScores.from_scores(labels, np.arange(len(labels))),
            Clusters.from_patients(None, len(labels)),
        )

    few, more = bound(8), bound(40)
    assert few.method == more.method == "Newcombe"
    assert few.high == more.high == 1.0
    assert 0.6 < few.low < more.low < 0.99
    reversed_ = area_interval(
        RankedScores.from_scores([1] * 8 + [0] * negatives, np.arange(8 + negatives)),
        Clusters.from_patients(None, 8 + negatives),
    )
    assert reversed_.low == 0.0 and reversed_.high == pytest.approx(1 - few.low, abs=1e-6)


def test_newcombes_bounds_are_one_standard_error_times_z_away_from_the_estimate():
    for area in (0.5, 0.8, 0.99):
        for bound in newcombe(area, 12, 30):
            shared = (21 - 1) * ((1 - bound) / (2 - bound) + bound / (1 + bound))
            error = np.sqrt(bound * (1 - bound) * (1 + shared) / (12 * 30))
            assert abs(bound - area) == pytest.approx(1.959964 * error, rel=1e-6)


def test_one_patient_of_a_class_gives_no_interval():
    assert (
        area_interval(
            RankedScores.from_scores([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4]), Clusters.from_patients(None, 4)
        )
        is None
    )


def test_with_one_row_per_patient_the_methods_are_analytic():
    found = measure(binary(), np.arange(120))
    assert {name for name, one in found.items() if one["method"] == "Wilson"} == {
        "accuracy", "prevalence", "sensitivity", "specificity", "ppv", "npv",
    }  # fmt: skip
    assert found["auc"]["method"] == "DeLong, logit scale"
    assert found["f1_score"]["method"] == "Wilson of the overlap"
    assert found["balanced_accuracy"]["method"] == "Wilson, combined (MOVER)"
    assert found["calibration_slope"]["method"] == "logistic likelihood"
    assert found["brier"]["method"] == "patient bootstrap-t, 1,000 replicates, log scale"
    assert found == measure(binary(), None)


def test_every_interval_but_that_of_ece_contains_its_estimate():
    for patients in (None, np.arange(120) // 2):
        for name, one in measure(binary(), patients).items():
            if name == "ece":
                assert one["low"] is None and "biased upward" in one["reason"]
            else:
                assert one["low"] < one["estimate"] < one["high"], name


def test_the_slope_of_the_calibration_line_has_the_standard_error_of_its_likelihood():
    outcome = binary(400)
    inside = (outcome.probability > 0) & (outcome.probability < 1)
    outcome = BinaryOutcome(outcome.labels[inside], outcome.probability[inside], 0.5)
    logits, found = logit(outcome.probability), measure(outcome)
    slope = found["calibration_slope"]["estimate"]

    def log_likelihood(tried):
        level = brentq(lambda a: (outcome.labels - expit(a + tried * logits)).sum(), -20, 20)
        probability = expit(level + tried * logits)
        return np.log(np.where(outcome.labels == 1, probability, 1 - probability)).sum()

    step = 1e-3
    beside = [log_likelihood(slope + k * step) for k in (-1, 0, 1)]
    half = 1.959964 * step / np.sqrt(2 * beside[1] - beside[0] - beside[2])
    assert found["calibration_slope"]["high"] - slope == pytest.approx(half, rel=1e-3)


@pytest.mark.slow
def test_the_intercept_has_a_standard_error_that_does_not_believe_in_a_slope_of_one():
    """Compared with many samples of a model whose true slope is 0.5."""

    def sample(seed):
        generator = np.random.default_rng(seed)
        logits = generator.normal(0, 3, 300)
        labels = (generator.random(300) < expit(0.5 * logits)).astype(int)
        return BinaryOutcome(labels, expit(logits), 0.5)

    found = [
        measure(sample(seed), names=["calibration_intercept"])["calibration_intercept"] for seed in range(200)
    ]
    spread = np.std([one["estimate"] for one in found], ddof=1)
    told = np.mean([(one["high"] - one["low"]) / (2 * 1.959964) for one in found])
    assert told == pytest.approx(spread, rel=0.1)


@pytest.mark.parametrize("name, power", [("mae", 1), ("rmse", 2)])
def test_bootstrap_t_equals_its_definition_draw_by_draw(name, power):
    generator = np.random.default_rng(3)
    truth, patients = generator.normal(size=60), np.arange(60) // 3
    outcome = RegressionOutcome(truth, truth + generator.exponential(size=60))
    losses = np.abs(outcome.error) ** power

    def moments(members):
        """Mean, and standard error between patients."""
        rows = [losses[patients == member] for member in members]
        mean = np.concatenate(rows).mean()
        scores = np.array([(part - mean).sum() for part in rows])
        return mean, np.sqrt((scores**2).sum() * 20 / 19) / 60

    mean, error = moments(range(20))
    draws = np.random.default_rng(0).integers(20, size=(1000, 20))
    pivots = [np.log(m / mean) / (e / m) for m, e in map(moments, draws)]
    bounds = mean * np.exp(-np.quantile(pivots, [0.975, 0.025]) * error / mean)
    found = measure(outcome, patients)[name]
    assert (found["low"], found["high"]) == pytest.approx(tuple(bounds ** (1 / power)), rel=1e-9)


@pytest.fixture(scope="module")
def ten_rows_each():
    """Intervals of 60 patients: with one row each, with ten equal rows each, and with the rows as
    patients."""
    few = binary(60)
    many = BinaryOutcome(few.labels.repeat(10), few.probability.repeat(10), 0.5)
    return measure(few), measure(many, np.arange(60).repeat(10), seed=1), measure(many, None, seed=1)


@pytest.mark.parametrize("name", ["accuracy", "sensitivity", "auc", "f1_score", "calibration_slope", "brier"])
def test_ten_identical_rows_of_a_patient_are_worth_one(ten_rows_each, name):
    alone, by_patient, by_row = (found[name]["high"] - found[name]["low"] for found in ten_rows_each)
    assert by_patient == pytest.approx(alone, rel=0.08)
    assert by_row < alone / 2.5


def test_patient_numbers_may_be_any():
    outcome = binary()
    assert measure(outcome, np.arange(120) // 2) == measure(outcome, np.arange(120) // 2 * 7 + 1000)


def test_the_same_seed_draws_the_same_and_another_draws_another():
    draws = [bootstrap(binary(), Clusters.from_patients(None, 120), 50, seed)["brier"] for seed in (1, 1, 2)]
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])


def test_what_is_held_at_once_does_not_change_the_draws(monkeypatch):
    whole = bootstrap(binary(), Clusters.from_patients(None, 120), 50, 1)["auc"]
    monkeypatch.setattr("medloom_trainer.metrics.statistics.resampling._HELD", 7 * 120)
    assert np.allclose(
        bootstrap(binary(), Clusters.from_patients(None, 120), 50, 1)["auc"], whole, atol=1e-12
    )


def test_replicates_equal_measuring_the_drawn_rows():
    outcome = binary(30)
    patients = np.arange(30) // 2
    drawn = np.random.default_rng(5).integers(15, size=(4, 15))
    found = bootstrap(outcome, Clusters.from_patients(patients, 30), 4, 5)
    for replicate, members in enumerate(drawn):
        rows = np.concatenate([np.flatnonzero(patients == member) for member in members])
        values, _ = estimate(BinaryOutcome(outcome.labels[rows], outcome.probability[rows], 0.5))
        for name in ("auc", "auprc", "f1_score", "log_loss", "calibration_slope"):
            assert found[name][replicate] == pytest.approx(values[name], abs=1e-9), name


def test_a_large_table_gets_fewer_replicates(monkeypatch):
    monkeypatch.setattr("medloom_trainer.metrics.intervals.MANY_ROWS", 100)
    found = measure(binary(), np.arange(120) // 2)
    assert found["brier"]["method"] == "patient bootstrap-t, 500 replicates, log scale"


def test_an_undefined_metric_has_an_interval_of_nulls_with_its_reason():
    outcome = BinaryOutcome(np.ones(30, int), np.linspace(0.1, 0.9, 30), 0.5)
    found = measure(outcome)["auc"]
    assert (found["estimate"], found["low"], found["high"]) == (None, None, None)
    assert "no negative cases" in found["reason"]


def test_too_few_patients_are_not_resampled():
    found = measure(binary(40), np.arange(40) % 9)
    for name in ("brier", "auprc", "log_loss"):
        assert (found[name]["low"], found[name]["reason"]) == (None, "too few patients to resample")


def test_certainty_is_not_claimed_where_nothing_varies():
    outcome = BinaryOutcome([0, 1] * 20, [0.2, 0.8] * 20, 0.5)
    found = measure(outcome)
    assert found["auc"]["low"] < 0.95 and found["auc"]["high"] == 1
    assert found["f1_score"]["low"] < 0.95 and found["f1_score"]["high"] == 1
    assert found["brier"]["low"] is None and found["brier"]["reason"] == "no spread between replicates"
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


def test_what_was_simulated_to_be_too_small_is_said_beside_the_interval():
    clustered = measure(binary(140), np.arange(140) % 9)
    assert {one["caution"] for one in clustered.values() if one["low"] is not None} == {"only 9 patients"}
    rare = BinaryOutcome(np.arange(108) % 13 == 4, np.linspace(0.9, 0.1, 108), 0.5)
    found = measure(rare)
    assert found["auprc"]["caution"] == "only 8 patients of a class"
    assert found["auc"]["caution"] is None
    assert {one["caution"] for one in measure(binary(300)).values()} == {None}
    truth = np.random.default_rng(0).normal(size=(2, 20))
    small = measure(RegressionOutcome(*truth))
    assert small["loa_low"]["caution"] == "only 20 patients" and small["bias"]["caution"] is None


def test_one_patient_is_counted_in_the_singular():
    assert phrase("few_of_a_class", count=1) == "only 1 patient of a class"
    assert phrase("few_patients", count=2) == "only 2 patients"


def test_a_rare_class_is_a_caution_for_its_own_metrics_and_the_averages_alone():
    labels = np.repeat([0, 1, 2], [60, 60, 3])
    generator = np.random.default_rng(0)
    probabilities = (generator.dirichlet(np.ones(3), 123) + np.eye(3)[labels] / 4) / 1.25
    found = measure(MulticlassOutcome(labels, probabilities, ("a", "b", "rare")))
    few = "only 3 patients of a class"
    assert {found[f"sensitivity[{k}]"]["caution"] for k in (0, 1)} == {None}
    assert [found[name]["caution"] for name in ("auc", "f1_score", "sensitivity[2]", "specificity[2]")] == [
        few
    ] * 4
