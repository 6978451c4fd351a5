"""Two models on the same cases: the tests by their definitions, and undefined values."""

import numpy as np
import pytest
from scipy import stats

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.differences import PairedDifferences
from medloom_trainer.metrics.intervals import bootstrap
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.pooled import CaseSet, SharedDraws
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.holm import holm
from medloom_trainer.metrics.statistics.mcnemar import mcnemar


def two_models(size=90, seed=0, classes=2):
    generator = np.random.default_rng(seed)
    labels = np.arange(size) % classes
    return labels, [np.round(labels * skill + generator.normal(size=size), 1) for skill in (1.5, 0.8)]


def binary(size=90, seed=0):
    labels, scores = two_models(size, seed)
    return [BinaryOutcome(labels, 1 / (1 + np.exp(-score)), 0.5) for score in scores]


def test_the_difference_of_areas_equals_delongs_definition_pair_by_pair():
    outcomes = binary()
    wins = []
    for outcome in outcomes:
        positive, negative = (outcome.probability[outcome.labels == k] for k in (1, 0))
        wins.append((positive[:, None] > negative) + 0.5 * (positive[:, None] == negative))
    gain = wins[0].mean() - wins[1].mean()
    by_positive, by_negative = (
        np.cov([one.mean(axis=axis) for one in wins]) / wins[0].shape[1 - axis] for axis in (1, 0)
    )
    covariance = by_positive + by_negative
    error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    found = PairedDifferences(outcomes, None).between(0, 1)["auc"]
    assert found["test"] == "DeLong, paired"
    expected = (gain, *stats.norm.interval(0.95, gain, error), 2 * stats.norm.sf(abs(gain) / error))
    assert [found[key] for key in ("estimate", "low", "high", "p")] == pytest.approx(expected, abs=1e-9)


def test_rows_of_patients_and_few_cases_of_a_class_are_resampled_instead():
    patients = np.repeat(np.arange(45), 2)
    for outcomes, of in ((binary(), patients), (binary(30), None)):
        assert (
            PairedDifferences(outcomes, of)
            .between(0, 1)["auc"]["test"]
            .startswith("paired patient bootstrap")
        )


@pytest.mark.parametrize(("positives", "compared"), [(4, False), (5, True)])
def test_few_patients_of_a_class_tell_no_two_models_apart(positives, compared):
    """For any metric of classes, on one set of cases or pooled over several; means over all cases are still
    compared.
    """
    labels = (np.arange(90) < positives).astype(int)
    _, scores = two_models()
    outcomes = [BinaryOutcome(labels, 1 / (1 + np.exp(-score)), 0.5) for score in scores]
    draws = SharedDraws(90, 90, replicates=50)
    sets = [[draws.resample(CaseSet(outcome, np.arange(90)))] for outcome in outcomes]
    for name in ("auc", "auprc", "balanced_accuracy"):
        found = PairedDifferences(outcomes, None, replicates=50).between(0, 1)[name]
        pooled = draws.difference(name, *sets)
        assert found["estimate"] is not None
        assert pooled.estimate is not None
        assert (found["p"] is not None, pooled.p is not None) == (compared, compared)
        for reason in (found["reason"], pooled.note):
            assert reason is None if compared else reason.startswith("too few patients to compare")
    assert PairedDifferences(outcomes, None, replicates=50).between(0, 1)["brier"]["p"] is not None
    assert draws.difference("brier", *sets).p is not None


def test_the_difference_of_roots_is_linear_in_the_means_under_them():
    """A case with a large error changes both roots, but their difference only in its own part."""
    generator = np.random.default_rng(0)
    truth = np.exp(generator.normal(size=60))
    outcomes = [RegressionOutcome(truth, truth * np.exp(0.5 * generator.normal(size=60))) for _ in range(2)]
    found = PairedDifferences(outcomes, None, seed=3).between(0, 1)["rmse"]
    clusters = Clusters.from_patients(None, 60)
    first, second = (bootstrap(one, clusters, 2000, 3)["rmse"] for one in outcomes)
    roots = [np.sqrt(np.mean(one.error**2)) for one in outcomes]
    error = ((first**2 - second**2) / sum(roots)).std(ddof=1) * np.sqrt(60 / 59)
    expected = (roots[0] - roots[1], *stats.t.interval(0.95, 59, roots[0] - roots[1], error))
    assert [found[key] for key in ("estimate", "low", "high")] == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
def test_the_bootstrap_draws_the_same_patients_for_both_models():
    outcomes, patients = binary(), np.repeat(np.arange(45), 2)
    found = PairedDifferences(outcomes, patients, seed=3).between(0, 1)["brier"]
    clusters = Clusters.from_patients(patients, 90)
    first, second = (bootstrap(one, clusters, 2000, 3)["brier"] for one in outcomes)
    error = (first - second).std(ddof=1) * np.sqrt(45 / 44)
    value = np.mean([(one.probability - one.labels) ** 2 for one in outcomes], axis=1) @ [1, -1]
    expected = (*stats.t.interval(0.95, 44, value, error), 2 * stats.t.sf(abs(value) / error, 44))
    assert (found["low"], found["high"], found["p"]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("counts", [(0, 0), (5, 0), (3, 12), (40, 31)])
def test_mcnemar_equals_the_binomial_test(counts):
    expected = stats.binomtest(counts[0], sum(counts)).pvalue if sum(counts) else 1.0
    assert mcnemar(*counts) == pytest.approx(expected, abs=1e-12)


def test_accuracy_over_independent_rows_has_mcnemars_test_and_the_four_counts():
    outcomes = binary()
    right = [outcome.predicted == outcome.labels for outcome in outcomes]
    agreement = PairedDifferences(outcomes, None).agreement(0, 1)
    assert agreement == (
        (right[0] & right[1]).sum(),
        (right[0] & ~right[1]).sum(),
        (~right[0] & right[1]).sum(),
        (~right[0] & ~right[1]).sum(),
    )
    independent = PairedDifferences(outcomes, None).between(0, 1)["accuracy"]
    assert independent["test"] == "McNemar, exact"
    assert independent["p"] == mcnemar(agreement.only_first, agreement.only_second)
    of_patients = PairedDifferences(outcomes, np.repeat(np.arange(45), 2)).between(0, 1)["accuracy"]
    assert of_patients["test"].startswith("paired patient bootstrap")


def test_a_model_does_not_differ_from_itself():
    one = binary()[0]
    for patients in (None, np.repeat(np.arange(45), 2)):
        for name, found in PairedDifferences([one, one], patients).between(0, 1).items():
            assert found["estimate"] == 0
            if name != "ece":
                assert (found["low"], found["high"], found["p"]) == (0, 0, 1)


def test_what_is_undefined_has_a_reason_and_no_number():
    one_class = [BinaryOutcome([1] * 30, np.linspace(0.1, 0.9, 30), 0.5) for _ in range(2)]
    found = PairedDifferences(one_class, None).between(0, 1)
    assert found["auc"]["reason"] == "only one class: no negative cases" and found["auc"]["estimate"] is None
    assert found["ece"]["estimate"] == 0 and found["ece"]["low"] is None
    few = PairedDifferences(binary(8), None).between(0, 1)["accuracy"]
    assert few["reason"].startswith("too few patients to compare: fewer than") and few["low"] is None


def test_several_classes_and_numbers_are_compared_too():
    labels, scores = two_models(90, classes=3)
    chances = [np.exp(-((np.arange(3) - score[:, None]) ** 2)) for score in scores]
    outcomes = [
        MulticlassOutcome(labels, one / one.sum(axis=1, keepdims=True), ("a", "b", "c")) for one in chances
    ]
    found = PairedDifferences(outcomes, None).between(0, 1)
    assert found["auc"]["low"] < found["auc"]["estimate"] < found["auc"]["high"]
    assert not any(name.endswith("]") for name in found)
    numbers = [RegressionOutcome(labels + 0.1 * np.arange(90), score) for score in scores]
    differences = PairedDifferences(numbers, None)
    assert differences.between(0, 1)["mae"]["p"] is not None and differences.agreement(0, 1) is None


def test_holm_multiplies_by_the_hypotheses_that_are_left():
    # Holm (1979): the smallest p times all, the next times one less, never below the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-12)
    assert holm([0.9, 0.8]) == [1.0, 1.0] and holm([]) == []


@pytest.mark.slow
@pytest.mark.parametrize("studies", [80, pytest.param(300, marks=pytest.mark.full)])
def test_the_interval_of_a_difference_holds_no_difference_as_often_as_it_says(studies):
    held = {"auc": 0, "brier": 0}
    for seed in range(studies):
        generator = np.random.default_rng(seed)
        labels = np.arange(80) % 2
        shared = generator.normal(size=80)
        logits = labels * 1.2 + shared + generator.normal(size=(2, 80)) * 0.6
        outcomes = [BinaryOutcome(labels, 1 / (1 + np.exp(-row)), 0.5) for row in logits]
        found = PairedDifferences(outcomes, None, seed=seed, replicates=200).between(0, 1)
        for name in held:
            held[name] += found[name]["low"] <= 0 <= found[name]["high"]
    # Two Monte-Carlo errors around 95 %.
    error = np.sqrt(0.95 * 0.05 / studies)
    assert all(abs(count / studies - 0.95) <= 2 * error for count in held.values()), held
