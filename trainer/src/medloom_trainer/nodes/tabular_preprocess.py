"""TabularPreprocess: settings of the recorded pipeline, and what they come to on the cases at hand.

A training fits anew on its own training part; `scaler` shows what was fitted on the cases seen here.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.cases.case_set import CaseSet, counted, describe_cases, write_cases
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.preprocessing import add_settings, settings_of
from medloom_trainer.data.checks.inspect import ask_nothing
from medloom_trainer.data.features.encoding import complete_rows, fit_table
from medloom_trainer.data.features.selection import select_columns
from medloom_trainer.data.features.target_statistics import code_targets
from medloom_trainer.data.splits.case_keys import keys_of_cases
from medloom_trainer.data.splits.divide import group_cases, split_name
from medloom_trainer.data.tables.dataset_source import split_column
from medloom_trainer.data.tables.labels import has_all_labels, learn_labels, read_labels
from medloom_trainer.data.tables.roles import infer_roles
from medloom_trainer.errors import TrainerError


def run(task: NodeTask) -> Outputs:
    cases = cases_at(task, "dataframe")
    if not cases.feature_columns:
        raise TrainerError(
            "DATASET_INVALID", "the cases that arrive have no table columns that a model reads"
        )
    settings = {key.removeprefix("data."): value for key, value in settings_of(task).items()}
    seen = training_rows(cases)
    facts = fit(seen, settings)
    if cases.split == "all" and len(seen.table) == len(cases.table):
        task.warn(
            "FITTED_ON_ALL",
            "the scaler shown here was fitted on all cases; a training fits anew on its training part alone",
        )
    content = write_cases(task, replace(cases, settings=add_settings(task, dict(cases.settings))))
    summary = f"fitted on {counted(facts['fitted_on']['cases'], 'case')}"
    return {
        "processed_data": (content, describe_cases(content)),
        "scaler": ({"content": "config", "settings": {}, "facts": facts}, summary),
    }


def training_rows(cases: CaseSet) -> CaseSet:
    """The training part of what arrives: by its split column where it has one, else all of it."""
    column = split_column(cases.table) if cases.split == "all" else None
    if column is None:
        return cases
    rows = [row for row, text in enumerate(cases.table.cells[column]) if split_name(text) == "train"]
    return cases.take(rows) if rows else cases


def fit(cases: CaseSet, settings: dict[str, Any]) -> dict[str, Any]:
    """The fitted state of the table, as a training keeps it in its checkpoint."""
    read = {*cases.feature_columns, *cases.image_columns, cases.label_column, cases.patient_column}
    asked = ask_nothing(
        {
            "label_column": cases.label_column,
            "patient_column": cases.patient_column,
            "ignore_columns": [column for column in cases.table.columns if column not in read],
        }
    )
    asked["image_columns"] = list(cases.image_columns)
    roles = infer_roles(cases.table, asked, Path("/"), label_required=False)
    numeric, categorical = roles.numeric, roles.categorical
    dropped = 0
    if settings["missing_strategy"] == "drop":
        columns = [{"name": name, "kind": "numeric"} for name in numeric]
        columns += [{"name": name, "kind": "onehot"} for name in categorical]
        keep = complete_rows(cases.table, {"missing_strategy": "drop", "columns": columns})
        dropped = len(cases.table) - len(keep)
        if not len(keep):
            message = 'every row has missing values; use missing_strategy "token"'
            raise TrainerError("DATASET_INVALID", message)
        cases = cases.take(keep)
    labels, num_classes = labels_of(cases)
    needs_label = (
        settings["categorical_encoding"] == "target" or settings["feature_selection"]["keep"] is not None
    )
    if needs_label and labels is None:
        message = "target encoding and a ranked feature selection read the label, and there is no usable one"
        raise TrainerError("LABEL_NOT_FOUND", message)
    known = labels if labels is not None else np.zeros(len(cases.table))
    groups = group_cases(keys_of_cases(cases.table, None, cases.patient_column))
    targets = code_targets(known, num_classes, groups, 0)
    chosen = select_columns(
        cases.table, numeric, categorical, known, num_classes, settings["feature_selection"]
    )
    state = fit_table(
        cases.table,
        chosen.numeric,
        chosen.categorical,
        missing_strategy=settings["missing_strategy"],
        scaling=settings["scaling"],
        categorical_encoding=settings["categorical_encoding"],
        target=targets,
    )
    return {
        "fitted_on": {"cases": len(cases.table), "split": cases.split, "rows_dropped": dropped},
        "settings": settings,
        "table": state,
        "selection": {"scores": chosen.scores, "dropped": chosen.dropped},
    }


def labels_of(cases: CaseSet) -> tuple[Any, int | None]:
    if cases.label_column is None or not has_all_labels(cases.table, cases.label_column):
        return None, None
    try:
        scheme = learn_labels(cases.table, cases.label_column, None)
    except TrainerError:
        return None, None
    num_classes = None if scheme.classes is None else len(scheme.classes)
    return read_labels(cases.table, scheme, cases.split), num_classes
