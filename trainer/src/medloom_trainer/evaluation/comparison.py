"""A model compared with its baselines on the same cases: the predictions of each, their differences, and a
verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.baselines.prediction import BaselinePrediction
from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import listing, metric_name, phrase, stored_phrases, with_phrases
from medloom_trainer.data.types import Cases
from medloom_trainer.metrics.differences import Difference, PairedDifferences
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import Outcome, estimate
from medloom_trainer.outcomes.kind import OutcomeKind, Threshold
from medloom_trainer.warnings import Warnings, warning

_WORDS: Mapping[str, PhraseCode] = {
    "better": "better_than",
    "inconclusive": "not_different_from",
    "worse": "worse_than",
}


def compare(
    kind: OutcomeKind,
    model: Outcome,
    cases: Cases,
    baselines: Sequence[BaselinePrediction],
    seed: int,
    predictions_file: str,
) -> list[dict[str, Any]]:
    """Return the contract's BaselineResult for each baseline. model: its outcome on these cases.
    predictions_file: that of the model, from which the names of the baselines' files are derived.
    """
    if not baselines:
        return []
    labels = np.asarray(cases.labels)
    outcomes = [
        kind.measured(labels, one.predictions, kind.threshold_or_default(one.threshold)) for one in baselines
    ]
    paired = PairedDifferences([model, *outcomes], cases.patients, seed=seed)
    return [
        {
            "name": baseline.name,
            **with_phrases({"title": baseline.title}),
            "settings": baseline.settings,
            **({} if baseline.fitted_on is None else {"fitted_on": dict(baseline.fitted_on)}),
            **_threshold(baseline.threshold),
            **_measurements(outcome, cases, seed),
            "differences": (differences := paired.between(0, number)),
            "verdict": _verdict(baseline, kind, differences),
            "predictions": predictions_name(predictions_file, baseline.name),
        }
        for number, (baseline, outcome) in enumerate(zip(baselines, outcomes, strict=True), start=1)
    ]


def _threshold(threshold: Threshold) -> dict[str, Any]:
    """A single threshold for two classes, or one for each label."""
    several = isinstance(threshold, list)
    return {"threshold": None if several else threshold, "thresholds": threshold if several else None}


def _measurements(outcome: Outcome, cases: Cases, seed: int) -> dict[str, Any]:
    values, notes = estimate(outcome)
    headline = [name for name in values if not name.endswith("]")]
    bounds = intervals(outcome, values, notes, cases.patients, names=headline, seed=seed)
    return {
        "metrics": {name: values[name] for name in headline},
        "notes": {name: reason for name, reason in notes.items() if name in headline},
        "intervals": bounds,
    }


def predictions_name(file: str, baseline: str) -> str:
    """predictions.csv → predictions-random_forest.csv"""
    stem, dot, suffix = file.rpartition(".")
    return f"{stem}-{baseline}{dot}{suffix}"


def best_verdict(kind: OutcomeKind, baselines: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Verdict on the baseline with the best value of the deciding metric; None without baselines."""
    if not baselines:
        return None
    metric = kind.deciding_metric
    sign = -1.0 if kind.lower_is_better else 1.0

    def worth(baseline: Mapping[str, Any]) -> float:
        value = baseline["metrics"][metric]
        return -np.inf if value is None else sign * value

    verdict: dict[str, Any] = max(baselines, key=worth)["verdict"]
    return verdict


def comparison_warnings(baselines: Sequence[Mapping[str, Any]]) -> Warnings:
    """One warning if the model is not clearly better than some baselines, with a sentence for each of
    them."""
    found = [
        stored_phrases(one["verdict"], "text") or ""
        for one in baselines
        if one["verdict"]["verdict"] in ("inconclusive", "worse")
    ]
    if not found:
        return []
    verdicts = listing(found, len(found), mark="semicolon")
    return [warning("NOT_BETTER_THAN_BASELINE", phrase("model_compared", verdicts=verdicts))]


def _verdict(
    baseline: BaselinePrediction, kind: OutcomeKind, differences: Mapping[str, Difference]
) -> dict[str, Any]:
    metric = kind.deciding_metric
    difference = differences[metric]
    shown = metric_name(metric)
    known = {"baseline": baseline.name, "title": baseline.title, "metric": metric}
    low, high, value = difference["low"], difference["high"], difference["estimate"]
    if low is None or high is None or value is None:
        reason = stored_phrases(difference, "reason") or ""
        text = phrase("not_compared", baseline=baseline.title, metric=shown, reason=reason)
        return with_phrases({**known, "verdict": "undecided", "text": text})
    gains = (-high, -low) if kind.lower_is_better else (low, high)
    verdict = "better" if gains[0] > 0 else "worse" if gains[1] < 0 else "inconclusive"
    text = phrase(
        _WORDS[verdict],
        baseline=baseline.title,
        metric=shown,
        value=_number(value),
        low=_number(low),
        high=_number(high),
    )
    return with_phrases({**known, "verdict": verdict, "text": text})


def _number(value: float) -> str:
    """Three decimals, or three digits of a larger number; with a typographic minus sign."""
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.3g}"
    return "0.000" if text == "-0.000" else text.replace("-", "\N{MINUS SIGN}")
