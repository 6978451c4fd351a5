"""Numbers that may have another meaning: sentinels such as -999 for "missing"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medloom_trainer.data.tables import Table, read_numbers
from medloom_trainer.warnings import Warnings, warning

_SENTINELS = (
    -1.0, -9.0, -99.0, -999.0, -9999.0, -99999.0, -77.0, -88.0, -777.0, -888.0, -7777.0, -8888.0,
    9.0, 99.0, 999.0, 9999.0, 99999.0, 77.0, 88.0, 777.0, 888.0, 7777.0, 8888.0, 999.9, -999.9,
)  # fmt: skip
_FEWEST_OTHERS = 5


def suspected_sentinels(table: Table, columns: Sequence[str]) -> Warnings:
    """A warning for each column with such a number far from all others, or as the only negative one."""
    found = []
    for column in columns:
        values = read_numbers(table.cells[column], table.delimiter).values
        counts = _counts_of_sentinels(values[np.isfinite(values)])
        if counts:
            listed = ", ".join(f"{value:g} ({count})" for value, count in counts.items())
            message = (
                f'column "{column}" may encode missing values as numbers (number of cases): {listed}; they '
                "are read as numbers"
            )
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
