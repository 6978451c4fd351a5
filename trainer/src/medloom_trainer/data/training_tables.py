"""The tables of a training: the role of each column, the rows of each split, the label of each case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from medloom_trainer.data.tables import (
    ImageTable,
    LabelScheme,
    Roles,
    Table,
    count_step,
    drop_incomplete,
    infer_roles,
    learn_labels,
    read_labels,
    read_split_tables,
    select_splits,
)
from medloom_trainer.data.types import Flow, Warnings
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class Columns:
    """The columns that the model reads, and why it does not read the others."""

    numeric: Sequence[str]
    categorical: Sequence[str]
    images: Sequence[str]
    ignored: dict[str, str]


@dataclass(frozen=True)
class TrainingTables:
    """What the tables say."""

    roles: Roles
    columns: Columns
    splits: dict[str, ImageTable]
    left_out: dict[str, Table]
    """Split → rows that missing_strategy "drop" left out."""
    scheme: LabelScheme
    labels: dict[str, npt.NDArray[Any]]
    """Of train, and of val where the tables name it. Labels of the test split are never read."""


def read_training_tables(
    config: dict[str, Any], folders: Sequence[Path], flow: Flow, warnings: Warnings
) -> TrainingTables:
    """Read the tables, give each column its role, each row its split and each case its label."""
    data, model = config["data"], config["model"]
    sources = read_split_tables(data, folders)
    warnings += [warning for source in sources.values() for warning in source.table.warnings]
    roles = infer_roles(sources["train"].table, data, sources["train"].image_root)
    warnings += roles.warnings
    columns = _used_columns(
        roles,
        uses_images=model["vision_backbone"] != "none",
        uses_table=model["fusion_type"] != "none",
    )
    splits = select_splits(sources, roles, flow, warnings)
    left_out: dict[str, Table] = {}
    if data["missing_strategy"] == "drop":
        for split, part in list(splits.items()):
            splits[split], left_out[split] = drop_incomplete(
                split, part, columns.numeric, columns.categorical
            )
            if len(left_out[split]):
                step = f"{split} rows without missing values"
                flow.append(count_step(step, splits[split].table, roles.patient))
    assert roles.label is not None  # infer_roles has refused otherwise
    scheme = learn_labels(splits["train"].table, roles.label, model["task"])
    labelled = [split for split in splits if split != "test"]
    labels = {split: read_labels(splits[split].table, scheme, split) for split in labelled}
    return TrainingTables(roles, columns, splits, left_out, scheme, labels)


def _used_columns(roles: Roles, *, uses_images: bool, uses_table: bool) -> Columns:
    """What the model reads: a backbone or a fusion of "none" leaves the images or the table out."""
    ignored = dict(roles.ignored)
    if not uses_images:
        ignored |= {column: "vision_backbone is none" for column in roles.images}
    if not uses_table:
        ignored |= {column: "fusion_type is none" for column in (*roles.numeric, *roles.categorical)}
    if uses_images and not roles.images:
        message = 'no column names image files; set data.image_columns, or use vision_backbone "none"'
        raise TrainerError("DATASET_INVALID", message)
    if uses_table and not roles.numeric and not roles.categorical:
        message = 'no column is left as table input; name some, or set fusion_type "none" for images alone'
        raise TrainerError("DATASET_INVALID", message)
    return Columns(
        roles.numeric if uses_table else (),
        roles.categorical if uses_table else (),
        roles.images if uses_images else (),
        ignored,
    )
