"""The same metrics, with intervals, within groups of patients. A group that is too small has its size and the
reason, but no numbers. Sizes count patients: ten rows of one patient count as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import join, metric_name, phrase
from medloom_trainer.metrics.intervals import Interval, intervals
from medloom_trainer.metrics.outcome import Metrics, Outcome, estimate
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes.kind import OutcomeKind

MIN_PATIENTS = 20
MIN_EVENTS = 5
"""Minimum number of patients of each class."""
_LACKING: Mapping[tuple[bool, bool], PhraseCode] = {
    (False, True): "fewer_patients_with_event",
    (False, False): "fewer_patients_without_event",
    (True, True): "fewer_events",
    (True, False): "fewer_cases_without_event",
}
"""(patients are unknown, the event is rare) → reason."""


class Subgroup(TypedDict):
    """Subgroup as declared in the contracts."""

    column: str
    group: str
    cases: int
    patients: int | None
    events: int | None
    metrics: Metrics
    intervals: dict[str, Interval]
    reason: str | None


def subgroup_metrics(
    columns: dict[str, npt.NDArray[np.str_]],
    labels: npt.NDArray[np.generic],
    kind: OutcomeKind,
    outcome_of: Callable[[npt.NDArray[np.bool_]], Outcome],
    patients: npt.NDArray[np.int64] | None = None,
    *,
    metrics: Sequence[str] | None = None,
) -> list[Subgroup]:
    """Column → (N,) group names, labels (N,), a function that measures the cases of a mask, and patients
    (N,), None if each row is a separate patient → one entry for each group.

    Cases of unknown group ("") form a separate group, named "unknown". events: cases of the positive class of
    a binary task, else None. metrics: those that are reported, by default those of the kind of outcome.
    """
    found: list[Subgroup] = []
    reported = kind.subgroup_metrics if metrics is None else metrics
    for column, groups in columns.items():
        names = sorted(set(groups.tolist()), key=lambda name: (name == "", name))
        for name in names:
            inside = groups == name
            members = None if patients is None else patients[inside]
            outcome = partial(outcome_of, inside)
            found.append(
                _subgroup(column, name or "unknown", labels[inside], kind, reported, members, outcome)
            )
    return found


def _subgroup(
    column: str,
    group: str,
    labels: npt.NDArray[np.generic],
    kind: OutcomeKind,
    metrics: Sequence[str],
    patients: npt.NDArray[np.int64] | None,
    measured: Callable[[], Outcome],
) -> Subgroup:
    clusters = Clusters.from_patients(patients, len(labels))
    counts, events = kind.class_patients(labels, clusters), kind.num_events(labels)
    entry: Subgroup = {
        "column": column,
        "group": group,
        "cases": len(labels),
        "patients": None if patients is None else clusters.count,
        "events": events,
        "metrics": {},
        "intervals": {},
        "reason": None,
    }
    if clusters.count < MIN_PATIENTS:
        few: PhraseCode = "fewer_cases" if patients is None else "fewer_patients"
        return entry | {"reason": phrase(few, needed=MIN_PATIENTS)}
    if counts is not None and events is not None and min(counts) < MIN_EVENTS:
        lacking = _LACKING[patients is None, counts[1] < MIN_EVENTS]
        return entry | {"reason": phrase(lacking, needed=MIN_EVENTS)}

    outcome = measured()
    values, notes = estimate(outcome)
    shown = [name for name in metrics if name in values]
    entry["metrics"] = {name: values[name] for name in shown}
    least = kind.metric_of_small_groups
    if counts is not None and min(counts) < MIN_EVENTS:
        entry["metrics"] = dict.fromkeys(shown) | {least: values[least]}
        rare: PhraseCode = "class_with_fewer_cases" if patients is None else "class_with_fewer_patients"
        only = phrase("metric_only", metric=metric_name(least))
        entry["reason"] = join(phrase(rare, needed=MIN_EVENTS), only, mark="colon")
        shown = [least]
    entry["intervals"] = intervals(outcome, values, notes, patients, names=shown)
    return entry
