"""Texts of one column → values: what counts as missing, and what counts as a number."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.data.types import Warnings
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import warning

_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "?"})
"""Markers of a missing value in a typed column, in any case. Ids and patients know only the empty cell;
UNK is a category.
"""

_POINT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(?:\d+,\d*|,\d+)(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+")
_CENSORED = re.compile(r"(?:[<>≤≥]=?\s*(?P<bound>[^<>=\s]+)|(?P<least>[^+]+)\+)")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)


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
    return text.casefold() in _MISSING


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
    comma = _uses_decimal_comma(texts, delimiter)
    values = np.full(len(texts), np.nan)
    found: dict[str, list[int]] = {"text": [], "infinite": [], "censored": []}
    known: dict[str, tuple[float, str]] = {}
    for position, text in enumerate(texts):
        if text not in known:
            known[text] = _read_number(text, comma)
        value, kind = known[text]
        values[position] = value
        if kind in found:
            found[kind].append(position)
    return Numbers(values, found["text"], found["infinite"], found["censored"])


def _read_number(text: str, comma: bool) -> tuple[float, str]:
    """→ (value, "number" | "censored" | "missing" | "infinite" | "text"); the value is NaN for the last
    three.
    """
    if is_missing(text):
        return math.nan, "missing"
    if _INFINITE.fullmatch(text):
        return math.nan, "infinite"
    kind = "number"
    if bound := _CENSORED.fullmatch(text):
        text, kind = bound["bound"] or bound["least"], "censored"
    if _POINT.fullmatch(text):
        value = float(text)
    elif comma and _COMMA.fullmatch(text):
        value = float(text.replace(",", "."))
    else:
        return math.nan, "text"
    return (value, kind) if math.isfinite(value) else (math.nan, "infinite")


def with_decimal_points(texts: list[str], delimiter: str) -> list[str]:
    """The texts of a column of numbers with points instead of decimal commas; other columns as they are."""
    if not _uses_decimal_comma(texts, delimiter) or read_numbers(texts, delimiter).texts:
        return texts
    return [text.replace(",", ".") if _COMMA.search(text) else text for text in texts]


def _uses_decimal_comma(texts: Sequence[str], delimiter: str) -> bool:
    with_comma = {text for text in texts if "," in text and _COMMA.fullmatch(text)}
    if not with_comma or any("." in text and _POINT.fullmatch(text) for text in texts):
        return False
    return delimiter != "," or any(not _THOUSANDS.fullmatch(text) for text in with_comma)


def read_column(table: Table, name: str, warnings: Warnings) -> npt.NDArray[np.float64]:
    """(N,) numbers, NaN where missing or infinite; a warning about ±inf and `89+`.

    DATASET_INVALID where the column has other texts.
    """
    numbers = read_numbers(table.cells[name], table.delimiter)
    if numbers.texts:
        message = f'"{name}" is a numeric column with texts: {table.name}, {name_rows(table, numbers.texts)}'
        raise TrainerError("DATASET_INVALID", message)
    if numbers.infinite:
        rows = name_rows(table, numbers.infinite)
        message = f'"{name}" is infinite and taken as missing: {table.name}, {rows}'
        warnings.append(warning("INFINITE_NUMBERS", message))
    if numbers.censored:
        rows = name_rows(table, numbers.censored)
        message = f'"{name}" has bounds such as "89+", taken as the bound itself: {table.name}, {rows}'
        warnings.append(warning("CENSORED_NUMBERS", message))
    return numbers.values


def complete_rows(table: Table, numeric: Sequence[str], categorical: Sequence[str]) -> npt.NDArray[np.int64]:
    """Positions of the rows that have a value in every one of these columns."""
    complete = np.ones(len(table), dtype=np.bool_)
    for name in numeric:
        complete &= np.isfinite(read_column(table, name, []))
    for name in categorical:
        complete &= ~missing_mask(table.cells[name])
    return np.flatnonzero(complete)
