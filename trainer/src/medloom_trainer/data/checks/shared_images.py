"""Rows that name the same images: boxes, readers or findings of one image. Each row counts as a case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import Table, is_missing
from medloom_trainer.warnings import Warnings, warning


def rows_with_shared_images(table: Table, images: Sequence[str], labels: Sequence[str]) -> Warnings:
    """ROWS_SHARE_IMAGES if several rows have the same files in all image columns."""
    rows_of: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for row, files in enumerate(zip(*(table.cells[column] for column in images), strict=True)):
        if not all(is_missing(file) for file in files):
            rows_of[files].append(row)
    shared = [rows for rows in rows_of.values() if len(rows) > 1]
    if not shared:
        return []
    differing = sum(
        len({tuple(table.cells[label][row] for label in labels) for row in rows}) > 1 for rows in shared
    )
    rows = sum(map(len, shared))
    message = phrase("rows_share_images", rows=rows, count=len(shared), differing=differing)
    return [warning("ROWS_SHARE_IMAGES", message)]
