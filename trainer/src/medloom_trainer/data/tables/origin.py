"""Origin of the rows of a table: files of the user, and the lines in them.

A table that was made from others (several files of a folder, the copies that workflow nodes pass on, a merged
dataset) stores the file and the line of each row, so that messages and predictions name the user's files. In
a CSV that Medloom writes, the last two columns contain the origin (contract/case-table.json); the reader
removes them, so that they get no role and no filter or model reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.case_table import FILE_COLUMN, ROW_COLUMN


@dataclass(frozen=True)
class Origin:
    """Origin of N rows."""

    files: Sequence[str]
    """N file names."""
    lines: npt.NDArray[np.int64]
    """(N,) lines in them; the header is line 1."""

    @classmethod
    def from_places(cls, places: Sequence[tuple[str, int]]) -> Origin:
        """N times (file, line)."""
        return cls([file for file, _ in places], np.asarray([line for _, line in places], dtype=np.int64))

    def take(self, rows: npt.NDArray[np.int64]) -> Origin:
        """The rows with these indices, in this order."""
        return Origin([self.files[row] for row in rows.tolist()], self.lines[rows])

    def place(self, row: int) -> tuple[str, int]:
        return self.files[row], int(self.lines[row])

    def in_words(self) -> str:
        """The files: "a.csv", "a.csv and b.csv", "3 files"."""
        names = list(dict.fromkeys(self.files))
        return " and ".join(names) if len(names) <= 2 else f"{len(names)} files"

    def columns(self) -> dict[str, list[str]]:
        """The two columns in their written form."""
        return {FILE_COLUMN: list(self.files), ROW_COLUMN: [str(line) for line in self.lines.tolist()]}


def split_origin(cells: dict[str, list[str]]) -> tuple[dict[str, list[str]], Origin | None]:
    """(the other columns, the origin of the rows). Columns of these names with other content are kept."""
    files, lines = cells.get(FILE_COLUMN), cells.get(ROW_COLUMN)
    if files is None or lines is None or not all(files) or not all(map(_is_line, lines)):
        return cells, None
    others = {name: texts for name, texts in cells.items() if name not in (FILE_COLUMN, ROW_COLUMN)}
    return others, Origin(files, np.asarray([int(line) for line in lines], dtype=np.int64))


def _is_line(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 16
