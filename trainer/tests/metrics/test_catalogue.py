"""The catalogue of metrics beside the functions that compute them: every measured metric has a row."""

import numpy as np
import pytest

from medloom_trainer.contract.metric_catalogue import METRICS, Metric, lower_is_better, metric_of
from medloom_trainer.metrics.statistics.kaplan_meier import StepCurve
from medloom_trainer.metrics.statistics.scales import scale_of
from medloom_trainer.metrics.survival import TimeGrid
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.multilabel import Multilabel
from medloom_trainer.outcomes.regression import Regression
from medloom_trainer.outcomes.survival import Survival

UNCENSORED = StepCurve(np.array([]), np.array([]), np.zeros(0))
NULL_WITHOUT_CLASSES = {"accuracy", "auc", "f1_score"}
KINDS = {
    "classification": (Classification(("a", "b")), [0, 1], np.eye(2)),
    "classes": (Classification(("a", "b", "c")), [0, 1, 2], np.eye(3)),
    "multilabel": (Multilabel(("a", "b")), np.eye(2), np.eye(2)),
    "regression": (Regression(mean=0, std=1), [0.0, 1.0], [0.0, 1.0]),
    "survival": (
        Survival(TimeGrid(np.array([1.0, 2.0]), (0.5, 1.0, 1.5), 2.0, UNCENSORED)),
        np.array([[0.5, 1.0], [1.5, 1.0]]),
        np.array([[0.5, 0.2], [0.9, 0.8]]),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_every_measured_metric_has_a_row_of_its_task_and_a_scale(name):
    kind, labels, predictions = KINDS[name]
    labels, predictions = np.asarray(labels), np.asarray(predictions, dtype=np.float64)
    outcome = kind.measured(labels, predictions, kind.threshold_or_default(None))
    for metric in outcome.measure(np.ones((1, len(labels)))):
        row = metric_of(metric)
        assert row is not None, metric
        assert kind.task in row.tasks or metric in NULL_WITHOUT_CLASSES | {"ece"}, metric
        assert scale_of(metric).low < scale_of(metric).high


def test_the_direction_of_a_new_metric_comes_from_its_row():
    pinball = Metric("pinball", "Pinball loss", ("regression",), "lower", "positive", "val_pinball")
    assert lower_is_better("val_pinball", {**METRICS, "pinball": pinball})
    with pytest.raises(KeyError, match="val_pinball"):
        lower_is_better("val_pinball")
