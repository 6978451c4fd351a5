"""The validation split where the tables name none: taken out of the training rows by patient and image."""

from __future__ import annotations

import numpy as np

from medloom_trainer.data.splits.divide import choose_validation, group_cases, strata_of
from medloom_trainer.data.splits.split_cases import SplitCases
from medloom_trainer.data.tables import LabelScheme
from medloom_trainer.errors import TrainerError


def take_validation(
    cases: SplitCases, scheme: LabelScheme, patient: str | None, fraction: float, seed: int
) -> tuple[SplitCases, SplitCases]:
    """(training, validation), stratified by the label. DATASET_INVALID when one of them would be empty."""
    assert cases.labels is not None  # those of the training split are always read
    groups = group_cases(cases.keys(patient))
    chosen = choose_validation(groups, strata_of(cases.labels, scheme), fraction, seed)
    if not chosen.any() or chosen.all():
        unit = "patients" if patient is not None else "cases"
        message = f"{cases.table.name} has too few {unit} to take a validation split from; give data.val_csv"
        raise TrainerError("DATASET_INVALID", message)
    return cases.take(np.flatnonzero(~chosen)), cases.take(np.flatnonzero(chosen))
