"""Findings of a preparation about its cases: their number, missing values, shortcuts to the label, and
settings without effect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import listing, phrase
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.checks.shortcuts import Shortcuts, search_all_shortcuts
from medloom_trainer.data.checks.values import suspected_meanings
from medloom_trainer.data.features import NUMBER_OF_IMAGES, find_subgroups, fit_subgroups, image_properties
from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import (
    LabelScheme,
    Roles,
    Table,
    count_patients,
    leakage_targets,
    missing_mask,
    read_numbers,
)
from medloom_trainer.data.types import Cases
from medloom_trainer.warnings import Warnings, warning


def find_shortcuts(
    train: SplitCases,
    roles: Roles,
    columns: tuple[Sequence[str], Sequence[str]],
    scheme: LabelScheme,
    groups: npt.NDArray[np.int64],
) -> Shortcuts:
    """Search the training cases. columns: (numeric, categorical) that the model reads. groups: cases of one
    patient have the same number."""
    assert train.labels is not None  # labels of the training split are always read
    properties = image_properties(None if train.views is None else train.views.headers)
    if not properties and train.images is not None:
        properties = {NUMBER_OF_IMAGES: [str(len(of_case)) for of_case in train.images]}
    questions = leakage_targets(train.labels, scheme)
    return search_all_shortcuts(train.table, roles, columns, properties, questions, groups)


def with_acquisition_groups(
    subgroups: list[dict[str, Any]],
    cases: Mapping[str, Cases],
    splits: Mapping[str, SplitCases],
    shortcuts: Shortcuts,
) -> tuple[list[dict[str, Any]], dict[str, Cases]]:
    """Return the subgroups of the report, including the acquisition groups that predict the label, and the
    cases with them. subgroups: from `fit_subgroups`."""
    fitted = fit_subgroups(
        splits["train"].table, shortcuts.acquisition_columns, shortcuts.acquisition_properties
    )
    known = {(one["name"], one.get("of")) for one in subgroups}
    fitted = [*subgroups, *(one for one in fitted if (one["name"], one.get("of")) not in known)]
    grouped = {}
    for split, part in cases.items():
        views = splits[split].views
        properties = image_properties(None if views is None else views.headers)
        grouped[split] = replace(part, subgroups=find_subgroups(splits[split].table, fitted, properties))
    return fitted, grouped


def preparation_warnings(
    config: Mapping[str, Any],
    splits: Mapping[str, SplitCases],
    inputs: tuple[Sequence[str], Sequence[str]],
    scheme: LabelScheme,
    *,
    validation_is_given: bool,
) -> Warnings:
    """Warnings about settings without effect, and about values of the training split that may mean "missing".
    inputs: numeric and categorical columns. validation_is_given: by the tables."""
    data = config["data"]
    channels = {
        header.channels
        for part in splits.values()
        if part.views is not None
        for of_case in part.views.headers
        for header in of_case
    }
    return [
        *_ineffective_settings(
            data,
            channels,
            measured=is_measured(data, splits["train"]),
            validation_is_given=validation_is_given,
        ),
        *_points_without_effect(config["training"]["operating_points"], scheme),
        *suspected_meanings(splits["train"].table, *inputs),
    ]


def _points_without_effect(rules: Sequence[Mapping[str, Any]], scheme: LabelScheme) -> Warnings:
    """Only the data determine the number of classes. The default rules of a configuration are not
    reported."""
    without = scheme.classes is not None and (scheme.task == "multilabel" or len(scheme.classes) > 2)
    if not without or not rules or rules == contract_defaults("LoopConfig")["operating_points"]:
        return []
    kind: PhraseCode = "labels" if scheme.task == "multilabel" else "classes"
    outcomes = phrase(kind, count=len(scheme.classes or ()))
    message = phrase("points_without_effect", outcomes=outcomes)
    return [warning("SETTING_WITHOUT_EFFECT", message)]


def is_measured(data: Mapping[str, Any], train: SplitCases) -> bool:
    """Return whether images are CT or NIfTI without a window: a change of a tenth of the range would be
    hundreds of Hounsfield units. NIfTI does not contain its units.
    """
    headers = train.views.headers if train.views is not None else []
    return data["window"] is None and any(header.measured for of_case in headers for header in of_case)


def _changes_intensities(augmentation: str | Mapping[str, Any]) -> bool:
    if isinstance(augmentation, str):
        return augmentation != "none"
    return not {"brightness", "contrast", "gamma", "noise"}.isdisjoint(augmentation["methods"])


def _ineffective_settings(
    data: Mapping[str, Any], channels: set[int], *, measured: bool, validation_is_given: bool
) -> Warnings:
    """These settings are not refused, because only the data show that they have no effect, but they are
    always reported; contradictions within the configuration are refused by the contract. channels: of all
    images.
    """
    found = []
    if validation_is_given and data["val_fraction"] != contract_defaults("DataConfig")["val_fraction"]:
        found.append(phrase("val_fraction_without_effect"))
    if data["window"] is not None and channels and 1 not in channels:
        found.append(phrase("window_without_effect"))
    if measured and _changes_intensities(data["augmentation"]):
        found.append(phrase("intensities_kept"))
    return [warning("SETTING_WITHOUT_EFFECT", message) for message in found]


def summarize(
    preprocessing: Mapping[str, Any],
    splits: Mapping[str, SplitCases],
    left_out: Mapping[str, Table],
    columns: tuple[Sequence[str], Sequence[str]],
    ignored: dict[str, str],
    warnings: Warnings,
    cases: Mapping[str, Cases],
    scheme: LabelScheme,
    volumes: dict[str, Any] | None,
) -> dict[str, Any]:
    """The data part of contract Prepared. left_out: rows that missing_strategy "drop" left out of a split.
    columns: (numeric, categorical) that the model reads. volumes: contract VolumesRead.
    """
    inferred = (
        "task", "classes", "label_column", "label_columns", "patient_column", "split_column", "image_columns"
    )  # fmt: skip
    return {
        **{key: preprocessing[key] for key in inferred},
        "positive_class": scheme.positive_class,
        "volumes": volumes,
        "numeric_columns": list(columns[0]),
        "categorical_columns": list(columns[1]),
        "ignored_columns": ignored,
        "splits": {
            split: _count_cases(part, scheme, preprocessing["patient_column"])
            for split, part in splits.items()
        },
        "missing": _missing_by_part(splits, left_out, *columns),
        "warnings": warnings,
        "data_digests": {split: cases[split].digest for split in cases},
    }


def _count_cases(part: SplitCases, scheme: LabelScheme, patient: str | None) -> dict[str, Any]:
    """class_counts: null for a regression, and for the test split, whose labels training never reads."""
    counts = None if part.labels is None else scheme.class_counts(part.labels)
    patients = count_patients(part.table, patient if patient in part.table.cells else None)
    return {"cases": len(part.table), "patients": patients, "class_counts": counts}


def _missing_by_part(
    splits: Mapping[str, SplitCases],
    left_out: Mapping[str, Table],
    numeric: Sequence[str],
    categorical: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Part → {"cases", "columns": column → cases without a value} (contract Prepared.missing).

    left_out: split → rows that the strategy "drop" left out; each is a separate part.
    """
    parts = {}
    for split, part in splits.items():
        columns = missing_values(part, numeric, categorical)
        parts[split] = {"cases": len(part.table), "columns": columns}
    for split, table in left_out.items():
        if len(table):
            columns = _count_missing(table, numeric, categorical)
            parts[f"left out of {split}"] = {"cases": len(table), "columns": columns}
    return parts


def missing_values(part: SplitCases, numeric: Sequence[str], categorical: Sequence[str]) -> dict[str, int]:
    """Column → cases without a value or image."""
    images = part.views.missing if part.views is not None else {}
    return images | _count_missing(part.table, numeric, categorical)


def complete_columns(train: SplitCases, numeric: Sequence[str], categorical: Sequence[str]) -> list[str]:
    """Columns, including those of images, in which training has every value, so that it cannot learn the
    meaning of a gap."""
    return [name for name, count in missing_values(train, numeric, categorical).items() if count == 0]


def never_seen_missing(complete: Sequence[str], missing: Mapping[str, int], where: str) -> Warnings:
    """complete: columns without gaps in training. missing: column → cases without a value in `where`."""
    counts = {name: missing[name] for name in complete if missing.get(name)}
    if not counts:
        return []
    shown = listing([f'"{name}" ({count})' for name, count in counts.items()], 20)
    message = phrase("missing_not_seen", table=where, columns=shown)
    return [warning("MISSING_NEVER_SEEN", message)]


def _count_missing(table: Table, numeric: Sequence[str], categorical: Sequence[str]) -> dict[str, int]:
    """Column → rows without a value."""
    counts = {}
    for name in numeric:
        counts[name] = int(np.isnan(read_numbers(table.cells[name], table.delimiter).values).sum())
    for name in categorical:
        counts[name] = int(missing_mask(table.cells[name]).sum())
    return counts
