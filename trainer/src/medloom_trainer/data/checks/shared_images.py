"""Rows that are not cases of their own: rows that name the same images (boxes, readers or findings of one
image), and rows that name masks of other images."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import Table, is_missing, masks_among, split_slice
from medloom_trainer.warnings import Warnings, warning


def rows_with_masks(table: Table, images: Sequence[str]) -> Warnings:
    """ROWS_NAME_MASKS for each image column in which some rows name masks of the images of others."""
    found = []
    for column in images:
        cells = table.cells[column]
        file_of = {
            cell: split_slice(cell)[0].replace("\\", "/") for cell in set(cells) if not is_missing(cell)
        }
        masks = masks_among(list(dict.fromkeys(file_of.values())))
        if count := sum(file_of.get(cell) in masks for cell in cells):
            found.append(warning("ROWS_NAME_MASKS", phrase("rows_name_masks", column=column, count=count)))
    return found


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
