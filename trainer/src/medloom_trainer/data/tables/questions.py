"""An outcome as questions of one answer each, for whatever looks at one column and one answer: the choice of
columns, target statistics, shortcuts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.flag_labels import UNKNOWN
from medloom_trainer.data.tables.labels import LabelScheme
from medloom_trainer.data.tables.survival_labels import martingale_residuals


class Question(NamedTuple):
    """M of the N cases answer it."""

    rows: npt.NDArray[np.int64]
    """(M,) positions of the cases, ascending."""
    labels: npt.NDArray[Any]
    """(M,) class indices, or numbers when there are no classes."""
    classes: tuple[str, ...] | None

    @property
    def num_classes(self) -> int | None:
        return None if self.classes is None else len(self.classes)


def questions_of(labels: npt.NDArray[Any], scheme: LabelScheme) -> Sequence[Question]:
    """labels: as `read_labels` gives them."""
    if scheme.task == "multilabel":
        return [_of_flag(answers, column) for column, answers in zip(scheme.columns, labels.T, strict=True)]
    answers = martingale_residuals(labels) if scheme.task == "survival" else labels
    return [Question(np.arange(len(labels)), answers, scheme.classes)]


def _of_flag(answers: npt.NDArray[np.int64], column: str) -> Question:
    rows = np.flatnonzero(answers != UNKNOWN)
    return Question(rows, answers[rows], (f"no {column}", column))
