"""Additional columns of single cases in predictions.csv."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss
from tests.evaluation.test_result import cases_of

from medloom_trainer.evaluation.case_columns import case_columns
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.multilabel import Multilabel
from medloom_trainer.outcomes.regression import Regression

THREE = Classification(("a", "b", "c"))


def test_the_mean_of_the_losses_is_the_log_loss():
    labels = np.array([0, 2, 1, 1])
    predictions = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8], [0.5, 0.3, 0.2], [0, 1, 0]])
    losses = case_columns(THREE, cases_of(labels), predictions)["loss"]
    assert np.mean(losses) == pytest.approx(log_loss(labels, predictions, labels=[0, 1, 2]))


def test_of_several_labels_it_is_the_mean_of_those_that_are_known():
    labels = np.array([[1, -1], [0, 1], [-1, -1]])
    predictions = np.array([[0.8, 0.5], [0.1, 0.4], [0.5, 0.5]])
    losses = case_columns(Multilabel(("x", "y")), cases_of(labels), predictions)["loss"]
    assert losses[:2] == pytest.approx([-np.log(0.8), -(np.log(0.9) + np.log(0.4)) / 2])
    assert losses[2] == ""


def test_of_a_number_it_is_the_squared_error():
    found = case_columns(Regression(mean=0, std=1), cases_of(np.array([1.0, 2.0])), np.array([1.5, 0.0]))
    assert found["loss"] == [0.25, 4.0]


def test_views_that_are_missing_and_groups_are_named():
    cases = cases_of(np.array([0, 1]), subgroups={"sex": np.array(["f", ""])})
    cases = replace(cases, slots=np.array([[4, -1, 2], [-1, -1, 1]]))
    found = case_columns(THREE, cases, np.full((2, 3), 1 / 3))
    assert found["missing_views"] == ["2", "1 2"]
    assert found["group_sex"] == ["f", "unknown"]


def test_a_table_without_images_says_nothing_of_views():
    assert list(case_columns(THREE, cases_of(np.array([0])), np.full((1, 3), 1 / 3))) == ["loss"]
