"""Names of columns with ids in a table of predictions: each differs from the names of all other columns."""

from dataclasses import replace

import numpy as np
import pytest
from tests.evaluation.test_result import cases_of

from medloom_trainer.data.features import fit_time_grid
from medloom_trainer.evaluation.case_columns import case_columns
from medloom_trainer.evaluation.case_ids import id_columns
from medloom_trainer.evaluation.disagreement import disagreement_columns
from medloom_trainer.evaluation.prediction_sets import set_columns
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.multilabel import Multilabel
from medloom_trainer.outcomes.regression import Regression
from medloom_trainer.outcomes.survival import Survival

FLAGS, EVENTS = np.array([[1, 0], [0, 1]]), np.array([[1.0, 1], [2, 1]])
KINDS = {
    "classes": (Classification(("a", "b")), np.array([0, 1]), np.array([[0.8, 0.2], [0.4, 0.6]])),
    "labels": (Multilabel(("x", "y")), FLAGS, np.array([[0.2, 0.7], [0.6, 0.1]])),
    "number": (Regression(mean=0, std=1), np.array([1.0, 2.0]), np.array([1.5, 0.0])),
    "survival": (
        Survival.of_state({"preprocessing": {"survival": fit_time_grid(EVENTS, 2)}}),
        EVENTS,
        np.array([[0.9, 0.8], [0.7, 0.5]]),
    ),
}
SETS = {"conformal": {"quantile": 0.5, "method": "lac"}}


@pytest.mark.parametrize("task", KINDS)
def test_an_id_never_has_the_name_of_another_column(task):
    kind, labels, predictions = KINDS[task]
    cases = cases_of(labels, subgroups={"sex": np.array(["f", "m"])})
    cases = replace(cases, slots=np.array([[0], [-1]]))
    sets = {} if task in ("labels", "survival") else set_columns(SETS, kind, predictions)
    names = [
        *("file", "row", "split", "patient"),
        *kind.columns(labels, predictions, kind.threshold_or_default(None)),
        *sets,
        *disagreement_columns(kind, np.stack([predictions, predictions])),
        *case_columns(kind, cases, predictions),
    ]
    assert len(names) > 8
    found = id_columns(replace(cases, other_ids={name: ["1", "2"] for name in names}))
    assert list(found) == [f"input_{name}" for name in names]


def test_other_names_are_unchanged_and_all_remain_different():
    given = ["visit", "group_a", "input_group_a", "grouping", "filename", "case_id", "one model: truth"]
    found = id_columns(replace(cases_of(np.array([0])), other_ids={name: [name] for name in given}))
    assert {column: name for column, (name,) in found.items()} == {
        "visit": "visit",
        "input_group_a": "group_a",
        "input_input_group_a": "input_group_a",
        "grouping": "grouping",
        "filename": "filename",
        "case_id": "case_id",
        "input_one model: truth": "one model: truth",
    }
