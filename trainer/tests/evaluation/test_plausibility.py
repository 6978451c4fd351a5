"""Implausibly good results cause one warning with what to check. Good results do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.features import fit_time_grid
from medloom_trainer.evaluation.plausibility import plausibility_warnings
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.kind import OutcomeKind
from medloom_trainer.outcomes.multilabel import Multilabel
from medloom_trainer.outcomes.regression import Regression
from medloom_trainer.outcomes.survival import Survival

TIMES = Survival.of_state(
    {"preprocessing": {"survival": fit_time_grid(np.array([[1.0, 1], [2.0, 0], [3.0, 1]]), 2)}}
)
TWO, THREE = Classification(("benign", "malignant")), Classification(("a", "b", "c"))


def measured(low: float | None = 0.95, **metrics: float | None) -> dict[str, Any]:
    values = {"auc": 0.8, "balanced_accuracy": 0.8, **metrics}
    return {"metrics": values, "intervals": {name: {"low": low, "high": 1.0} for name in values}}


def baseline(name: str, **metrics: float) -> dict[str, Any]:
    return {"name": name, "title": name.replace("_", " "), **measured(**metrics)}


def message(kind: OutcomeKind, model: Mapping[str, Any], *baselines: Mapping[str, Any]) -> str:
    found = plausibility_warnings(kind, model, baselines)
    assert [one["code"] for one in found] in ([], ["TOO_GOOD_TO_BE_TRUE"])
    return found[0]["message"] if found else ""


@pytest.mark.parametrize(
    ("kind", "metrics", "asked"),
    [
        (TWO, {"auc": 0.992}, True),
        (TWO, {"balanced_accuracy": 0.99}, True),
        (TWO, {"auc": 0.989, "balanced_accuracy": 0.97}, False),
        (TWO, {"auc": None}, False),
        (THREE, {"auc": 0.999, "balanced_accuracy": 0.96}, False),
        (THREE, {"balanced_accuracy": 1.0}, True),
        (Multilabel(("a", "b")), {"auc": 0.995}, True),
        (Regression(0, 1), {"r2": 0.995}, True),
        (Regression(0, 1), {"r2": 0.95}, False),
        (TIMES, {"uno_c": 0.95}, True),
        (TIMES, {"uno_c": 0.949}, False),
        (TIMES, {"uno_c": 0.8, "c_index": 0.99}, False),
    ],
)
def test_what_is_rare_in_medicine_is_asked_about(
    kind: OutcomeKind, metrics: dict[str, float | None], asked: bool
) -> None:
    text = message(kind, measured(**metrics))
    assert bool(text) is asked
    assert not asked or ("rare in medicine" in text and text.endswith("?"))


@pytest.mark.parametrize("low", [None, 0.85])
def test_a_few_cases_that_may_be_luck_raise_no_question(low: float | None) -> None:
    assert message(TWO, measured(low=low, auc=1.0)) == ""


def test_baselines_tell_where_to_look() -> None:
    model, forest = measured(auc=0.995), baseline("random_forest", auc=0.998)
    weak = baseline("logistic_regression", auc=0.7)
    both = message(TWO, model, forest, weak)
    assert "This level is also reached by random forest. Check the columns of the table first." in both
    assert "No baseline reaches this level" in message(TWO, model, weak)
    assert "Check the images first." in message(TWO, model, baseline("image_only", auc=0.999))
    alone = message(TWO, measured(auc=0.9), forest)
    assert (
        alone.startswith("A baseline, random forest, reaches AUROC 0.998") and "columns of the table" in alone
    )
