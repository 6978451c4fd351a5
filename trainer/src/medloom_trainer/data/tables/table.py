"""Tables of texts: what every reader of a table file gives, and where in its file a row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Table:
    """A CSV as text: N rows, columns in file order; surrounding blanks of a cell are not part of it."""

    name: str
    """File name, for messages."""
    columns: tuple[str, ...]
    cells: dict[str, list[str]]
    """Column → N texts."""
    lines: npt.NDArray[np.int64]
    """(N,) line where each row starts, as an editor counts; the header is line 1."""
    delimiter: str
    encoding: str
    digest: str
    """sha256 of the file."""
    warnings: list[dict[str, str]] = field(default_factory=list)
    files: tuple[tuple[str, npt.NDArray[np.int64]], ...] = ()
    """Of a table that was made of several files: the name of each and the lines of its rows, in order.
    `lines` counts on through all of them.
    """

    def __len__(self) -> int:
        return len(self.lines)

    def take(self, rows: npt.NDArray[np.int64]) -> Table:
        """The rows with these indices, in this order."""
        cells = {name: [texts[row] for row in rows.tolist()] for name, texts in self.cells.items()}
        return replace(self, cells=cells, lines=self.lines[rows], warnings=[])

    def place(self, row: int) -> tuple[str, int]:
        """(name of the file, line in it) of a row."""
        line = int(self.lines[row])
        position = line - 2
        for name, lines in self.files:
            if position < len(lines):
                return name, int(lines[position])
            position -= len(lines)
        return self.name, line


@dataclass(frozen=True)
class ImageTable:
    """Rows, and the folder that their image cells are relative to."""

    table: Table
    image_root: Path

    def take(self, rows: npt.NDArray[np.int64]) -> ImageTable:
        """The rows with these indices, in this order."""
        return ImageTable(self.table.take(rows), self.image_root)


def name_rows(table: Table, positions: Sequence[int] | npt.NDArray[np.int64]) -> str:
    """ "rows 3, 8, 12 and 4 more": where something is, never what."""
    shown = [name_row(table, int(position)) for position in positions[:20]]
    more = len(positions) - len(shown)
    listed = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    return f"row {listed}" if len(positions) == 1 else f"rows {listed}"


def name_row(table: Table, position: int) -> str:
    """ "3", or "3 of test.csv" where the table was made of several files."""
    file, line = table.place(position)
    return f"{line} of {file}" if table.files else str(line)
