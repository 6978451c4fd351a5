"""Outline of a training from its tables, before an image is decoded: the roles of the columns, the cases of
each split, and the width of the inputs of its network.

If no validation rows are named, cases that share an image stay together in training; here only patients and
equal image paths do. A rare category may therefore be in another split than here, which `Outline.exact`
indicates.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.data.cache import ImageSample, sample_images
from medloom_trainer.data.checks import suspected_meanings, warn_path_groups
from medloom_trainer.data.features import FittedPreparation, fit_time_grid, fit_training_table
from medloom_trainer.data.splits import SplitCases, divide_among_members, divide_cases
from medloom_trainer.data.tables import (
    ImageTable,
    TrainingTables,
    count_patients,
    is_missing,
    read_training_tables,
)
from medloom_trainer.data.types import TableLayout
from medloom_trainer.warnings import Warnings


@dataclass(frozen=True)
class Outline:
    """Outline of a training that could start."""

    tables: TrainingTables
    splits: dict[str, SplitCases]
    learning: SplitCases
    """The cases to which values are fitted."""
    layout: TableLayout
    numeric: Sequence[str]
    categorical: Sequence[str]
    """Table columns that the model reads."""
    dropped: Sequence[str]
    """Columns that feature selection leaves out."""
    images: ImageSample | None
    """None if the model does not read the images."""
    time_grid: dict[str, Any] | None
    exact: bool
    """The training fits its inputs to exactly the cases to which they are fitted here."""
    warnings: Warnings

    def describe(self) -> dict[str, Any]:
        """Contract PlannedData."""
        roles, scheme, columns = self.tables.roles, self.tables.scheme, self.tables.columns
        survival = scheme.task == "survival"
        return {
            "task": scheme.task,
            "classes": None if scheme.classes is None else list(scheme.classes),
            "positive_class": scheme.positive_class,
            "label_column": scheme.columns[0] if len(scheme.columns) == 1 else None,
            "label_columns": list(scheme.columns) if len(scheme.columns) > 1 and not survival else None,
            "time_columns": list(scheme.columns) if survival else [],
            "patient_column": roles.patient,
            "split_column": roles.split,
            "image_columns": list(columns.images),
            "numeric_columns": list(self.numeric),
            "categorical_columns": list(self.categorical),
            "ignored_columns": columns.ignored | dict.fromkeys(self.dropped, "excluded by feature selection"),
            "splits": {name: self._count(part) for name, part in self.splits.items()},
            "warnings": self.warnings,
            "views": 0 if self.images is None else self.images.views,
        }

    def _count(self, part: SplitCases) -> dict[str, Any]:
        patient, scheme = self.tables.roles.patient, self.tables.scheme
        known = patient if patient in part.table.cells else None
        counts = None if part.labels is None else scheme.class_counts(part.labels)
        return {
            "cases": len(part.table),
            "patients": count_patients(part.table, known),
            "class_counts": counts,
        }


def outline(
    config: dict[str, Any], *, roots: Sequence[str | Path], fitted: FittedPreparation | None
) -> Outline:
    """Errors as in `prepare`, as far as the tables determine them. Nothing is written. fitted: by the trained
    model from which the training starts.
    """
    folders, warnings = [Path(root) for root in roots], []  # type: tuple[list[Path], Warnings]
    tables = read_training_tables(config, folders, [], warnings)
    if fitted is not None:
        fitted.refuse_others(tables)
    paths = {split: _image_paths(part, tables.roles.images) for split, part in tables.splits.items()}
    images = _look_at_images(config, tables, folders)
    seen = None if fitted is None else fitted.seen
    splits = divide_cases(config, tables, {}, paths, [], warnings, seen)
    learning, groups, member_folds = divide_among_members(config, tables, splits)
    fit = fit_training_table(config, tables, learning, groups) if fitted is None else fitted.table_fit()
    grid = None
    if tables.scheme.task == "survival" and learning.labels is not None:
        grid = fit_time_grid(learning.labels, config["model"]["survival_intervals"])
    measured = (*fit.selection.numeric, *tables.scheme.quantities)
    warnings += suspected_meanings(splits["train"].table, measured, fit.selection.categorical)
    if tables.roles.patient is None:
        warnings += warn_path_groups(tables.splits["train"].table, tables.roles.images)
    return Outline(
        tables,
        splits,
        learning,
        fit.layout,
        fit.selection.numeric,
        fit.selection.categorical,
        list(fit.selection.dropped),
        images,
        grid if fitted is None else fitted.preprocessing.get("survival"),
        fitted is not None
        or not tables.roles.images
        or (config["data"]["fold"] is None and ("val" in tables.splits or member_folds is not None)),
        warnings,
    )


def _image_paths(part: ImageTable, columns: Sequence[str]) -> list[list[str]]:
    """N lists of image paths: images with one path are identical, which is known without reading them."""
    cells = [part.table.cells[column] for column in columns if column in part.table.cells]
    return [
        [os.path.normpath(part.image_root / text) for texts in cells if not is_missing(text := texts[row])]
        for row in range(len(part.table))
    ]


def _look_at_images(
    config: dict[str, Any], tables: TrainingTables, folders: Sequence[Path]
) -> ImageSample | None:
    if not tables.columns.images:
        return None
    return sample_images(tables.splits, tables.columns.images, config["data"], folders)
