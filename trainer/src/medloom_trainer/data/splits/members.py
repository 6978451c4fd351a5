"""Cases from which the networks of an ensemble learn, and the fold that each of them leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.members import members_of
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.splits.divide import choose_folds
from medloom_trainer.data.splits.grouping import group_cases, strata_of
from medloom_trainer.data.splits.likely_patients import find_likely_patients
from medloom_trainer.data.splits.split_cases import SplitCases
from medloom_trainer.data.tables import TrainingTables
from medloom_trainer.errors import TrainerError


def divide_among_members(
    config: dict[str, Any], tables: TrainingTables, splits: Mapping[str, SplitCases]
) -> tuple[SplitCases, npt.NDArray[np.int64], npt.NDArray[np.int64] | None]:
    """→ the cases for fitting: the training cases, and also the validation cases if they train members; the
    group of each (`group_cases`); the fold of each that one member leaves out, None if none does.
    """
    members, patient = members_of(config), tables.roles.patient
    likely = find_likely_patients(tables.splits["train"].table, tables.roles)
    if not members.folds:
        train = splits["train"]
        return train, group_cases(likely.connect(train.keys(patient), train.table)), None
    learning = splits["train"].followed_by(splits["val"])
    assert learning.labels is not None
    groups = group_cases(likely.connect(learning.keys(patient), learning.table))
    folds = choose_folds(
        groups,
        strata_of(learning.labels, tables.scheme),
        members.count,
        config["training"]["seed"],
        strata_are_classes=tables.scheme.classes is not None,
    )
    if not np.bincount(folds + 1, minlength=members.count + 1)[1:].all():
        unit = phrase("unit_cases" if patient is None else "unit_patients")
        message = phrase(
            "members_need_groups", members=members.count, unit=unit, groups=len(np.unique(groups))
        )
        remedy = phrase("fewer_members")
        raise TrainerError("DATASET_INVALID", message, remedy)
    return learning, groups, folds
