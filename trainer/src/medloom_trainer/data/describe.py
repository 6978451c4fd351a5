"""What a preparation says of itself: the JSON that is kept in the checkpoint, and the summary of the job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.data.checks import missing_by_part
from medloom_trainer.data.features import Selection
from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import LabelScheme, Roles, Table, count_patients
from medloom_trainer.data.types import Cases, Warnings

_PREPROCESSING_VERSION = 1


def preprocessing_of(
    config: Mapping[str, Any],
    scheme: LabelScheme,
    roles: Roles,
    image_columns: Sequence[str],
    *,
    images: dict[str, Any] | None,
    table: dict[str, Any],
    subgroups: list[dict[str, Any]],
) -> dict[str, Any]:
    """Everything inferred and fitted that `prepare_cases` needs. images: size, depth and window of the
    records. table and subgroups: as they were fitted.
    """
    return {
        "version": _PREPROCESSING_VERSION,
        "task": scheme.task,
        "classes": None if scheme.classes is None else list(scheme.classes),
        "label_column": scheme.column,
        "patient_column": roles.patient,
        "split_column": roles.split,
        "image_columns": list(image_columns),
        "images": images,
        "unreadable_images": config["data"]["unreadable_images"],
        "table": table,
        "subgroups": subgroups,
    }


def summarize(
    preprocessing: Mapping[str, Any],
    splits: Mapping[str, SplitCases],
    left_out: Mapping[str, Table],
    selection: Selection,
    ignored: dict[str, str],
    warnings: Warnings,
    cases: Mapping[str, Cases],
) -> dict[str, Any]:
    """The data part of contract Prepared. left_out: rows that missing_strategy "drop" left out of a split."""
    numeric, categorical = selection.numeric, selection.categorical
    inferred = ("task", "classes", "label_column", "patient_column", "split_column", "image_columns")
    return {
        **{key: preprocessing[key] for key in inferred},
        "numeric_columns": list(numeric),
        "categorical_columns": list(categorical),
        "ignored_columns": ignored,
        "splits": {
            split: _describe_split(part, preprocessing["classes"], preprocessing["patient_column"])
            for split, part in splits.items()
        },
        "missing": missing_by_part(splits, left_out, numeric, categorical),
        "warnings": warnings,
        "data_digests": {split: cases[split].digest for split in cases},
    }


def _describe_split(part: SplitCases, classes: Sequence[str] | None, patient: str | None) -> dict[str, Any]:
    """class_counts: null for the test split, whose labels training never reads, and for a regression."""
    counts = None
    if classes is not None and part.labels is not None:
        numbers = np.bincount(part.labels, minlength=len(classes)).tolist()
        counts = dict(zip(classes, numbers, strict=True))
    patients = count_patients(part.table, patient if patient in part.table.cells else None)
    return {"cases": len(part.table), "patients": patients, "class_counts": counts}
