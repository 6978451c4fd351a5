"""The rows of a patient become one prediction."""

import numpy as np
import pytest

from medloom_trainer.metrics.patients import aggregate, labels_agree, patient_labels
from medloom_trainer.metrics.statistics.clusters import Clusters

PATIENTS = np.array([7, 7, 3, 5, 5, 5])
CLUSTERS = Clusters.from_patients(PATIENTS, 6)  # in the order 3, 5, 7


def test_the_mean_is_taken_of_every_patient_whether_its_rows_agree_or_not():
    labels = np.array([1, 1, 0, 0, 1, 0])
    positive = np.array([0.2, 0.6, 0.3, 0.1, 0.9, 0.2])
    found = aggregate("mean", "any", labels, np.stack([1 - positive, positive], axis=1), CLUSTERS)
    assert found.labels.tolist() == [0, 1, 1]
    assert found.predictions == pytest.approx(np.array([[0.7, 0.3], [0.6, 0.4], [0.6, 0.4]]))
    assert labels_agree(labels, CLUSTERS).tolist() == [True, False, True]


def test_the_maximum_makes_a_patient_positive_with_any_row():
    labels = np.array([1, 1, 0, 0, 1, 0])
    positive = np.array([0.2, 0.6, 0.3, 0.1, 0.9, 0.2])
    found = aggregate("max", "any", labels, np.stack([1 - positive, positive], axis=1), CLUSTERS)
    assert found.labels.tolist() == [0, 1, 1]
    assert found.predictions[:, 1] == pytest.approx([0.3, 0.9, 0.6])
    assert found.predictions.sum(axis=1) == pytest.approx(np.ones(3))


def test_numbers_and_several_classes_have_means():
    truth = np.array([4.0, 4.0, 1.0, 2.0, 2.0, 2.5])
    found = aggregate("mean", "mean", truth, np.array([3.0, 5.0, 2.0, 1, 1, 1]), CLUSTERS)
    assert found.labels == pytest.approx([1.0, 6.5 / 3, 4.0])
    assert found.predictions.tolist() == [2.0, 1.0, 4.0]
    probabilities = np.eye(3)[[0, 1, 2, 0, 0, 1]]
    found = aggregate("mean", "majority", np.array([2, 2, 0, 1, 1, 1]), probabilities, CLUSTERS)
    assert found.predictions == pytest.approx(np.array([[0, 0, 1], [2 / 3, 1 / 3, 0], [0.5, 0.5, 0]]))


def test_the_label_of_a_patient_is_the_most_frequent_class_and_of_equal_ones_the_rarer():
    clusters = Clusters.from_patients(np.array([0, 0, 0, 1, 1, 2, 2, 3]), 8)
    # The second patient has a row of class 0, which has five rows in total, and one of class 1, which has
    # one.
    labels = np.array([2, 2, 0, 0, 1, 0, 0, 0])
    assert patient_labels("majority", labels, clusters).tolist() == [2, 1, 0, 0]
