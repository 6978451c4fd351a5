"""Differences over folds, and sources of variance in a table."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import f_oneway, ttest_1samp

from medloom_trainer.metrics.pooled import CaseSet, SharedDraws
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.statistics.components import variance_components
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.resampled_t import (
    corrected_resampled_t,
    overlap_correction,
)


def test_without_correction_it_is_students_test_and_the_correction_widens_it_by_its_formula() -> None:
    differences = np.random.default_rng(0).normal(0.02, 0.05, 10)
    plain, corrected = corrected_resampled_t(differences, 0.0), corrected_resampled_t(differences, 1 / 9)
    student = ttest_1samp(differences, 0)
    interval = student.confidence_interval()
    assert plain is not None and corrected is not None
    assert plain.p == pytest.approx(student.pvalue, abs=1e-9)
    assert (plain.low, plain.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    # Nadeau and Bengio (2003): the variance of the mean is (1/J + n2/n1) s², not s²/J.
    wider = (corrected.high - corrected.low) / (plain.high - plain.low)
    assert wider == pytest.approx(np.sqrt((1 / 10 + 1 / 9) / (1 / 10)), abs=1e-9)


def test_the_correction_counts_pairs_of_cases_twice_where_folds_are_repeated_and_all_cases_train() -> None:
    assert overlap_correction(16, 64, 64, 1) == 16 / 64
    assert overlap_correction(16, 64, 64, 10) == pytest.approx(1.9 * 16 / 64)
    # Where cases only validate, the correction of Nadeau and Bengio is the larger one.
    assert overlap_correction(16, 51.2, 64, 2) == 16 / 51.2


def test_learners_of_noise_are_told_apart_in_at_most_one_study_of_twenty() -> None:
    """Two learners read one column each, which is not related to the class, and learn the difference of the
    class means from every case that is not held out. They are measured by what it gains in the others."""
    studies, cases, repeats, folds = 400, 40, 10, 5
    corrections = overlap_correction(8, 32, 32, repeats), 8 / 32
    found = np.zeros(2)
    for study in range(studies):
        random = np.random.default_rng(study)
        # A value of the other class counts with its sign turned.
        columns = random.normal(size=(cases, 2))
        differences = []
        for _ in range(repeats):
            for held in np.split(random.permutation(cases), folds):
                weights = columns.sum(axis=0) - columns[held].sum(axis=0)
                gains = columns[held].mean(axis=0) * weights / np.abs(weights)
                differences.append(gains[0] - gains[1])
        for index, correction in enumerate(corrections):
            result = corrected_resampled_t(np.asarray(differences), correction)
            found[index] += result is not None and result.p < 0.05
    assert found[0] / studies <= 0.05 + 1.3 * np.sqrt(0.05 * 0.95 / studies)
    assert found[1] / studies > 0.08


def test_one_fold_says_nothing_and_equal_predictions_differ_by_nothing() -> None:
    assert corrected_resampled_t(np.array([0.1]), 0.25) is None
    assert corrected_resampled_t(np.full(5, 0.1), 0.25) is None
    assert corrected_resampled_t(np.zeros(5), 0.25) == (0.0, 0.0, 0.0, 1.0)


def test_components_are_those_of_the_analysis_of_variance() -> None:
    table = np.random.default_rng(1).normal(size=(4, 1)) + np.random.default_rng(2).normal(size=(4, 6))
    found = variance_components(table)
    # After removing one factor by its means, SciPy gives the mean squares of the other.
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    rest = (residual**2).sum() / (3 * 5)
    without_columns = table - table.mean(axis=0)
    ratio = f_oneway(*without_columns).statistic  # of the rows, with (4 - 1) and 4 (6 - 1) degrees of freedom
    between = ratio * (residual**2).sum() / (4 * 5)
    assert found.rest == pytest.approx(rest, abs=1e-9)
    assert found.rows == pytest.approx((between - rest) / 6, abs=1e-9)


def test_components_are_recovered_and_what_cannot_be_told_apart_is_none() -> None:
    random = np.random.default_rng(3)
    tables = [
        random.normal(0, 1, (8, 1)) + random.normal(0, 2, (1, 12)) + random.normal(0, 0.5, (8, 12))
        for _ in range(300)
    ]
    found = np.mean([variance_components(table) for table in tables], axis=0)
    assert found == pytest.approx([1, 4, 0.25], rel=0.15)
    column = np.array([[0.1], [0.3], [0.2]])
    assert variance_components(column) == (pytest.approx(0.01), None, None)
    assert variance_components(column.T) == (None, pytest.approx(0.01), None)
    assert variance_components(column[:1]) == (None, None, None)
    assert variance_components(np.array([[0.0, 1.0], [1.0, 0.0]])).rows == 0


def discriminant(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights of Fisher's linear discriminant, with a little ridge."""
    centered = np.where(y[:, None] == 1, x - x[y == 1].mean(0), x - x[y == 0].mean(0))
    pooled = centered.T @ centered / len(y) + np.eye(x.shape[1]) / len(y)
    return np.linalg.solve(pooled, x[y == 1].mean(0) - x[y == 0].mean(0))


def area(y: np.ndarray, scores: np.ndarray) -> float:
    return float(RankedScores.from_scores(y, scores).areas(np.ones((1, len(y))))[0][0])


@pytest.mark.parametrize("studies", [100, pytest.param(400, marks=pytest.mark.full)])
def test_two_learners_that_are_as_good_are_told_apart_in_at_most_one_study_of_twenty(studies: int) -> None:
    """Each reads one half of eight equally informative columns. Student's test over the same folds, which
    counts them as independent, finds a difference far more often."""
    found, naive, folds = 0, 0, 5
    for study in range(studies):
        random = np.random.default_rng(study)
        y = np.arange(60) % 2
        x = random.normal(size=(60, 8)) + 0.45 * (y[:, None] - 0.5)
        differences = []
        for repeat in range(2):
            fold = np.random.default_rng([study, repeat]).permutation(np.arange(30) % folds).repeat(2)
            for k in range(folds):
                rest, held = fold != k, fold == k
                areas = [
                    area(y[held], x[held, side] @ discriminant(x[rest, side], y[rest]))
                    for side in (slice(0, 4), slice(4, 8))
                ]
                differences.append(areas[0] - areas[1])
        result = corrected_resampled_t(np.asarray(differences), 1 / (folds - 1))
        found += result is not None and result.p < 0.05
        naive += ttest_1samp(differences, 0).pvalue < 0.05
    assert found / studies <= 0.05 + 1.3 * np.sqrt(0.05 * 0.95 / studies)
    assert naive / studies > 0.1


@pytest.mark.slow
def test_the_interval_of_pooled_folds_holds_what_the_models_are_worth() -> None:
    """Least squares on 5 folds: the mean absolute error of the models of the study on new cases."""
    studies, cases, columns = 250, 80, 4
    inside = 0
    for study in range(studies):
        random = np.random.default_rng(study)
        x = random.normal(size=(cases, columns))
        truth = x.sum(axis=1) + 2 * random.normal(size=cases)
        fold = random.permutation(cases) % 5
        predicted, worth = np.empty(cases), []
        for k in range(5):
            weights = np.linalg.lstsq(x[fold != k], truth[fold != k], rcond=None)[0]
            predicted[fold == k] = x[fold == k] @ weights
            # The error is normal: its mean absolute value is its standard deviation times sqrt(2 / pi).
            worth.append(np.sqrt((4 + ((weights - 1) ** 2).sum()) * 2 / np.pi))
        draws = SharedDraws(cases, cases, replicates=200)
        part = CaseSet(RegressionOutcome(truth, predicted), np.arange(cases))
        bounds = draws.mean("mae", [draws.resample(part)])
        inside += bounds.low <= np.mean(worth) <= bounds.high
    assert 0.92 <= inside / studies <= 0.98


def test_the_variance_between_sets_is_added_to_that_between_patients() -> None:
    random = np.random.default_rng(0)
    truth = random.normal(size=100)
    sets = [
        CaseSet(RegressionOutcome(truth, truth + shift), np.arange(100)) for shift in (0.1, 0.2, 0.3, 0.4)
    ]
    draws = SharedDraws(100, 100)
    resampled = [draws.resample(one) for one in sets]
    mean = draws.mean("bias", resampled)
    # The bias of each set is the same for every patient: only the sets differ.
    assert mean.estimate == pytest.approx(0.25)
    student = ttest_1samp([0.1, 0.2, 0.3, 0.4], 0).confidence_interval()
    assert (mean.low, mean.high) == pytest.approx((student.low, student.high), abs=1e-9)
    few = SharedDraws(9, 9)
    part = CaseSet(RegressionOutcome(truth[:9], truth[:9] + 1), np.arange(9))
    assert few.mean("mae", [few.resample(part)]).note == "too few patients to resample"
