"""Conformal sets reach their coverage, also if patients have several rows."""

import numpy as np
import pytest
from scipy.special import softmax

from medloom_trainer.metrics.conformal import (
    class_scores,
    class_sets,
    conformal_quantile,
    patients_needed,
)
from medloom_trainer.metrics.statistics.clusters import Clusters


def alone(count):
    return Clusters.from_patients(None, count)


@pytest.mark.parametrize(("count", "alpha"), [(9, 0.1), (20, 0.1), (57, 0.05), (101, 0.3)])
def test_with_one_row_each_it_is_the_usual_quantile(count, alpha):
    scores = np.random.default_rng(count).random(count)
    rank = int(np.ceil(round((count + 1) * (1 - alpha), 9)))
    assert conformal_quantile(scores, alone(count), alpha) == np.sort(scores)[rank - 1]


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.05, 0.01])
def test_too_few_patients_have_no_finite_quantile(alpha):
    enough = patients_needed(alpha)
    assert np.isfinite(conformal_quantile(np.zeros(enough), alone(enough), alpha))
    assert np.isinf(conformal_quantile(np.zeros(enough - 1), alone(enough - 1), alpha))


def test_a_patient_with_many_rows_counts_once():
    scores = np.concatenate([np.arange(19) / 100, np.full(500, 0.9)])
    patients = np.concatenate([np.arange(19), np.full(500, 19)])
    assert conformal_quantile(scores, Clusters.from_patients(patients, len(scores)), 0.1) == pytest.approx(
        0.18
    )


def test_scores_by_hand():
    probabilities = np.array([[0.5, 0.2, 0.3]])
    assert class_scores(probabilities, "lac") == pytest.approx(np.array([[0.5, 0.8, 0.7]]))
    assert class_scores(probabilities, "aps") == pytest.approx(np.array([[0.5, 1.0, 0.8]]))
    assert class_sets(probabilities, "aps", 0.8).tolist() == [[True, False, True]]
    assert class_sets(probabilities, "lac", 0.4).tolist() == [[False, False, False]]


@pytest.mark.parametrize("method", ["lac", "aps"])
@pytest.mark.parametrize("rows", [1, 4])
def test_new_patients_are_covered_as_promised(method, rows):
    """Mean coverage of a row of a new patient over 400 calibrations on 60 patients, whose rows share an
    effect of the patient, for a model with incorrect certainty."""
    generator = np.random.default_rng(1)

    def draw(count):
        effect = np.repeat(generator.normal(0, 1.5, (count, 3)), rows, axis=0)
        logits = effect + generator.normal(0, 0.5, effect.shape)
        chances = softmax(logits, axis=1).cumsum(axis=1)
        labels = (generator.random((len(logits), 1)) > chances).sum(axis=1)
        return softmax(3 * logits, axis=1), labels

    covered = []
    for _ in range(400):
        probabilities, labels = draw(60)
        scores = class_scores(probabilities, method)[np.arange(len(labels)), labels]
        quantile = conformal_quantile(
            scores, Clusters.from_patients(np.arange(60).repeat(rows), len(labels)), 0.1
        )
        new, truth = draw(50)
        covered.append(class_sets(new, method, quantile)[np.arange(len(truth)), truth].mean())
    # 20,000 patients: a standard error of about 0.003; a finite sample is above by at most 1 / 61.
    assert 0.9 - 0.009 < np.mean(covered) < 0.9 + 1 / 61 + 0.009


def test_intervals_of_numbers_are_covered_as_promised():
    generator = np.random.default_rng(2)
    errors = np.abs(generator.standard_t(3, (2000, 40)))
    quantiles = np.array([conformal_quantile(one, alone(40), 0.1) for one in errors])
    new = np.abs(generator.standard_t(3, (2000, 20)))
    assert 0.9 - 0.006 < (new <= quantiles[:, None]).mean() < 0.9 + 1 / 41 + 0.006
