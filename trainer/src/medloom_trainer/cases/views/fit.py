"""The recorded settings of a table, fitted on the current cases to show their result. A training fits them
again, only on its training part, and stores the result in its checkpoint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy.typing as npt

from medloom_trainer.cases.case_set import CaseSet
from medloom_trainer.cases.catalog import catalog
from medloom_trainer.cases.labels import CATEGORICAL, NUMERIC, label_settings
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.features import TableFit, fit_features
from medloom_trainer.data.splits import group_cases, keys_of_cases
from medloom_trainer.data.tables import (
    LabelScheme,
    Roles,
    complete_rows,
    infer_roles,
    read_labels,
    role_settings,
    split_column,
    split_words,
)
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class FittedTable:
    """The fitted values, and the cases on which they were fitted."""

    fit: TableFit
    settings: dict[str, Any]
    """The keys of the `data` configuration that TabularPreprocess records."""
    roles: Roles
    on: CaseSet
    """The cases used for fitting."""
    rows_dropped: int
    """Number of rows with missing values that were left out before."""


@cache
def _table_keys() -> tuple[str, ...]:
    """Keys of the training configuration that TabularPreprocess records."""
    fields = catalog()["TabularPreprocess"]["config"]["properties"].values()
    return tuple(dict.fromkeys(facts["training_key"] for facts in fields if "training_key" in facts))


def table_settings(cases: CaseSet) -> dict[str, Any] | None:
    """The recorded settings of the table, without "data."; None if none were recorded."""
    keys = [key.removeprefix("data.") for key in _table_keys()]
    recorded = {key: cases.settings[f"data.{key}"] for key in keys if f"data.{key}" in cases.settings}
    if not cases.feature_columns or not recorded:
        return None
    # Like a training, use defaults for settings that an older version did not record.
    return {key: contract_defaults("DataConfig")[key] for key in keys} | recorded


def training_rows(cases: CaseSet) -> CaseSet:
    """The training part of the cases: by their split column if they have one, else all of them."""
    column = split_column(cases.table) if cases.split == "all" else None
    words = split_words(cases.table, column) or []
    rows = [row for row, word in enumerate(words) if word == "train"]
    return cases.take(rows) if rows else cases


def fit_table_of(cases: CaseSet, settings: dict[str, Any]) -> FittedTable:
    """Fit like a training on these cases. LABEL_NOT_FOUND if target encoding or a ranked selection finds no
    label, DATASET_INVALID if "drop" leaves no row.
    """
    roles = _roles(cases)
    complete = without_gaps(cases, roles) if settings["missing_strategy"] == "drop" else cases
    if not len(complete.table):
        message = phrase("every_row_incomplete")
        raise TrainerError("DATASET_INVALID", message)
    labels, scheme = _labels(complete)
    ranked = settings["feature_selection"]["keep"] is not None
    if labels is None and (ranked or settings["categorical_encoding"] == "target"):
        message = phrase("encoding_requires_label")
        raise TrainerError("LABEL_NOT_FOUND", message)
    fit = fit_features(
        complete.table,
        (roles.numeric, roles.categorical),
        labels,
        scheme,
        groups=group_cases(keys_of_cases(complete.table, None, complete.patient_column)),
        seed=0,
        settings=settings,
    )
    return FittedTable(fit, settings, roles, complete, len(cases.table) - len(complete.table))


def without_gaps(cases: CaseSet, roles: Roles) -> CaseSet:
    """The cases with a value in every column that a model reads."""
    return cases.take(complete_rows(cases.table, roles.numeric, roles.categorical))


def _roles(cases: CaseSet) -> Roles:
    """Numeric and categorical roles, only for the features of these cases."""
    read = {*cases.feature_columns, *cases.image_columns, *cases.label_columns, cases.patient_column}
    settings = role_settings(
        label_column=cases.label_column,
        **{key.removeprefix("data."): value for key, value in label_settings(cases.settings).items()},
        patient_column=cases.patient_column,
        ignore_columns=[column for column in cases.table.columns if column not in read],
        image_columns=cases.image_columns,
    )
    kinds = {"numeric": cases.settings.get(NUMERIC), "categorical": cases.settings.get(CATEGORICAL)}
    chosen = {
        column: kind
        for kind, columns in kinds.items()
        for column in columns or ()
        if column in cases.feature_columns
    }
    return infer_roles(cases.table, settings, Path("/"), chosen=chosen, label_required=False)


def _labels(cases: CaseSet) -> tuple[npt.NDArray[Any] | None, LabelScheme | None]:
    """The labels and their scheme; (None, None) if they are absent, have gaps or cannot be learned."""
    scheme = cases.scheme
    if scheme is None:
        return None, None
    try:
        return read_labels(cases.table, scheme, cases.split), scheme
    except TrainerError:
        return None, None
