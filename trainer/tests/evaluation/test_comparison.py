"""Verdicts on a model and a baseline: better, worse, inconclusive, or undecided with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from medloom_trainer.baselines.prediction import BaselinePrediction
from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.evaluation.comparison import _verdict, compare, comparison_warnings
from medloom_trainer.metrics.differences import Difference
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.kind import OutcomeKind
from medloom_trainer.outcomes.regression import Regression
from testing.study_cells import cases_at

TWO = Classification(("benign", "malignant"))
NUMBER = Regression(0, 1)


def baseline(predictions: Any = ()) -> BaselinePrediction:
    return BaselinePrediction("random_forest", phrase("random_forest"), "", 0.5, np.asarray(predictions))


def difference(low: float | None, high: float | None, reason: Any = None) -> Difference:
    middle = 0.02 if low is None or high is None else (low + high) / 2
    texts = with_phrases({"method": "m", "test": "t", "reason": reason})
    found: Any = {"estimate": middle, "low": low, "high": high, "p": None, **texts}
    return found


@pytest.mark.parametrize(
    ("kind", "metric", "low", "high", "expected"),
    [
        (TWO, "auc", 0.01, 0.05, "better"),
        (TWO, "auc", -0.05, -0.01, "worse"),
        (TWO, "auc", -0.02, 0.05, "inconclusive"),
        (TWO, "auc", 0.0, 0.05, "inconclusive"),
        (NUMBER, "rmse", 0.1, 0.5, "worse"),
        (NUMBER, "rmse", -0.5, -0.1, "better"),
        (NUMBER, "rmse", -0.2, 0.5, "inconclusive"),
        (NUMBER, "rmse", -0.5, 0.0, "inconclusive"),
    ],
)
def test_the_interval_decides_in_the_direction_of_the_metric(
    kind: OutcomeKind, metric: str, low: float, high: float, expected: str
) -> None:
    assert kind.deciding_metric == metric
    found = _verdict(baseline(), kind, {metric: difference(low, high)})
    assert (found["verdict"], found["metric"]) == (expected, metric)
    start = {"better": "better than random forest", "worse": "worse than random forest"}
    assert found["text"].startswith(start.get(expected, "not significantly different from random forest"))
    assert f"(95% CI {low:.3f} to {high:.3f})".replace("-", "\N{MINUS SIGN}") in found["text"]
    warned = [one["message"] for one in comparison_warnings([{"verdict": found}])]
    assert warned == ([] if expected == "better" else [f"The model is {found['text']}."])


def test_without_an_interval_nothing_is_decided_and_the_reason_is_given() -> None:
    few = difference(None, None, phrase("too_few_to_compare", needed=5))
    found = _verdict(baseline(), TWO, {"auc": few})
    assert found["verdict"] == "undecided" and "too few patients to compare: fewer than 5" in found["text"]
    assert [one["code"] for one in found["text_phrases"]] == ["not_compared"]
    assert comparison_warnings([{"verdict": found}]) == []


def test_one_positive_patient_decides_nothing() -> None:
    labels = np.repeat([0, 1], [94, 1])
    random = np.random.default_rng(0)
    # The model gives the positive patient the highest probability, the baseline gives it the lowest.
    good = np.where(labels == 1, 0.99, random.uniform(0, 0.9, 95))
    bad = np.where(labels == 1, 0.01, random.uniform(0.1, 1, 95))
    both = [np.stack([1 - yes, yes], axis=1) for yes in (good, bad)]
    model = TWO.measured(labels, both[0], 0.5)
    cases = cases_at(np.arange(95), labels, None, "")
    [found] = compare(TWO, model, cases, [baseline(both[1])], 0, "predictions.csv")
    assert found["differences"]["auc"]["estimate"] > 0.9
    assert found["verdict"]["verdict"] == "undecided"
    assert "too few patients to compare" in found["verdict"]["text"]
