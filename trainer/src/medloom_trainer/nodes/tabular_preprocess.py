"""TabularPreprocess: settings of the recorded pipeline, and what they come to on the cases at hand.

A training fits again, on its own training part; `scaler` shows what was fitted on the cases seen here.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.cases.case_set import CaseSet, counted, describe_cases, write_cases
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.preprocessing import add_settings, settings_of
from medloom_trainer.data.features import fit_features
from medloom_trainer.data.splits import group_cases, keys_of_cases
from medloom_trainer.data.tables import (
    Roles,
    complete_rows,
    has_all_labels,
    infer_roles,
    learn_labels,
    read_labels,
    role_settings,
    split_column,
    split_words,
)
from medloom_trainer.errors import TrainerError


def run(task: NodeTask) -> Outputs:
    cases = cases_at(task, "dataframe")
    if not cases.feature_columns:
        raise TrainerError("DATASET_INVALID", "Input dataframe has no table columns that a model reads")
    settings = {key.removeprefix("data."): value for key, value in settings_of(task).items()}
    seen = _training_rows(cases)
    facts = _fit(seen, settings)
    if cases.split == "all" and len(seen.table) == len(cases.table):
        task.warn(
            "FITTED_ON_ALL",
            "the scaler shown was fitted on all cases; a training fits again, on its training part alone",
        )
    content = write_cases(task, replace(cases, settings=add_settings(task, dict(cases.settings))))
    summary = f"fitted on {counted(facts['fitted_on']['cases'], 'case')}"
    return {
        "processed_data": (content, describe_cases(content)),
        "scaler": ({"content": "config", "settings": {}, "facts": facts}, summary),
    }


def _training_rows(cases: CaseSet) -> CaseSet:
    """The training part of the input: by its split column where it has one, else all of it."""
    column = split_column(cases.table) if cases.split == "all" else None
    words = split_words(cases.table, column) or []
    rows = [row for row, word in enumerate(words) if word == "train"]
    return cases.take(rows) if rows else cases


def _fit(cases: CaseSet, settings: dict[str, Any]) -> dict[str, Any]:
    """The fitted state of the table, as a training keeps it in its checkpoint."""
    roles = _roles(cases)
    count = len(cases.table)
    if settings["missing_strategy"] == "drop":
        cases = _complete(cases, roles)
    labels, num_classes = _labels(cases)
    ranked = settings["feature_selection"]["keep"] is not None
    if labels is None and (ranked or settings["categorical_encoding"] == "target"):
        message = "target encoding and a ranked feature selection read the label, and there is no usable one"
        raise TrainerError("LABEL_NOT_FOUND", message)
    fit = fit_features(
        cases.table,
        (roles.numeric, roles.categorical),
        labels if labels is not None else np.zeros(len(cases.table)),
        num_classes,
        groups=group_cases(keys_of_cases(cases.table, None, cases.patient_column)),
        seed=0,
        settings=settings,
    )
    dropped = count - len(cases.table)
    return {
        "fitted_on": {"cases": len(cases.table), "split": cases.split, "rows_dropped": dropped},
        "settings": settings,
        "table": fit.state,
        "selection": {"scores": fit.selection.scores, "dropped": fit.selection.dropped},
    }


def _roles(cases: CaseSet) -> Roles:
    """Numeric or categorical: of the features of these cases only."""
    read = {*cases.feature_columns, *cases.image_columns, cases.label_column, cases.patient_column}
    settings = role_settings(
        label_column=cases.label_column,
        patient_column=cases.patient_column,
        ignore_columns=[column for column in cases.table.columns if column not in read],
        image_columns=cases.image_columns,
    )
    return infer_roles(cases.table, settings, Path("/"), label_required=False)


def _complete(cases: CaseSet, roles: Roles) -> CaseSet:
    rows = complete_rows(cases.table, roles.numeric, roles.categorical)
    if not len(rows):
        message = 'every row has missing values; use missing_strategy "token"'
        raise TrainerError("DATASET_INVALID", message)
    return cases.take(rows)


def _labels(cases: CaseSet) -> tuple[npt.NDArray[Any] | None, int | None]:
    """(labels, number of classes); (None, None) where the label is absent, has gaps or cannot be learned."""
    if cases.label_column is None or not has_all_labels(cases.table, cases.label_column):
        return None, None
    try:
        scheme = learn_labels(cases.table, cases.label_column, None)
    except TrainerError:
        return None, None
    num_classes = None if scheme.classes is None else len(scheme.classes)
    return read_labels(cases.table, scheme, cases.split), num_classes
