"""The truth of a condition (filter_grammar.py) in every row of a table.

Three-valued logic as in SQL: a test of a missing value is unknown, the negation of unknown is unknown, and
only true rows are kept. A number equals all of its forms: 1, 1.0 and 01.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any as Anything

import numpy as np
import numpy.typing as npt

from medloom_trainer.cases.filter_grammar import (
    All,
    Any,
    Comparison,
    Condition,
    Membership,
    Missing,
    Not,
    invalid,
)
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import Table, are_codes, missing_mask, read_numbers

_EXACT = 2.0**53
"""Larger whole numbers, such as codes of 16 digits, are not exact as floating-point numbers: their texts are
compared."""
Truth = npt.NDArray[np.int8]
"""(N,) 1 true, 0 false, -1 unknown."""
_COMPARE: dict[str, Callable[[Anything, Anything], Anything]] = {
    "=": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True)
class Cells:
    """N cells of one column."""

    texts: Sequence[str]
    numbers: Callable[[], npt.NDArray[np.float64]]
    """(N,) NaN if missing or not a number; read when a test needs them."""
    is_number: Callable[[], bool]
    """Return whether every cell that is not missing is a number."""

    @classmethod
    def of_column(cls, texts: Sequence[str], delimiter: str) -> Cells:
        def codes() -> bool:
            return are_codes(texts)

        return cls(
            texts,
            lambda: np.full(len(texts), np.nan) if codes() else read_numbers(texts, delimiter).values,
            lambda: not codes() and not read_numbers(texts, delimiter).texts,
        )

    @classmethod
    def of_values(cls, texts: Sequence[str], numbers: Sequence[float] | None, *, all_numbers: bool) -> Cells:
        """numbers: those of the texts; None: there are none."""
        known = np.full(len(texts), np.nan) if numbers is None else np.asarray(numbers)
        return cls(texts, lambda: known, lambda: all_numbers)


def judge(tree: Condition, table: Table, text: str) -> Truth:
    """The truth of a condition in every row. text: the condition, for the message of FILTER_INVALID."""

    def of_test(test: Comparison | Membership | Missing) -> Truth:
        return truth_of(test, Cells.of_column(table.cells[test.column], table.delimiter), text)

    return combine(tree, of_test)


def combine(tree: Condition, truth: Callable[[Comparison | Membership | Missing], Truth]) -> Truth:
    """The truth of a condition, from the truth of each of its tests."""
    if isinstance(tree, Not):
        inner = combine(tree.part, truth)
        return np.where(inner < 0, inner, 1 - inner).astype(np.int8)
    if isinstance(tree, All | Any):
        parts = np.stack([combine(part, truth) for part in tree.parts])
        decides = 0 if isinstance(tree, All) else 1
        unknown = (parts < 0).any(axis=0)
        return np.where((parts == decides).any(axis=0), decides, np.where(unknown, -1, 1 - decides)).astype(
            np.int8
        )
    return truth(tree)


def truth_of(test: Comparison | Membership | Missing, cells: Cells, text: str) -> Truth:
    """text: the whole condition, for the message of FILTER_INVALID."""
    missing = missing_mask(cells.texts)
    if isinstance(test, Missing):
        return missing.astype(np.int8)
    if isinstance(test, Membership):
        alike = np.zeros(len(cells.texts), dtype=np.bool_)
        for value, is_number in test.values:
            alike |= _equal(cells, value, is_number)
        return np.where(missing, -1, alike).astype(np.int8)
    if test.operator in ("=", "!="):
        alike = _equal(cells, test.value, test.is_number)
        return np.where(missing, -1, alike == (test.operator == "=")).astype(np.int8)
    return _compare(test, cells, missing, text)


def _equal(cells: Cells, value: str, is_number: bool) -> npt.NDArray[np.bool_]:
    """A number equals cells with that number, a quoted text equals cells with that text."""
    same = np.fromiter((text == value for text in cells.texts), dtype=np.bool_, count=len(cells.texts))
    if is_number and abs(float(value)) <= _EXACT:
        same |= cells.numbers() == float(value)
    return same


def _compare(test: Comparison, cells: Cells, missing: npt.NDArray[np.bool_], text: str) -> Truth:
    if not cells.is_number():
        message = phrase("text_compared_as_number", column=test.column, operator=test.operator)
        raise invalid(text, test.place, message)
    numbers = cells.numbers()
    with np.errstate(invalid="ignore"):
        truth = _COMPARE[test.operator](numbers, float(test.value))
    return np.where(~missing & ~np.isnan(numbers), truth, -1).astype(np.int8)
