"""Texts of one column → values: what counts as missing, and what counts as a number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.formats.csv_reader import Table

MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"})
"""Markers of a missing value in a typed column, in any case. Ids and patients know only the empty cell;
UNK is a category.
"""

POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
COMMA = re.compile(r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
CENSORED = re.compile(r"(?:[<>≤≥]=?\s*(?P<bound>[^<>=\s]+)|(?P<least>[^+]+)\+)")
INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)


@dataclass(frozen=True)
class Numbers:
    """A column read as numbers. Positions count rows from 0."""

    values: npt.NDArray[np.float64]
    """(N,) finite, NaN where missing."""
    texts: list[int]
    """Positions of cells that are neither a number nor missing (NaN in `values`)."""
    infinite: list[int]
    """Positions of ±inf or of a number beyond float64: taken as missing."""
    censored: list[int]
    """Positions of `89+`, `>89` or `<0.1`: taken as the bound they name."""


def is_missing(text: str) -> bool:
    return text.casefold() in MISSING


def missing_mask(texts: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(N,) True where a typed column has no value."""
    known: dict[str, bool] = {}
    return np.fromiter(
        (known[text] if text in known else known.setdefault(text, is_missing(text)) for text in texts),
        dtype=np.bool_,
        count=len(texts),
    )


def read_numbers(texts: Sequence[str], delimiter: str) -> Numbers:
    """Read a column as numbers. A decimal comma is understood in a file divided by semicolons or tabs, and
    elsewhere where a column uses the comma in a way that cannot mean thousands; a column that mixes both
    marks has texts, not numbers."""
    comma = uses_decimal_comma(texts, delimiter)
    values = np.full(len(texts), np.nan)
    found: dict[str, list[int]] = {"text": [], "infinite": [], "censored": []}
    known: dict[str, tuple[float, str]] = {}
    for position, text in enumerate(texts):
        if text not in known:
            known[text] = read_number(text, comma)
        value, kind = known[text]
        values[position] = value
        if kind in found:
            found[kind].append(position)
    return Numbers(values, found["text"], found["infinite"], found["censored"])


def read_number(text: str, comma: bool) -> tuple[float, str]:
    """→ (value, "number" | "censored" | "missing" | "infinite" | "text"); the value is NaN for the last
    three.
    """
    if is_missing(text):
        return math.nan, "missing"
    if INFINITE.fullmatch(text):
        return math.nan, "infinite"
    kind = "number"
    if bound := CENSORED.fullmatch(text):
        text, kind = bound["bound"] or bound["least"], "censored"
    if POINT.fullmatch(text):
        value = float(text)
    elif comma and COMMA.fullmatch(text):
        value = float(text.replace(",", "."))
    else:
        return math.nan, "text"
    return (value, kind) if math.isfinite(value) else (math.nan, "infinite")


def uses_decimal_comma(texts: Sequence[str], delimiter: str) -> bool:
    with_comma = {text for text in texts if "," in text and COMMA.fullmatch(text)}
    if not with_comma or any("." in text and POINT.fullmatch(text) for text in texts):
        return False
    return delimiter != "," or any(not THOUSANDS.fullmatch(text) for text in with_comma)


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
