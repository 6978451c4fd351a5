"""How many values the tables lack, by part and column, before any strategy fills the gaps or leaves rows
out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.data.splits import SplitCases
from medloom_trainer.data.tables import Table, missing_mask, read_numbers


def missing_by_part(
    splits: Mapping[str, SplitCases],
    left_out: Mapping[str, Table],
    numeric: Sequence[str],
    categorical: Sequence[str],
) -> dict[str, dict[str, Any]]:
    """Part → {"cases", "columns": column → cases without a value} (contract Prepared.missing).

    left_out: split → rows that the strategy "drop" left out; each is a part of its own.
    """
    parts = {}
    for split, part in splits.items():
        images = part.views.missing if part.views is not None else {}
        columns = images | _count_missing(part.table, numeric, categorical)
        parts[split] = {"cases": len(part.table), "columns": columns}
    for split, table in left_out.items():
        if len(table):
            columns = _count_missing(table, numeric, categorical)
            parts[f"left out of {split}"] = {"cases": len(table), "columns": columns}
    return parts


def _count_missing(table: Table, numeric: Sequence[str], categorical: Sequence[str]) -> dict[str, int]:
    """Column → rows without a value; a number that is infinite is none."""
    counts = {}
    for name in numeric:
        counts[name] = int(np.isnan(read_numbers(table.cells[name], table.delimiter).values).sum())
    for name in categorical:
        counts[name] = int(missing_mask(table.cells[name]).sum())
    return counts
