"""Warnings about results that are better than almost any in medicine: a reason to check the data, not a
verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from medloom_trainer.contract.phrases import (
    Phrased,
    join,
    listing,
    metric_name,
    phrase,
    stored_phrases,
)
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.pooled import CaseSet
from medloom_trainer.outcomes.kind import OutcomeKind
from medloom_trainer.warnings import Warnings, warning

_LEAST_CERTAIN = 0.9
"""Lower limit of the 95 % interval, so that a few cases that are correct by chance cause no warning."""


class _Reached(NamedTuple):
    title: Phrased
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
    titles = {one["name"]: stored_phrases(one, "title") or "" for one in baselines}
    found = own or next(iter(simple.values()), None)
    if found is None:
        return []
    shown = _shown(found)
    named = [titles[name] for name in simple]
    text = (
        phrase("rare_performance", **shown)
        if own is not None
        else phrase("rare_baseline", baseline=named[0], **shown)
    )
    hints = []
    if simple and own is not None:
        hints.append(phrase("also_reached", baselines=listing(named, len(named))))
    if simple:
        hints.append(phrase("check_images_first" if set(simple) == {"image_only"} else "check_columns_first"))
    elif baselines:
        hints.append(phrase("no_baseline_reaches"))
    return [warning("TOO_GOOD_TO_BE_TRUE", join(text, *hints, mark="space"))]


def rare_performance(kind: OutcomeKind, pooled: CaseSet) -> Phrased | None:
    """Remark on pooled predictions of a study whose results are rare in medicine."""
    limits, outcome = kind.rare_performance, pooled.outcome
    values, notes = estimate(outcome)
    bounds = intervals(outcome, values, notes, pooled.member.astype(np.int64), names=list(limits))
    found = _reached({"metrics": values, "intervals": bounds}, limits)
    if found is None:
        return None
    return phrase("pooled_rare_performance", **_shown(found))


def _shown(found: _Reached) -> dict[str, Phrased | str]:
    return {
        "metric": found.title,
        "value": f"{found.estimate:.3f}",
        "low": f"{found.low:.3f}",
        "high": f"{found.high:.3f}",
    }


def _reached(measured: Mapping[str, Any], limits: Mapping[str, float]) -> _Reached | None:
    for metric, limit in limits.items():
        value, interval = measured["metrics"][metric], measured["intervals"][metric]
        if value is None or interval is None or interval["low"] is None or interval["high"] is None:
            continue
        if value >= limit and interval["low"] >= _LEAST_CERTAIN:
            return _Reached(metric_name(metric), value, interval["low"], interval["high"])
    return None
