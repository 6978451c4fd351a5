"""An outcome as questions with one answer each, for comparisons of one column with one answer: the selection
of columns and target statistics (`questions_of`), and the search for columns that follow from the outcome
(`leak_questions`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.tables.flag_labels import UNKNOWN
from medloom_trainer.data.tables.labels import LabelScheme
from medloom_trainer.data.tables.survival_labels import martingale_residuals


class Target(NamedTuple):
    """A question that M of the N cases answer."""

    rows: npt.NDArray[np.int64]
    """(M,) positions of the cases, ascending."""
    labels: npt.NDArray[Any]
    """(M,) class indices, or numbers if there are no classes."""
    classes: tuple[str, ...] | None
    name: Phrased = phrase("outcome_label")
    """Name of the answer within a sentence."""
    censored: npt.NDArray[np.bool_] | None = None
    """(M,) The cases without the event, if the answer is the follow-up time."""

    @property
    def num_classes(self) -> int | None:
        return None if self.classes is None else len(self.classes)


def targets_of(labels: npt.NDArray[Any], scheme: LabelScheme) -> Sequence[Target]:
    """labels: from `read_labels`."""
    if scheme.task == "multilabel":
        return [_of_flag(answers, column) for column, answers in zip(scheme.columns, labels.T, strict=True)]
    answers = martingale_residuals(labels) if scheme.task == "survival" else labels
    return [Target(np.arange(len(labels)), answers, scheme.classes)]


def leakage_targets(labels: npt.NDArray[Any], scheme: LabelScheme) -> Sequence[Target]:
    """labels: from `read_labels`. For survival the questions are the event, its time in the cases that have
    it, and the follow-up time of all cases. A martingale residual would hide a copy of the event: if events
    are frequent, it depends more on the time than on the event.
    """
    if scheme.task != "survival":
        return targets_of(labels, scheme)
    times, happened = labels[:, 0], labels[:, 1].astype(np.int64)
    with_event = np.flatnonzero(happened)
    return [
        Target(np.arange(len(labels)), happened, ("no event", "event"), phrase("outcome_event")),
        Target(with_event, times[with_event], None, phrase("outcome_time")),
        Target(np.arange(len(labels)), times, None, phrase("outcome_follow_up"), happened == 0),
    ]


def _of_flag(answers: npt.NDArray[np.int64], column: str) -> Target:
    rows = np.flatnonzero(answers != UNKNOWN)
    return Target(rows, answers[rows], (f"no {column}", column), phrase("outcome_of_column", column=column))
