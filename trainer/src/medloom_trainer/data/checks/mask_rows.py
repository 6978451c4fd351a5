"""Rows that are not cases of their own, because they name masks of the images of other rows."""

from __future__ import annotations

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
