"""Warnings about results that are better than almost any in medicine: a reason to check the data, not a
verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from medloom_trainer.contract.metric_catalogue import METRICS
from medloom_trainer.outcomes.kind import OutcomeKind
from medloom_trainer.warnings import Warnings, warning

_LEAST_CERTAIN = 0.9
"""Lower limit of the 95 % interval, so that a few cases that are correct by chance cause no warning."""


class _Reached(NamedTuple):
    title: str
    estimate: float
    low: float
    high: float


def plausibility_warnings(
    kind: OutcomeKind, measured: Mapping[str, Any], baselines: Sequence[Mapping[str, Any]]
) -> Warnings:
    """At most one warning. measured: the model, with `metrics` and `intervals` as in an EvaluationResult.
    baselines: on the same cases, each a BaselineResult."""
    limits = kind.rare_performance
    own = _reached(measured, limits)
    simple = {one["name"]: found for one in baselines if (found := _reached(one, limits)) is not None}
    titles = {one["name"]: one["title"] for one in baselines}
    found = own or next(iter(simple.values()), None)
    if found is None:
        return []
    subject = "the model" if own is not None else titles[next(iter(simple))]
    text = (
        f"{_capitalized(subject)} reaches {found.title} {found.estimate:.3f} (95% CI {found.low:.3f} to "
        f"{found.high:.3f}), which is rare in medicine. Is the task this easy, or does an input reveal "
        "the label?"
    )
    hints = []
    if simple and own is not None:
        also = _capitalized(", ".join(titles[name] for name in simple))
        hints.append(f"{also} {'reaches' if len(simple) == 1 else 'reach'} this level as well.")
    if simple:
        images = set(simple) == {"image_only"}
        hints.append(f"Check the {'images' if images else 'columns of the table'} first.")
    elif baselines:
        hints.append("No baseline reaches this level: check the inputs that only the model reads.")
    return [warning("TOO_GOOD_TO_BE_TRUE", " ".join([text, *hints]))]


def _reached(measured: Mapping[str, Any], limits: Mapping[str, float]) -> _Reached | None:
    for metric, limit in limits.items():
        value, interval = measured["metrics"][metric], measured["intervals"][metric]
        if value is None or interval is None or interval["low"] is None or interval["high"] is None:
            continue
        if value >= limit and interval["low"] >= _LEAST_CERTAIN:
            return _Reached(METRICS[metric].label_in_sentence, value, interval["low"], interval["high"])
    return None


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
