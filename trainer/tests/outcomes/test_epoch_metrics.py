"""Validation results of an epoch: names, per-sample loss, and reasons."""

import json

import numpy as np
import pytest

from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.epoch_metrics import epoch_metrics
from medloom_trainer.outcomes.regression import Regression

TWO_CLASSES, THREE_CLASSES = Classification(("a", "b")), Classification(("a", "b", "c"))
NUMBER = Regression(mean=0, std=1)
THREE = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6], [0.5, 0.3, 0.2]])


def test_binary():
    probability = np.array([0.2, 0.6, 0.4, 0.9])
    predictions = np.stack([1 - probability, probability], axis=1)
    metrics, notes = epoch_metrics(TWO_CLASSES, [0, 0, 1, 1], predictions, [1.0, 2.0, 3.0, 4.0])
    assert metrics == {
        "val_loss": 2.5,
        "val_accuracy": 0.5,
        "val_auc": 0.75,
        "val_balanced_accuracy": 0.5,
        "val_f1": 0.5,
    }
    assert notes == {}


def test_more_classes():
    metrics, notes = epoch_metrics(THREE_CLASSES, [0, 1, 2, 1], THREE, np.ones(4))
    assert metrics["val_accuracy"] == 0.75 and notes == {}
    assert set(metrics) == {"val_loss", "val_accuracy", "val_auc", "val_balanced_accuracy", "val_f1"}


def test_regression_has_no_accuracy_and_says_so():
    metrics, notes = epoch_metrics(NUMBER, [1.0, 2.0, 4.0], [1.0, 2.0, 3.0], [0.0, 0.0, 1.0])
    assert metrics["val_accuracy"] is None and metrics["val_auc"] is None
    assert metrics["val_mae"] == pytest.approx(1 / 3) and metrics["val_rmse"] == pytest.approx(3**-0.5)
    assert metrics["val_r2"] == pytest.approx(1 - 1 / (42 / 9))
    assert set(notes) == {"val_accuracy", "val_auc"}


def test_one_class_has_no_area():
    metrics, notes = epoch_metrics(TWO_CLASSES, [1, 1], [[0.3, 0.7], [0.6, 0.4]], [1, 1])
    assert metrics["val_auc"] is None and metrics["val_accuracy"] == 0.5
    assert "no negative cases" in notes["val_auc"]


@pytest.mark.parametrize(
    "kind, labels, predictions, losses",
    [
        (TWO_CLASSES, [0, 1], [[np.nan, np.nan], [0.5, 0.5]], [np.nan, 1.0]),
        (NUMBER, [0.0, 1.0], [np.inf, 0.0], [np.inf, 1.0]),
        (TWO_CLASSES, np.zeros(0, int), np.zeros((0, 2)), []),
        (THREE_CLASSES, np.zeros(0, int), np.zeros((0, 3)), []),
        (NUMBER, np.zeros(0), np.zeros(0), []),
    ],
)
def test_what_is_not_finite_is_null_with_a_reason(kind, labels, predictions, losses):
    metrics, notes = epoch_metrics(kind, labels, predictions, losses)
    assert set(metrics.values()) == {None}
    assert notes.keys() == metrics.keys()
    json.dumps(metrics, allow_nan=False)
