"""Numbers that may have another meaning: sentinels such as -999 for "missing", and days as Excel counts
them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import Table, coded, is_missing, may_be_dates, read_numbers
from medloom_trainer.warnings import Warnings, warning

_LARGE = (
    77,
    88,
    *range(95, 100),
    777,
    888,
    999.9,
    *range(995, 1000),
    7777,
    8888,
    *range(9995, 10_000),
    99_999,
)
_SENTINELS = (9.0, *map(float, _LARGE), *(-float(code) for code in (*range(1, 10), *_LARGE)))
"""Codes of surveys and registers, which have several of them: refused, unknown, not asked."""
_FEWEST_OTHERS = 5


def suspected_meanings(table: Table, columns: Sequence[str]) -> Warnings:
    """Warnings about numbers of these columns that may have another meaning."""
    return [*suspected_sentinels(table, columns), *suspected_dates(table, columns)]


def suspected_dates(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column whose numbers may be dates of a workbook."""
    found = []
    for column in columns:
        distinct = set(coded(table.cells[column])[0])
        if may_be_dates(distinct):
            count = sum(not is_missing(text) for text in distinct)
            message = phrase("dates_suspected", column=column, count=count)
            found.append(warning("DATES_SUSPECTED", message))
    return found


def suspected_sentinels(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column with such a number far from all others, or as the only negative one."""
    found = []
    for column in columns:
        values = read_numbers(table.cells[column], table.delimiter).values
        counts = _counts_of_sentinels(values[np.isfinite(values)])
        if counts:
            listed = ", ".join(f"{value:g} ({count})" for value, count in counts.items())
            message = phrase("sentinel_suspected", column=column, values=listed)
            found.append(warning("SENTINEL_SUSPECTED", message))
    return found


def _counts_of_sentinels(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> dict[float, int]:
    candidates = np.isin(values, _SENTINELS)
    others = values[~candidates]
    if len(np.unique(others)) < _FEWEST_OTHERS:
        return {}
    low, high = float(others.min()), float(others.max())
    counts = {}
    for value in np.unique(values[candidates]).tolist():
        count = int((values == value).sum())
        gap = max(low - value, value - high)
        if gap > (high - low) / 2 or (value < 0 <= low and count > 1):
            counts[value] = count
    return counts
