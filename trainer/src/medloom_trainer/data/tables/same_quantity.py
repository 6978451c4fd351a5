"""Columns that are the outcome, a quantity, in another unit or rounded: months, days, and whole years."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.table import Table

_Floats = npt.NDArray[np.float64]
_FEWEST = 20
"""Cases, and different values of the outcome."""
_SAME = 0.99999
"""Minimum correlation of a quantity with itself in another unit."""
_SAMPLE = 200
_MOST_DECIMALS = 6
_FEWEST_ROUNDED = 5
"""Different values of a rounded quantity: fewer may agree by chance."""
_HALF = 0.55
"""Largest distance of a rounded value, in steps; half a step, and the error of the estimated line."""
_ROUNDED = 0.99


def same_quantities(table: Table, outcome: str, columns: Sequence[str]) -> list[str]:
    target = read_numbers(table.cells[outcome], table.delimiter).values
    if len(np.unique(target[np.isfinite(target)])) < _FEWEST:
        return []
    sample = np.unique(np.linspace(0, len(table) - 1, _SAMPLE).astype(np.int64))
    every = np.arange(len(table))
    return [
        column for column in columns if all(_agrees(table, column, target, rows) for rows in (sample, every))
    ]


def _agrees(table: Table, column: str, target: _Floats, rows: npt.NDArray[np.int64]) -> bool:
    texts = table.cells[column]
    found = read_numbers([texts[row] for row in rows.tolist()], table.delimiter)
    known = np.isfinite(found.values) & np.isfinite(target[rows])
    one, other = found.values[known], target[rows][known]
    if found.texts or len(one) < _FEWEST or np.ptp(one) == 0 or np.ptp(other) == 0:
        return False
    if abs(np.corrcoef(one, other)[0, 1]) >= _SAME:
        return True
    return _is_rounded(one, other) or _is_rounded(other, one)


def _is_rounded(rounded: _Floats, exact: _Floats) -> bool:
    """Return whether these are the other values in some unit, rounded to their last decimal place."""
    if len(np.unique(rounded)) < _FEWEST_ROUNDED:
        return False
    centered = exact - exact.mean()
    slope = (centered @ (rounded - rounded.mean())) / (centered @ centered)
    distance = np.abs(rounded - rounded.mean() - slope * centered)
    return bool((distance <= _HALF * _step_of(rounded)).mean() >= _ROUNDED)


def _step_of(values: _Floats) -> float:
    """The last decimal place: 1 for whole numbers, 0.1 for one decimal."""
    for decimals in range(_MOST_DECIMALS):
        if np.allclose(values, np.round(values, decimals), rtol=0, atol=1e-9):
            return float(10.0**-decimals)
    return float(10.0**-_MOST_DECIMALS)
