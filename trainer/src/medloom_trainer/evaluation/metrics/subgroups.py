"""The same metrics, with intervals, within groups of patients. A group that is too small gets its size and
the reason, no number. What counts is patients: ten rows of one patient are one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.intervals import Interval, intervals
from medloom_trainer.evaluation.metrics.outcome import Metrics, Outcome, estimate
from medloom_trainer.evaluation.metrics.statistics.clusters import Clusters

_MIN_PATIENTS = 20
_MIN_EVENTS = 5
"""Patients of each class."""
_SHOWN_CLASSES = ("accuracy", "auc", "f1_score", "balanced_accuracy", "sensitivity", "specificity")
_SHOWN_NUMBERS = ("mae", "rmse", "r2", "bias")


class Subgroup(TypedDict):
    """As contracts declare it."""

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
    num_classes: int | None,
    outcome_of: Callable[[npt.NDArray[np.bool_]], Outcome],
    patients: npt.NDArray[np.int64] | None = None,
) -> list[Subgroup]:
    """Column → (N,) group names, labels (N,), what measures the cases of a mask, and patients (N,), None
    where each row is its own → one entry per group.

    Cases of unknown group ("") form a group of their own, named "unknown". events: cases of the positive
    class of a binary task, else None. num_classes is None for a regression.
    """
    found: list[Subgroup] = []
    for column, groups in columns.items():
        names = sorted(set(groups.tolist()), key=lambda name: (name == "", name))
        for name in names:
            inside = groups == name
            members = None if patients is None else patients[inside]
            outcome = partial(outcome_of, inside)
            found.append(_subgroup(column, name or "unknown", labels[inside], num_classes, members, outcome))
    return found


def _subgroup(
    column: str,
    group: str,
    labels: npt.NDArray[np.generic],
    num_classes: int | None,
    patients: npt.NDArray[np.int64] | None,
    measured: Callable[[], Outcome],
) -> Subgroup:
    clusters = Clusters.of(patients, len(labels))
    counts = None if num_classes is None else [clusters.having(labels == k) for k in range(num_classes)]
    entry: Subgroup = {
        "column": column,
        "group": group,
        "cases": len(labels),
        "patients": None if patients is None else clusters.count,
        "events": int((labels == 1).sum()) if num_classes == 2 else None,
        "metrics": {},
        "intervals": {},
        "reason": None,
    }
    if clusters.count < _MIN_PATIENTS:
        return entry | {"reason": f"fewer than {_MIN_PATIENTS} {_units(patients)}"}
    if counts is not None and num_classes == 2 and min(counts) < _MIN_EVENTS:
        with_event = "events" if patients is None else "patients with the event"
        without = f"{_units(patients)} without the event"
        lacking = with_event if counts[1] < _MIN_EVENTS else without
        return entry | {"reason": f"fewer than {_MIN_EVENTS} {lacking}"}

    outcome = measured()
    values, notes = estimate(outcome)
    shown = [name for name in (_SHOWN_NUMBERS if counts is None else _SHOWN_CLASSES) if name in values]
    entry["metrics"] = {name: values[name] for name in shown}
    if counts is not None and min(counts) < _MIN_EVENTS:
        entry["metrics"] = dict.fromkeys(shown) | {"accuracy": values["accuracy"]}
        entry["reason"] = f"a class with fewer than {_MIN_EVENTS} {_units(patients)}: accuracy only"
        shown = ["accuracy"]
    entry["intervals"] = intervals(outcome, values, notes, patients, names=shown)
    return entry


def _units(patients: npt.NDArray[np.int64] | None) -> str:
    return "cases" if patients is None else "patients"
