"""The tables of a training: the role of each column, the rows of each split, by one CSV per split or by a
split column, and the label of each case.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.column_names import SPLITS, require_column, split_words
from medloom_trainer.data.tables.labels import (
    LabelScheme,
    learn_flags,
    learn_labels,
    learn_survival,
    read_labels,
)
from medloom_trainer.data.tables.numbers import complete_rows
from medloom_trainer.data.tables.recipe.source import SourceTable, read_source_table, with_settings
from medloom_trainer.data.tables.roles import Roles, infer_roles
from medloom_trainer.data.tables.shared_images import (
    defines_cases,
    merge_shared_images,
    refuse_shared_images,
    rows_with_shared_images,
)
from medloom_trainer.data.tables.table import ImageTable, Table, count_step, stack
from medloom_trainer.data.types import Flow, Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import local
from medloom_trainer.warnings import Warnings, warning


@dataclass(frozen=True)
class Columns:
    """The columns that the model reads, and the reasons why it does not read the others."""

    numeric: Sequence[str]
    categorical: Sequence[str]
    images: Sequence[str]
    ignored: dict[str, str]


@dataclass(frozen=True)
class TrainingTables:
    """Content of the tables."""

    roles: Roles
    columns: Columns
    splits: dict[str, ImageTable]
    left_out: dict[str, Table]
    """Split → rows that missing_strategy "drop" left out."""
    scheme: LabelScheme
    labels: dict[str, npt.NDArray[Any]]
    """Labels of every split except test, whose labels are never read."""


def read_training_tables(
    config: dict[str, Any],
    folders: Sequence[Path],
    flow: Flow,
    warnings: Warnings,
    cache_dir: Path | None = None,
) -> TrainingTables:
    """Read the tables, and give each column its role, each row its split and each case its label. For a fold
    of a cross-validation the validation rows are among the training rows (`hold_out` divides them).
    cache_dir: where compiled recipes are kept; None: nowhere.
    """
    model = config["model"]
    sources, data = _read_split_tables(config["data"], folders, flow, cache_dir)
    warnings += [given for source in sources.values() for given in source.table.warnings]
    roles = infer_roles(sources["train"].table, data, sources["train"].image_root)
    warnings += roles.warnings
    columns = _used_columns(
        roles,
        uses_images=model["vision_backbone"] != "none",
        uses_table=model["fusion_type"] != "none",
    )
    splits = _select_splits(sources, roles, flow, warnings, pooled=data["fold"] is not None)
    left_out: dict[str, Table] = {}
    if data["missing_strategy"] == "drop":
        for split, part in list(splits.items()):
            splits[split], left_out[split] = _drop_incomplete(
                split, part, columns.numeric, columns.categorical
            )
            if len(left_out[split]):
                step = f"{split} rows without missing values"
                flow.append(count_step(step, splits[split].table, roles.patient))
    splits = {
        split: _one_case_per_image(split, part, roles, columns, data, flow, warnings)
        for split, part in splits.items()
    }
    scheme = _learn(splits["train"].table, roles, data, model["task"])
    warnings += scheme.warnings
    labeled = [split for split in splits if split != "test"]
    labels = {split: read_labels(splits[split].table, scheme, split) for split in labeled}
    return TrainingTables(roles, columns, splits, left_out, scheme, labels)


def _learn(table: Table, roles: Roles, data: Mapping[str, Any], task: Task | None) -> LabelScheme:
    """The label scheme of the training rows."""
    if data["label_columns"] is not None:
        return learn_flags(table, roles.labels)
    if data["time_column"] is not None:
        return learn_survival(table, *roles.labels)
    assert roles.label is not None  # infer_roles has refused tables without a label
    return learn_labels(table, roles.label, task, data["positive_class"])


def _used_columns(roles: Roles, *, uses_images: bool, uses_table: bool) -> Columns:
    """The columns that the model reads: a backbone or a fusion of "none" leaves the images or the table
    out."""
    ignored = dict(roles.ignored)
    if not uses_images:
        ignored |= {column: "vision_backbone is none" for column in roles.images}
    if not uses_table:
        ignored |= {column: "fusion_type is none" for column in (*roles.numeric, *roles.categorical)}
    if uses_images and not roles.images:
        message = phrase("no_image_column")
        raise TrainerError("DATASET_INVALID", message)
    if uses_table and not roles.numeric and not roles.categorical:
        message = phrase("no_input_column")
        raise TrainerError("DATASET_INVALID", message)
    return Columns(
        roles.numeric if uses_table else (),
        roles.categorical if uses_table else (),
        roles.images if uses_images else (),
        ignored,
    )


def read_image_table(
    csv: str | Path,
    image_root: str | Path | None,
    roots: Sequence[Path],
    recipe: Mapping[str, Any] | None = None,
    cache_dir: Path | None = None,
    *,
    of_new_cases: bool = False,
) -> SourceTable:
    """The rows of a CSV, or the table that the recipe makes of a file or folder. Relative paths start at the
    first root; image paths start at the folder of the CSV, or at the folder itself, by default.
    of_new_cases: labels and splits are not read, and a malformed row is left empty.
    """
    start = roots[0] if roots else Path.cwd()
    return read_source_table(
        start / local(csv),
        None if image_root is None else start / local(image_root),
        roots,
        recipe,
        cache_dir,
        of_new_cases=of_new_cases,
    )


def _read_split_tables(
    data: dict[str, Any], roots: Sequence[Path], flow: Flow, cache_dir: Path | None
) -> tuple[dict[str, ImageTable], dict[str, Any]]:
    """(split → all rows of its CSV, for the splits that have one in the `data` configuration; the
    configuration with the settings of its recipe)."""
    sources = {
        split: read_image_table(
            data[f"{split}_csv"], data["image_root"], roots, data.get("recipe"), cache_dir
        )
        for split in SPLITS
        if data[f"{split}_csv"] is not None
    }
    settings = sources["train"].settings
    for split, source in sources.items():
        sources[split] = source.with_views(settings.get("image_columns", ()))
        flow += source.flow(split)
    return {split: source.image_table for split, source in sources.items()}, with_settings(data, settings)


def _select_splits(
    sources: Mapping[str, ImageTable], roles: Roles, flow: Flow, warnings: Warnings, *, pooled: bool
) -> dict[str, ImageTable]:
    """Rows of each split: from its own CSV, filtered by the split column; without val_csv or test_csv from
    the training CSV. pooled: rows of val are added to train.
    """
    splits = {}
    for split, source in sources.items():
        if roles.patient is not None:
            require_column(source.table, roles.patient, f"the patient column, in data.{split}_csv")
        splits[split] = _narrowed(split, source, roles.split, warnings)
    flow += _count_tables(_pool(sources, roles) if pooled else sources, roles.patient)
    words = split_words(sources["train"].table, roles.split) or []
    for split in ("val", "test"):
        if split not in splits and (rows := _rows_with_split(split, words)):
            splits[split] = sources["train"].take(np.asarray(rows))
    others = sum(word not in SPLITS for word in words)
    if others:
        message = phrase("unknown_split", count=others, column=roles.split or "")
        warnings.append(warning("UNKNOWN_SPLIT", message))
    return _pool(splits, roles) if pooled else splits


def _count_tables(sources: Mapping[str, ImageTable], patient: str | None) -> Flow:
    tables = [source.table for source in sources.values()]
    return [count_step(f"rows of {table.name}", table, patient) for table in tables]


def _pool(splits: Mapping[str, ImageTable], roles: Roles) -> dict[str, ImageTable]:
    """The rows of train followed by those of val, with images relative to the same folder."""
    if "val" not in splits:
        return dict(splits)
    train, val = splits["train"], splits["val"]
    names = dict.fromkeys([train.table.name, val.table.name])
    rows = stack([train.table, _images_from(train.image_root, val, roles)], name=" and ".join(names))
    others = {split: part for split, part in splits.items() if split not in ("train", "val")}
    return {"train": ImageTable(rows, train.image_root), **others}


def _images_from(folder: Path, part: ImageTable, roles: Roles) -> Table:
    """The table with its image cells relative to `folder`, unless they already are."""
    if part.image_root == folder:
        return part.table
    way = Path(os.path.relpath(part.image_root, folder))
    cells = dict(part.table.cells)
    for column in set(roles.images) & set(cells):
        cells[column] = [text if is_missing(text) else str(way / text) for text in cells[column]]
    return replace(part.table, cells=cells)


def _drop_incomplete(
    split: str, part: ImageTable, numeric: Sequence[str], categorical: Sequence[str]
) -> tuple[ImageTable, Table]:
    """(rows with a value in each of these columns, the others). DATASET_INVALID when no row is complete."""
    complete = complete_rows(part.table, numeric, categorical)
    if not complete.size:
        message = phrase("all_rows_incomplete", split=split)
        raise TrainerError("DATASET_INVALID", message)
    others = part.table.take(np.setdiff1d(np.arange(len(part.table)), complete))
    return (part.take(complete) if len(others) else part), others


def _one_case_per_image(
    split: str,
    part: ImageTable,
    roles: Roles,
    columns: Columns,
    data: Mapping[str, Any],
    flow: Flow,
    warnings: Warnings,
) -> ImageTable:
    """Merge the rows of one image, unless a recipe defines which rows are a case. DATASET_INVALID if they
    have different labels or inputs."""
    table, recipe = part.table, data.get("recipe")
    refuse_shared_images(table, columns.images, roles.labels, recipe)
    if defines_cases(recipe):
        warnings += rows_with_shared_images(table, roles.images, roles.labels, split)
        return part
    inputs = (*columns.numeric, *columns.categorical)
    kept, found = merge_shared_images(
        table,
        roles.images,
        roles.labels,
        roles.patient,
        inputs,
        split=split,
        refuses=bool(columns.images),
    )
    warnings += found
    if kept is None:
        return part
    merged = part.take(kept)
    flow.append(count_step(f"{split} cases after merging the rows of one image", merged.table, roles.patient))
    return merged


def _narrowed(split: str, source: ImageTable, column: str | None, warnings: Warnings) -> ImageTable:
    """The rows of the CSV of a split, without those that the split column assigns to another split."""
    words = split_words(source.table, column)
    if words is None:
        return source
    if rows := _rows_with_split(split, words):
        return source.take(np.asarray(rows))
    if split == "train":
        message = phrase("no_training_row", table=source.table.name, column=column or "")
        raise TrainerError("DATASET_INVALID", message)
    message = phrase("split_value_absent", table=source.table.name, split=split, column=column or "")
    warnings.append(warning("SPLIT_COLUMN_DISAGREES", message))
    return source


def _rows_with_split(split: str, words: Sequence[str]) -> list[int]:
    return [row for row, word in enumerate(words) if word == split]
