"""Rows that name the same images, such as boxes, readers or findings of one image: they become one case, or
are refused if the label or an input differs between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, phrase, quoted
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class SharedImages:
    """Rows that have the same files in all image columns as other rows."""

    rows: int
    images: int
    differing: int
    """Images whose rows have different labels."""

    def in_words(self) -> Phrased:
        return phrase("rows_share_images", rows=self.rows, count=self.images, differing=self.differing)


@dataclass(frozen=True)
class MergedRows:
    """Rows of a table of which each is a case."""

    kept: _Rows
    """The first row of each case, in the order of the table."""
    rows: int
    """Rows that share their images, label and patient with others."""
    cases: int
    """Cases that these rows become."""
    differing: tuple[str, ...]
    """Inputs that differ between the rows of a case, for which the rows were not merged."""

    def in_words(self) -> Phrased:
        if self.differing:
            columns = quoted(self.differing[:20])
            return phrase("rows_of_images_differ", rows=self.rows, count=self.cases, columns=columns)
        return phrase("rows_of_images_merged", rows=self.rows, count=self.cases)


def find_shared_images(table: Table, images: Sequence[str], labels: Sequence[str]) -> SharedImages | None:
    """None if each row has other images. images, labels: columns, of which those that the table lacks do not
    count."""
    named = [table.cells[label] for label in labels if label in table.cells]
    shared = _rows_of_images(table, images)
    differing = sum(any(_differ([texts[row] for row in rows]) for texts in named) for rows in shared)
    return SharedImages(sum(map(len, shared)), len(shared), differing) if shared else None


def find_merged_rows(
    table: Table, images: Sequence[str], same: Sequence[str], inputs: Sequence[str]
) -> MergedRows | None:
    """The cases that rows with the same images become; None if there are no such rows. same: columns such as
    label and patient that are equal in the rows of a case. inputs: columns that the model reads. Columns that
    the table lacks do not count."""
    of_case = [table.cells[name] for name in same if name in table.cells]
    groups = []
    for rows in _rows_of_images(table, images):
        cases: dict[tuple[str | float, ...], list[int]] = defaultdict(list)
        for row in rows:
            cases[tuple(_plain(texts[row]) for texts in of_case)].append(row)
        groups += [found for found in cases.values() if len(found) > 1]
    if not groups:
        return None
    differing = tuple(
        name
        for name in inputs
        if name in table.cells and any(_are_unlike(table.cells[name], rows) for rows in groups)
    )
    merged = [] if differing else [row for rows in groups for row in rows[1:]]
    kept = np.setdiff1d(np.arange(len(table), dtype=np.int64), np.asarray(merged, dtype=np.int64))
    return MergedRows(kept, sum(map(len, groups)), len(groups), differing)


def _rows_of_images(table: Table, images: Sequence[str]) -> list[list[int]]:
    """The rows of each set of files that several rows name."""
    columns = [table.cells[column] for column in images if column in table.cells]
    rows_of: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, files in enumerate(zip(*columns, strict=True)):
        if not all(is_missing(file) for file in files):
            rows_of[files].append(row)
    return [rows for rows in rows_of.values() if len(rows) > 1]


def _differ(labels: Sequence[str]) -> bool:
    return len({_plain(label) for label in labels if not is_missing(label)}) > 1


def _are_unlike(texts: Sequence[str], rows: Sequence[int]) -> bool:
    return len({texts[row] for row in rows}) > 1 and len({_plain(texts[row]) for row in rows}) > 1


def _plain(label: str) -> str | float:
    if is_missing(label):
        return ""
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
    return [] if found is None else [_warning(found.in_words(), split)]


def merge_shared_images(
    table: Table,
    images: Sequence[str],
    labels: Sequence[str],
    patient: str | None,
    inputs: Sequence[str],
    *,
    split: str = "train",
    refuses: bool = True,
) -> tuple[_Rows | None, Warnings]:
    """(the rows that remain once those of one case are merged; None if all remain, ROWS_SHARE_IMAGES about
    them). DATASET_INVALID if rows with the same images, label and patient have different inputs; a warning
    unless it `refuses` them."""
    found = find_merged_rows(table, images, [*labels, *filter(None, [patient])], inputs)
    if found is None:
        return None, rows_with_shared_images(table, images, labels, split)
    if found.differing and not refuses:
        return None, [_warning(found.in_words(), split)]
    if found.differing:
        message = join(table.name, found.in_words(), mark="colon")
        raise TrainerError("DATASET_INVALID", message, phrase("do_merge_rows_or_ignore"))
    others = rows_with_shared_images(table.take(found.kept), images, labels, split)
    return found.kept, [_warning(found.in_words(), split), *others]


def _warning(message: Phrased, split: str) -> dict[str, Any]:
    return warning("ROWS_SHARE_IMAGES", message if split == "train" else join(split, message, mark="colon"))


def refuse_shared_images(
    table: Table, images: Sequence[str], labels: Sequence[str], recipe: Mapping[str, Any] | None = None
) -> None:
    """DATASET_INVALID if rows with the same images have different labels, unless the recipe defines which
    rows are a case: the model cannot distinguish them, and prevalence counts rows instead of images."""
    found = find_shared_images(table, images, labels)
    if found is not None and found.differing and not defines_cases(recipe):
        message = join(table.name, found.in_words(), mark="colon")
        raise TrainerError("DATASET_INVALID", message, phrase("do_merge_rows"))


def defines_cases(recipe: Mapping[str, Any] | None) -> bool:
    """Return whether a recipe defines which rows are a case."""
    return "rows" in (recipe or {})
