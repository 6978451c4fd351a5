"""Tables of texts: the result of every reader of a table file, the position of a row in its file, tables made
from columns or from other tables, and the rows of each patient.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, listing, phrase
from medloom_trainer.data.tables.column_texts import ColumnTexts, coded, distinct_of, take_texts
from medloom_trainer.data.tables.origin import Origin
from medloom_trainer.data.tables.table_width import refuse_wide
from medloom_trainer.errors import TrainerError
from medloom_trainer.unicode_text import are_plain_texts, plain_text, visible_text
from medloom_trainer.warnings import Warnings, warning

UNNAMED_INDEX = "Unnamed: 0"
"""Name of a first column without one: the row numbers that pandas writes."""


@dataclass(frozen=True)
class Table:
    """A CSV as text: N rows, columns in file order, cells without surrounding blanks."""

    name: str
    """File name, for messages."""
    columns: tuple[str, ...]
    cells: dict[str, list[str]]
    """Column → N texts."""
    lines: npt.NDArray[np.int64]
    """(N,) line at which each row starts, as in an editor; the header is line 1."""
    delimiter: str
    encoding: str
    digest: str
    """sha256 of the file."""
    warnings: Warnings = field(default_factory=list)
    origin: Origin | None = None
    """Origin of each row of a table made from others, which `lines` do not contain then."""
    labeled: frozenset[str] = frozenset()
    """Columns with the value labels of SPSS or Stata instead of the codes."""
    malformed: Mapping[int, Phrased] = field(default_factory=dict)
    """Line in the file → why this row, whose cells are empty here, is not a case. Only readers of new cases
    keep such rows."""

    def __post_init__(self) -> None:
        kept = {name: ColumnTexts.of(texts) for name, texts in self.cells.items()}
        object.__setattr__(self, "cells", kept)

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: npt.NDArray[np.int64]) -> Table:
        """The rows with these indices, in this order."""
        if np.array_equal(rows, np.arange(len(self))):
            return replace(self, warnings=[])
        cells = {name: take_texts(texts, rows) for name, texts in self.cells.items()}
        origin = None if self.origin is None else self.origin.take(rows)
        return replace(self, cells=cells, lines=self.lines[rows], warnings=[], origin=origin)

    def place(self, row: int) -> tuple[str, int]:
        """(name of the user's file, line in it) of a row."""
        return (self.name, int(self.lines[row])) if self.origin is None else self.origin.place(row)

    def with_origin(self) -> Table:
        """The same table with the origin of its rows, which tables made from it keep."""
        places = [self.place(row) for row in range(len(self))]
        return replace(self, origin=Origin.from_places(places))


@dataclass(frozen=True)
class ImageTable:
    """Rows, and the folder that their image cells are relative to."""

    table: Table
    image_root: Path

    def take(self, rows: npt.NDArray[np.int64]) -> ImageTable:
        """The rows with these indices, in this order."""
        return ImageTable(self.table.take(rows), self.image_root)


_MOST_ROWS = 20
"""Rows that a message lists."""


def name_rows(table: Table, positions: Sequence[int] | npt.NDArray[np.int64]) -> Phrased:
    """ "rows 3, 8, 12 and 4 more": the positions, never the values."""
    shown = [name_row(table, int(position)) for position in positions[:_MOST_ROWS]]
    listed = listing(shown, _MOST_ROWS)
    if (more := len(positions) - _MOST_ROWS) > 0:
        listed = join(listed, phrase("and_more", count=more), mark="space")
    return phrase("rows_at", count=len(positions), rows=listed)


def name_row(table: Table, position: int) -> str:
    """ "3", or "3 of test.csv" if the table has another name because it was made from several files."""
    file, line = table.place(position)
    return str(line) if file == table.name else phrase("row_in_file", row=str(line), file=file)


def check_header(header: list[str], line: int, name: str) -> tuple[str, ...]:
    """The column names. TABLE_TOO_LARGE, or CSV_MALFORMED for an empty or repeated name."""
    refuse_wide(len(header), f"{name}, row {line}")
    columns = tuple(visible_text(cell) for cell in header)
    if columns and not columns[0] and any(columns):
        columns = (UNNAMED_INDEX, *columns[1:])
    if not any(columns):
        raise TrainerError("CSV_MALFORMED", phrase("table_empty", table=name))
    for position, column in enumerate(columns, start=1):
        if not column:
            place = {"table": name, "row": str(line), "position": str(position)}
            raise TrainerError("CSV_MALFORMED", phrase("header_field_empty", **place))
    for column, count in Counter(columns).items():
        if count > 1:
            place = {"table": name, "row": str(line), "column": column}
            message = phrase("header_repeats", count=str(count), **place)
            raise TrainerError("CSV_MALFORMED", message)
    return columns


def plain_cells(cells: Mapping[str, list[str]], name: str) -> tuple[dict[str, list[str]], Warnings]:
    """(the cells as plain texts, TEXT_NORMALIZED if that changed more than blanks at their ends)."""
    plain: dict[str, list[str]] = {}
    changed = {}
    for column, given in cells.items():
        texts = ColumnTexts.of(given)
        if are_plain_texts(distinct_of(texts)):
            plain[column] = texts
            continue
        plain_of = {text: plain_text(text) for text in distinct_of(texts)}
        unchanged = all(text is new or text == new for text, new in plain_of.items())
        plain[column] = texts if unchanged else [plain_of[text] for text in texts]
        if count := sum(text.strip() != new for text, new in plain_of.items()):
            changed[column] = count
    if not changed:
        return plain, []
    listed = ", ".join(f'"{column}" ({count})' for column, count in list(changed.items())[:20])
    return plain, [warning("TEXT_NORMALIZED", phrase("texts_normalized", table=name, columns=listed))]


def make_table(name: str, columns: Mapping[str, Sequence[str]]) -> Table:
    """A table made by Medloom: N texts per column."""
    cells = {column: list(texts) for column, texts in columns.items()}
    count = len(next(iter(cells.values())))
    lines = np.arange(2, count + 2, dtype=np.int64)
    return Table(name, tuple(cells), cells, lines, ",", "utf-8", "")


def plain_table(name: str, cells: Mapping[str, list[str]], lines: npt.NDArray[np.int64]) -> Table:
    """A table of given texts, in the form of the texts of files. Errors as in `check_header`."""
    columns = check_header(list(cells), 1, name)
    plain, warnings = plain_cells(dict(zip(columns, cells.values(), strict=True)), name)
    return Table(name, columns, plain, lines, ",", "utf-8", "", warnings)


def with_columns(table: Table, columns: Mapping[str, Sequence[str]]) -> Table:
    """The same rows with these columns."""
    cells = {column: texts if isinstance(texts, list) else list(texts) for column, texts in columns.items()}
    return replace(table, columns=tuple(cells), cells=cells)


def stack(tables: Sequence[Table], *, name: str) -> Table:
    """The rows of all tables in order, with the columns of all of them, missing if a table does not have one.
    Lines are numbered as in one file; the origin of each row is kept. DATASET_INVALID if a column has value
    labels in one file and codes in another.
    """
    _refuse_mixed_labels(tables)
    columns = list(dict.fromkeys(column for table in tables for column in table.columns))
    cells = {
        column: [text for table in tables for text in table.cells.get(column, [""] * len(table))]
        for column in columns
    }
    lines = np.arange(2, sum(len(table) for table in tables) + 2, dtype=np.int64)
    digest = hashlib.sha256("".join(table.digest for table in tables).encode()).hexdigest()
    delimiter = tables[0].delimiter if len({table.delimiter for table in tables}) == 1 else ","
    warnings = [warning for table in tables for warning in table.warnings]
    places = [table.place(row) for table in tables for row in range(len(table))]
    return replace(
        tables[0],
        name=name,
        columns=tuple(columns),
        cells=cells,
        lines=lines,
        digest=digest,
        delimiter=delimiter,
        warnings=warnings,
        origin=Origin.from_places(places),
    )


def _refuse_mixed_labels(tables: Sequence[Table]) -> None:
    for column in sorted({column for table in tables for column in table.labeled}):
        others = [
            table.name
            for table in tables
            if column not in table.labeled and any(distinct_of(table.cells.get(column, [])))
        ]
        if others:
            labeled = next(table.name for table in tables if column in table.labeled)
            message = phrase("labels_in_one_file", column=column[:80], table=labeled, other=others[0])
            remedy = phrase("same_value_labels")
            raise TrainerError("DATASET_INVALID", message, remedy)


def number_patients(table: Table, patient: str | None) -> npt.NDArray[np.int64] | None:
    """(N,) the same number for the same patient; a case without a patient counts as a separate patient. None
    without a patient column.
    """
    if patient is None:
        return None
    distinct, codes = coded(table.cells[patient])
    numbers = codes.astype(np.int64)
    if "" in distinct:
        alone = np.flatnonzero(codes == distinct.index(""))
        numbers[alone] = np.arange(len(distinct), len(distinct) + len(alone))
    return numbers


def count_patients(table: Table, patient: str | None) -> int | None:
    """None without a patient column."""
    patients = number_patients(table, patient)
    return None if patients is None else int(np.count_nonzero(np.bincount(patients)))


def count_step(step: str, table: Table, patient: str | None) -> dict[str, Any]:
    """One entry of a Flow; patients are null if this table lacks their column."""
    patients = count_patients(table, patient if patient in table.cells else None)
    return {"step": step, "cases": len(table), "patients": patients}
