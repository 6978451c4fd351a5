"""Which rows train, validate and test: from one CSV per split, a split column, or a division by patient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.assembly import Flow, Warnings, count_step
from medloom_trainer.data.cache.views import ImageTable, Views
from medloom_trainer.data.features.encoding import complete_rows
from medloom_trainer.data.images.file_digests import Pictures
from medloom_trainer.data.splits.case_keys import keys_of_cases
from medloom_trainer.data.splits.divide import choose_validation, group_cases, split_name
from medloom_trainer.data.tables.formats.csv_reader import Table, read_csv
from medloom_trainer.data.tables.labels import LabelScheme, read_labels
from medloom_trainer.data.tables.roles import Roles, require_column
from medloom_trainer.errors import TrainerError


def image_table(csv: str | Path, image_root: str | Path | None, roots: Sequence[Path]) -> ImageTable:
    """Relative paths start at the first root."""
    start = roots[0] if roots else Path.cwd()
    path = start / csv
    return ImageTable(read_csv(path), start / image_root if image_root is not None else path.parent)


def select_splits(
    sources: Mapping[str, ImageTable], roles: Roles, flow: Flow, warnings: Warnings
) -> dict[str, ImageTable]:
    """Rows of each split: from its own CSV, narrowed by the split column; without val_csv or test_csv from
    the training CSV.
    """
    splits = {}
    for split, source in sources.items():
        table = source.table
        if roles.patient is not None:
            require_column(table, roles.patient, f"the patient column, in data.{split}_csv")
        flow.append(count_step(f"rows of {table.name}", table, roles.patient))
        words = split_words(table, roles.split)
        rows = [row for row, word in enumerate(words) if word == split] if words is not None else None
        if rows:
            splits[split] = ImageTable(table.take(np.asarray(rows)), source.image_root)
        elif split == "train" and words is not None:
            message = f'{table.name}: no row of "{roles.split}" says "train"'
            raise TrainerError("DATASET_INVALID", message)
        else:
            splits[split] = source
            if words is not None:
                message = f'{table.name}: no row of "{roles.split}" says {split}; all rows are used'
                warnings.append({"code": "SPLIT_COLUMN_DISAGREES", "message": message})
    words = split_words(sources["train"].table, roles.split)
    for split in ("val", "test"):
        rows = [row for row, word in enumerate(words or []) if word == split]
        if split not in splits and rows:
            source = sources["train"]
            splits[split] = ImageTable(source.table.take(np.asarray(rows)), source.image_root)
    others = sum(word not in ("train", "val", "test") for word in words or [])
    if others:
        message = f'{others} rows of "{roles.split}" say neither train, val nor test, and are not used'
        warnings.append({"code": "UNKNOWN_SPLIT", "message": message})
    return splits


def split_words(table: Table, column: str | None) -> list[str] | None:
    return (
        [split_name(text) for text in table.cells[column]]
        if column is not None and column in table.cells
        else None
    )


def drop_incomplete(
    split: str, part: ImageTable, numeric: Sequence[str], categorical: Sequence[str], roles: Roles, flow: Flow
) -> tuple[ImageTable, Table]:
    """(rows with every value that the model reads, the others)"""
    columns = [{"name": name, "kind": "numeric"} for name in numeric]
    columns += [{"name": name, "kind": "onehot"} for name in categorical]
    keep = complete_rows(part.table, {"missing_strategy": "drop", "columns": columns})
    if not keep.size:
        raise TrainerError(
            "DATASET_INVALID", f'every row of {split} has missing values; use missing_strategy "token"'
        )
    others = part.table.take(np.setdiff1d(np.arange(len(part.table)), keep))
    if not len(others):
        return part, others
    table = part.table.take(keep)
    flow.append(count_step(f"{split} rows without missing values", table, roles.patient))
    return ImageTable(table, part.image_root), others


def divide_training(
    splits: dict[str, ImageTable],
    views: dict[str, Views],
    pictures: dict[str, Pictures],
    scheme: LabelScheme,
    roles: Roles,
    data: dict[str, Any],
    seed: int,
    flow: Flow,
) -> None:
    """Take the validation split out of the training rows, by patient and by picture."""
    part = splits["train"]
    labels = read_labels(part.table, scheme, "train")
    strata = labels if scheme.classes is not None else quantile_bins(labels)
    groups = group_cases(keys_of_cases(part.table, pictures.get("train"), roles.patient))
    chosen = choose_validation(groups, strata, data["val_fraction"], seed)
    if not chosen.any() or chosen.all():
        unit = "patients" if roles.patient is not None else "cases"
        message = f"{part.table.name} has too few {unit} to take a validation split from; give data.val_csv"
        raise TrainerError("DATASET_INVALID", message)
    known = pictures["train"].pixels if "train" in pictures else None
    for split, rows in (("train", np.flatnonzero(~chosen)), ("val", np.flatnonzero(chosen))):
        splits[split] = ImageTable(part.table.take(rows), part.image_root)
        if known is not None:
            pictures[split] = Pictures([known[row] for row in rows.tolist()])
        if views:
            views[f"{split} part"] = take_views(views["train"], rows)
    if views:
        views["train"], views["val"] = views.pop("train part"), views.pop("val part")


def take_views(views: Views, rows: npt.NDArray[np.int64]) -> Views:
    picked = rows.tolist()
    slots = views.slots[rows]
    missing = {column: int((slots[:, view] < 0).sum()) for view, column in enumerate(views.missing)}
    return Views(
        slots,
        [views.pixels[row] for row in picked],
        [views.files[row] for row in picked],
        [views.headers[row] for row in picked],
        [],
        missing,
    )


def quantile_bins(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    edges = np.unique(np.percentile(values, [20, 40, 60, 80]))
    return np.searchsorted(edges, values, side="right").astype(np.int64)
