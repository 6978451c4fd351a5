"""Tables that are made, not read: of columns, with other columns, or of several tables."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from medloom_trainer.data.tables.table import Table


def make_table(name: str, columns: Mapping[str, Sequence[str]]) -> Table:
    """A table of our own: N texts per column."""
    cells = {column: list(texts) for column, texts in columns.items()}
    count = len(next(iter(cells.values())))
    lines = np.arange(2, count + 2, dtype=np.int64)
    return Table(name, tuple(cells), cells, lines, ",", "utf-8", "")


def with_columns(table: Table, columns: Mapping[str, Sequence[str]]) -> Table:
    """The same rows with these columns."""
    cells = {column: list(texts) for column, texts in columns.items()}
    return replace(table, columns=tuple(cells), cells=cells)


def stack(tables: Sequence[Table], *, name: str) -> Table:
    """The rows of one table after the other, with the columns of all of them, missing where a table does not
    have one; lines count on as if they were in one file.
    """
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
        files=(),
    )
