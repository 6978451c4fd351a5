"""The rows that a baseline of the table learns from: the same rows as the networks of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.baselines.folds import Rows
from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.training.members.plan import table_of_both


@dataclass(frozen=True)
class LearningRows:
    """The training rows. If each network leaves out a fold of training and validation rows, both, in this
    order."""

    cases: Cases
    labels: npt.NDArray[Any]
    groups: Rows
    """Patient of each row; a row without a patient counts as a separate patient."""
    folds: Rows | None
    """Fold of each row, as the networks leave them out; None if validation rows train nothing."""
    num_train: int

    @classmethod
    def from_data(cls, data: PreparedData) -> LearningRows | None:
        """None if there are no labels."""
        train, val = data.train, data.val
        if train.labels is None:
            return None
        if data.member_folds is None:
            return cls(train, train.labels, _patients(train), None, len(train.rows))
        both = table_of_both(data)
        assert both.labels is not None
        return cls(both, both.labels, _patients_of_both(train, val), data.member_folds, len(train.rows))

    @property
    def splits(self) -> list[str]:
        return ["train"] if self.folds is None else ["train", "val"]

    @property
    def validation_folds(self) -> list[tuple[Rows, Rows]]:
        """(rows to learn from, validation rows to predict) of each fold that has validation rows."""
        if self.folds is None:
            return []
        in_val = np.arange(len(self.folds)) >= self.num_train
        parts = [self.folds == fold for fold in np.unique(self.folds[in_val])]
        return [(np.flatnonzero(~part), np.flatnonzero(part & in_val)) for part in parts]


def _patients(cases: Cases) -> Rows:
    return np.arange(len(cases.rows)) if cases.patients is None else cases.patients


def _patients_of_both(train: Cases, val: Cases) -> Rows:
    """Patient numbers are valid within one split; patient identifiers are those of the file."""
    if train.patient_ids is not None and val.patient_ids is not None:
        return np.unique([*train.patient_ids, *val.patient_ids], return_inverse=True)[1]
    first = _patients(train)
    return np.concatenate([first, _patients(val) + first.max(initial=-1) + 1])
