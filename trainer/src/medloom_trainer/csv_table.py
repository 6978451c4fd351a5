"""A table as a CSV in which spreadsheets recognize no formulas: such texts start with an apostrophe."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import IO

Cell = str | int | float | None
Rows = Iterable[Sequence[Cell]]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
"""Start of a formula, or of a text that already has its apostrophe."""


def write_csv(file: IO[bytes], header: Sequence[str], rows: Rows, *, quote_texts: bool = True) -> None:
    """UTF-8, comma, LF; numbers have full precision. quote_texts: quote all texts, not only if necessary."""
    text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="", write_through=True)
    quoted = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    plain = csv.writer(text, lineterminator="\n")
    for row in chain([header], rows):
        cells = ["" if cell is None else _harmless(cell) for cell in row]
        # The plain writer does not quote a carriage return without a line feed.
        must = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        (quoted if quote_texts or must else plain).writerow(cells)
    text.detach()


def original_text(cell: str) -> str:
    """The original text of a cell that `write_csv` wrote."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
