"""Rows that name the same images, such as boxes, readers or findings of one image: each counts as a case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning


@dataclass(frozen=True)
class SharedImages:
    """Rows that have the same files in all image columns as other rows."""

    rows: int
    images: int
    differing: int
    """Images whose rows have different labels."""

    def in_words(self) -> Phrased:
        return phrase("rows_share_images", rows=self.rows, count=self.images, differing=self.differing)


def find_shared_images(table: Table, images: Sequence[str], labels: Sequence[str]) -> SharedImages | None:
    """None if each row has other images. images, labels: columns, of which those that the table lacks do not
    count."""
    columns = [table.cells[column] for column in images if column in table.cells]
    named = [table.cells[label] for label in labels if label in table.cells]
    rows_of: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, files in enumerate(zip(*columns, strict=True)):
        if not all(is_missing(file) for file in files):
            rows_of[files].append(row)
    shared = [rows for rows in rows_of.values() if len(rows) > 1]
    differing = sum(any(_differ([texts[row] for row in rows]) for texts in named) for rows in shared)
    return SharedImages(sum(map(len, shared)), len(shared), differing) if shared else None


def _differ(labels: Sequence[str]) -> bool:
    return len({_plain(label) for label in labels if not is_missing(label)}) > 1


def _plain(label: str) -> str | float:
    try:
        return float(label)
    except ValueError:
        return comparable_name(label)


def rows_with_shared_images(
    table: Table, images: Sequence[str], labels: Sequence[str], split: str = "train"
) -> Warnings:
    """ROWS_SHARE_IMAGES if several rows have the same files in all image columns. A split other than train is
    named."""
    found = find_shared_images(table, images, labels)
    if found is None:
        return []
    message = found.in_words()
    return [warning("ROWS_SHARE_IMAGES", message if split == "train" else join(split, message, mark="colon"))]


def refuse_shared_images(
    table: Table, images: Sequence[str], labels: Sequence[str], recipe: Mapping[str, Any] | None = None
) -> None:
    """DATASET_INVALID if rows with the same images have different labels, unless the recipe defines which
    rows are a case: the model cannot distinguish them, and prevalence counts rows instead of images."""
    found = find_shared_images(table, images, labels)
    if found is not None and found.differing and "rows" not in (recipe or {}):
        message = join(table.name, found.in_words(), mark="colon")
        raise TrainerError("DATASET_INVALID", message, phrase("do_merge_rows"))
