"""Which rows train, validate and test, as the tables say: by one CSV per split, or by a split column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.data.tables.cells import complete_rows
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.formats import read_csv
from medloom_trainer.data.tables.patients import count_step
from medloom_trainer.data.tables.roles import Roles
from medloom_trainer.data.tables.split_names import SPLITS, split_words
from medloom_trainer.data.tables.table import ImageTable, Table
from medloom_trainer.data.types import Flow, Warnings
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import warning


def read_image_table(csv: str | Path, image_root: str | Path | None, roots: Sequence[Path]) -> ImageTable:
    """The rows of a CSV. Relative paths start at the first root; image paths start at the folder of the CSV
    by default.
    """
    start = roots[0] if roots else Path.cwd()
    path = start / csv
    return ImageTable(read_csv(path), start / image_root if image_root is not None else path.parent)


def read_split_tables(data: Mapping[str, Any], roots: Sequence[Path]) -> dict[str, ImageTable]:
    """Split → all rows of its CSV, of the splits that have one in the `data` configuration."""
    return {
        split: read_image_table(data[f"{split}_csv"], data["image_root"], roots)
        for split in SPLITS
        if data[f"{split}_csv"] is not None
    }


def select_splits(
    sources: Mapping[str, ImageTable], roles: Roles, flow: Flow, warnings: Warnings
) -> dict[str, ImageTable]:
    """Rows of each split: from its own CSV, narrowed by the split column; without val_csv or test_csv from
    the training CSV.
    """
    splits = {}
    for split, source in sources.items():
        if roles.patient is not None:
            require_column(source.table, roles.patient, f"the patient column, in data.{split}_csv")
        flow.append(count_step(f"rows of {source.table.name}", source.table, roles.patient))
        splits[split] = _narrowed(split, source, roles.split, warnings)
    words = split_words(sources["train"].table, roles.split) or []
    for split in ("val", "test"):
        if split not in splits and (rows := _rows_that_say(split, words)):
            splits[split] = sources["train"].take(np.asarray(rows))
    others = sum(word not in SPLITS for word in words)
    if others:
        message = f'{others} rows of "{roles.split}" say neither train, val nor test, and are not used'
        warnings.append(warning("UNKNOWN_SPLIT", message))
    return splits


def drop_incomplete(
    split: str, part: ImageTable, numeric: Sequence[str], categorical: Sequence[str]
) -> tuple[ImageTable, Table]:
    """(rows with a value in each of these columns, the others). DATASET_INVALID when no row is complete."""
    complete = complete_rows(part.table, numeric, categorical)
    if not complete.size:
        message = f'every row of {split} has missing values; use missing_strategy "token"'
        raise TrainerError("DATASET_INVALID", message)
    others = part.table.take(np.setdiff1d(np.arange(len(part.table)), complete))
    return (part.take(complete) if len(others) else part), others


def _narrowed(split: str, source: ImageTable, column: str | None, warnings: Warnings) -> ImageTable:
    """The rows of the CSV of a split that the split column does not give to another one."""
    words = split_words(source.table, column)
    if words is None:
        return source
    if rows := _rows_that_say(split, words):
        return source.take(np.asarray(rows))
    if split == "train":
        raise TrainerError("DATASET_INVALID", f'{source.table.name}: no row of "{column}" says "train"')
    message = f'{source.table.name}: no row of "{column}" says {split}; all rows are used'
    warnings.append(warning("SPLIT_COLUMN_DISAGREES", message))
    return source


def _rows_that_say(split: str, words: Sequence[str]) -> list[int]:
    return [row for row, word in enumerate(words) if word == split]
