"""Several tables → one: the union of their columns, missing where a table does not have one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from medloom_trainer.data.csv_reader import Table


def stack(tables: Sequence[Table], *, name: str) -> Table:
    """The rows of one table after the other; lines count on as if they stood in one file."""
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    cells = {
        column: [text for table in tables for text in table.cells.get(column, [""] * len(table))]
        for column in columns
    }
    lines = np.arange(2, sum(len(table) for table in tables) + 2, dtype=np.int64)
    digest = hashlib.sha256("".join(table.digest for table in tables).encode()).hexdigest()
    delimiter = tables[0].delimiter if len({table.delimiter for table in tables}) == 1 else ","
    warnings = [warning for table in tables for warning in table.warnings]
    return replace(
        tables[0],
        name=name,
        columns=tuple(columns),
        cells=cells,
        lines=lines,
        digest=digest,
        delimiter=delimiter,
        warnings=warnings,
    )
