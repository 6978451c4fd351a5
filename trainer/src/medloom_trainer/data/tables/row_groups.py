"""Whether the values of a column group the rows, as the ids of patients with several rows do.

Rows of one patient agree in the columns that describe the patient: sex, birth year, label. Rows with one
value of a measurement do not. A measurement may determine another column as well (age and age group), but
then neighboring values agree too, which the numbers of patients do not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.cells import missing_mask
from medloom_trainer.data.tables.column_texts import coded, distinct_of, once, sorted_codes
from medloom_trainer.data.tables.table import Table

_FEWEST_GROUPS = 20
_LARGEST_MEAN = 20
"""Rows of a group, on average."""
_FEWEST_CHANGES = 10
"""Fewest changes within the groups that are expected by chance. Fewer are not enough evidence."""
_MOST_CHANGES = 0.05
"""Share of the expected changes that occur in a column that does not change."""
_ROUGH = 0.5
"""Share of the expected changes between neighboring groups."""
_FEW_LEVELS = 10
_MOST_COMPARED = 30
_SAME_SIZE = 0.9
_FEWEST_PAIRS = 10
_SMOOTH = (0.7, 2.6)
"""Neighbors for each repetition. Twice as many are expected of numbers that differ by chance."""
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?")


def are_small_groups(counts: Mapping[str, int]) -> bool:
    """Return whether many values occur in a few rows each. Categories have a few frequent values."""
    sizes = [*counts.values()]
    rows, groups = sum(sizes), len(sizes)
    if groups < _FEWEST_GROUPS or rows - groups < _FEWEST_GROUPS or rows > _LARGEST_MEAN * groups:
        return False
    return max(sizes) <= 5 * (1 + rows / groups)


def are_regular(counts: Mapping[str, int]) -> bool:
    """Return whether nearly all values occur equally often, as in a study with a fixed number of visits."""
    sizes = np.fromiter(counts.values(), dtype=np.int64)
    if len(sizes) < _FEWEST_GROUPS:
        return False
    usual = int(np.bincount(sizes).argmax())
    return usual > 1 and float((sizes == usual).mean()) >= _SAME_SIZE


def repeat_by_chance(counts: Mapping[str, int]) -> bool:
    """Return whether whole numbers repeat as those of a measurement do: neighbors such as 71 and 72 are then
    as frequent as repetitions. Ids are far apart, or have no gaps and the same number of rows each."""
    sizes = {int(float(text)): count for text, count in counts.items()}
    repeated = sum(size * (size - 1) // 2 for size in sizes.values())
    values = sorted(sizes)
    step = math.gcd(*(high - low for low, high in pairwise(values)))
    if repeated < _FEWEST_PAIRS or step == 0:
        return False
    neighbors = sum(size * sizes.get(value + step, 0) for value, size in sizes.items())
    return _SMOOTH[0] <= neighbors / repeated <= _SMOOTH[1]


def constant_columns(table: Table, column: str, compared: Collection[str]) -> list[str]:
    """The columns, of those compared, that do not change within the rows of a value of this column, although
    they differ between neighboring values."""
    texts = table.cells[column]
    rows = np.flatnonzero(~missing_mask(texts))
    order = _order(texts)[rows]
    _, first, groups = np.unique(order, return_index=True, return_inverse=True)
    if len(first) in (1, len(rows)):
        return []
    return [
        other
        for other in compared
        if other != column and _is_constant(table.cells[other], rows, rows[first], groups)
    ]


def compared_columns(table: Table) -> list[str]:
    """The columns with the fewest values, which describe a patient rather than a row."""

    def levels(column: str) -> int:
        return len(distinct_of(table.cells[column]))

    known = [column for column in table.columns if 2 <= levels(column) <= len(table) / 2]
    return sorted(known, key=levels)[:_MOST_COMPARED]


def _is_constant(
    texts: Sequence[str],
    rows: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    groups: npt.NDArray[np.intp],
) -> bool:
    """texts: another column; rows: (N,) in question; first: (G,) a row of each group; groups: (N,)"""
    values = _order(texts)
    of_groups = values[first]
    changes = int(np.count_nonzero(values[rows] != of_groups[groups]))
    expected = once(texts, "chance", lambda: _chance(values)) * (len(rows) - len(first))
    if expected < _FEWEST_CHANGES or changes > _MOST_CHANGES * expected:
        return False
    levels, codes = np.unique(of_groups, return_inverse=True)
    if len(levels) > _FEW_LEVELS:
        return float(np.abs(np.diff(codes)).mean()) >= _ROUGH * len(levels) / 3
    return float((np.diff(codes) != 0).mean()) >= _ROUGH * _chance(of_groups)


def _chance(values: npt.NDArray[np.int64]) -> float:
    """The share of pairs of rows with different values."""
    _, counts = np.unique(values, return_counts=True)
    return 1 - float(np.square(counts / len(values)).sum())


def _order(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """(N,) positions of the texts among the different ones, in the order of numbers or of the alphabet."""

    def ordered() -> npt.NDArray[np.int64]:
        distinct, codes = coded(texts)
        if not all(_NUMBER.fullmatch(text) for text in distinct if text):
            return sorted_codes(texts)
        values = np.array([float(text) if text else -math.inf for text in distinct])
        _, position = np.unique(values, return_inverse=True)
        placed: npt.NDArray[np.int64] = position[codes].astype(np.int64)
        return placed

    return once(texts, "order", ordered)
