"""The same metrics within groups of patients. A group that is too small gets its size and the reason, no
number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.outcome import Metrics, Outcome, estimate

_MIN_CASES = 20
_MIN_EVENTS = 5
_SHOWN_CLASSES = ("accuracy", "auc", "f1_score", "balanced_accuracy", "sensitivity", "specificity")
_SHOWN_NUMBERS = ("mae", "rmse", "r2", "bias")


class Subgroup(TypedDict):
    """As contracts declare it."""

    column: str
    group: str
    cases: int
    events: int | None
    metrics: Metrics
    reason: str | None


def subgroup_metrics(
    columns: dict[str, npt.NDArray[np.str_]],
    labels: npt.NDArray[np.generic],
    num_classes: int | None,
    outcome_of: Callable[[npt.NDArray[np.bool_]], Outcome],
) -> list[Subgroup]:
    """Column → (N,) group names, labels (N,), and what measures the cases of a mask → one entry per group.

    Cases of unknown group ("") form a group of their own, named "unknown". events: cases of the positive
    class of a binary task, else None. num_classes is None for a regression.
    """
    found: list[Subgroup] = []
    for column, groups in columns.items():
        names = sorted(set(groups.tolist()), key=lambda name: (name == "", name))
        for name in names:
            inside = groups == name
            found.append(
                _subgroup(column, name or "unknown", labels[inside], num_classes, partial(outcome_of, inside))
            )
    return found


def _subgroup(
    column: str,
    group: str,
    labels: npt.NDArray[np.generic],
    num_classes: int | None,
    outcome: Callable[[], Outcome],
) -> Subgroup:
    counts = None if num_classes is None else np.bincount(labels.astype(np.int64), minlength=num_classes)
    events = int(counts[1]) if counts is not None and num_classes == 2 else None
    entry: Subgroup = {
        "column": column,
        "group": group,
        "cases": len(labels),
        "events": events,
        "metrics": {},
        "reason": None,
    }
    if len(labels) < _MIN_CASES:
        return entry | {"reason": f"fewer than {_MIN_CASES} cases"}
    if counts is not None and num_classes == 2 and counts.min() < _MIN_EVENTS:
        lacking = "events" if counts[1] < _MIN_EVENTS else "cases without the event"
        return entry | {"reason": f"fewer than {_MIN_EVENTS} {lacking}"}

    values, _ = estimate(outcome())
    shown = _SHOWN_NUMBERS if counts is None else _SHOWN_CLASSES
    entry["metrics"] = {name: values[name] for name in shown if name in values}
    if counts is not None and counts.min() < _MIN_EVENTS:
        entry["metrics"] = dict.fromkeys(entry["metrics"]) | {"accuracy": values["accuracy"]}
        entry["reason"] = f"a class with fewer than {_MIN_EVENTS} cases: accuracy only"
    return entry
