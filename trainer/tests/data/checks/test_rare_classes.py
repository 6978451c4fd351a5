"""Classes with very few patients in training, or with none in validation."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from medloom_trainer.data.checks.rare_classes import rare_class_warnings
from medloom_trainer.data.tables import LabelScheme

BINARY = LabelScheme(("label",), "classification", ("no", "yes"), [])
FLAGS = LabelScheme(("a", "b"), "multilabel", ("a", "b"), [])
SURVIVAL = LabelScheme(("time", "event"), "survival", None, [])


def part(labels, patients=()):
    """The fields of a split that are read."""
    cells = {"id": list(patients)} if patients else {}
    return SimpleNamespace(labels=np.asarray(labels), table=SimpleNamespace(cells=cells))


def told(train, val, scheme=BINARY, patient=None):
    found = rare_class_warnings({"train": train, "val": val}, scheme, patient)
    assert all(one["code"] == "RARE_CLASSES" for one in found)
    return [one["message"] for one in found]


def test_few_training_patients_of_a_class_and_none_of_validation_are_said():
    both = part([0] * 20 + [1])
    assert told(part([0] * 296 + [1] * 4), both) == ["classes with fewer than 5 training cases: yes (4)"]
    assert told(part([0] * 295 + [1] * 5), both) == []
    assert told(part([0] * 295 + [1] * 5), part([0] * 20)) == [
        "classes without validation cases, which validation cannot measure: yes"
    ]


def test_rows_of_one_patient_are_one():
    train = part([0] * 20 + [1] * 8, [str(row) for row in range(20)] + ["x", "y"] * 4)
    assert told(train, part([0, 1]), patient="id") == ["classes with fewer than 5 training patients: yes (2)"]


def test_each_label_counts_where_it_is_yes_and_survival_its_events():
    flags = [[1, 0]] * 10 + [[-1, 1]] * 3
    assert told(part(flags), part([[1, 1]]), FLAGS) == ["classes with fewer than 5 training cases: b (3)"]
    times = part([[1.0, 0.0]] * 9)
    assert told(part([[1.0, 1.0]]), times, SURVIVAL) == [
        "classes without validation cases, which validation cannot measure: event"
    ]
