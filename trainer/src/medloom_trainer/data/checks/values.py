"""Numbers that may have another meaning: sentinels such as -999 for "missing", and dates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import (
    Levels,
    Table,
    counted,
    present_texts,
    read_levels,
    suspected_form,
)
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
    """A warning for each column whose numbers may be dates."""
    found = []
    for column in columns:
        counts = counted(table.cells[column])
        present = present_texts(table.cells[column])
        form = suspected_form({text: counts[text] for text in present})
        if form is not None:
            message = phrase("dates_suspected", column=column, count=len(present), form=phrase(form))
            found.append(warning("DATES_SUSPECTED", message))
    return found


def suspected_sentinels(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column with such a number far from all others, or as the only negative one."""
    found = []
    for column in columns:
        counts = _counts_of_sentinels(read_levels(table.cells[column], table.delimiter))
        if counts:
            listed = ", ".join(f"{value:g} ({count})" for value, count in counts.items())
            message = phrase("sentinel_suspected", column=column, values=listed)
            found.append(warning("SENTINEL_SUSPECTED", message))
    return found


def _counts_of_sentinels(levels: Levels) -> dict[float, int]:
    values = levels.ascending[np.isfinite(levels.ascending)]
    candidates = np.isin(values, _SENTINELS)
    others = values[~candidates]
    if len(others) < _FEWEST_OTHERS:
        return {}
    low, high = float(others.min()), float(others.max())
    counts = {}
    for value in values[candidates].tolist():
        count = int((levels.ascending == value)[levels.codes[levels.known]].sum())
        gap = max(low - value, value - high)
        if gap > (high - low) / 2 or (value < 0 <= low and count > 1):
            counts[value] = count
    return counts
