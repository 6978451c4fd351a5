"""The texts of a column by their distinct values: most questions about a column are answered once for each
different text, not once for each row."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_Found = TypeVar("_Found")


class ColumnTexts(list[str]):
    """The texts of a column of a table, which never change, and what was found out about them."""

    __slots__ = ("_found",)

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__(texts)
        self._found: dict[Hashable, Any] = {}

    @classmethod
    def from_codes(cls, distinct: list[str], codes: npt.NDArray[np.int32]) -> ColumnTexts:
        """The column with the D different texts, in the order of their first rows, at the (N,) positions
        `codes`."""
        texts = cls(np.array(distinct, dtype=object)[codes].tolist() if distinct else [])
        texts._found["coded"] = distinct, codes
        return texts

    @classmethod
    def of(cls, texts: Sequence[str]) -> ColumnTexts:
        return texts if isinstance(texts, ColumnTexts) else cls(texts)

    def once(self, question: Hashable, answer: Callable[[], _Found]) -> _Found:
        if question not in self._found:
            self._found[question] = answer()
        found: _Found = self._found[question]
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnTexts, (list(self),)


def once(texts: Sequence[str], question: Hashable, answer: Callable[[], _Found]) -> _Found:
    """The answer, which is kept if the texts are a column of a table."""
    return texts.once(question, answer) if isinstance(texts, ColumnTexts) else answer()


def coded(texts: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int32]]:
    """(D different texts in the order of their first rows, (N,) positions of the rows' texts among them)"""
    return once(texts, "coded", lambda: _coded(texts))


def distinct_of(texts: Sequence[str]) -> list[str]:
    """The different texts in the order of their first rows."""
    return coded(texts)[0]


def counted(texts: Sequence[str]) -> dict[str, int]:
    """Text → rows that have it, in the order of the first rows."""
    distinct, codes = coded(texts)
    return dict(zip(distinct, np.bincount(codes, minlength=len(distinct)).tolist(), strict=True))


def take_texts(texts: Sequence[str], rows: npt.NDArray[np.int64]) -> list[str]:
    """The texts of these rows."""
    distinct, codes = coded(texts)
    kept, taken = first_rows(codes[rows], len(distinct))
    return ColumnTexts.from_codes([distinct[code] for code in kept.tolist()], taken)


def first_rows(codes: npt.NDArray[np.int32], size: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """codes: (N,) below `size` → (the codes that occur, in the order of their first rows; (N,) positions of
    the rows' codes among them)."""
    first = np.full(size, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last assignment of several counts
    kept = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(codes))]
    position = np.empty(size, dtype=np.int32)
    position[kept] = np.arange(len(kept), dtype=np.int32)
    return kept, position[codes]


def sorted_codes(texts: Sequence[str]) -> npt.NDArray[np.int64]:
    """(N,) positions of the rows' texts among the different texts in alphabetical order."""
    distinct, codes = coded(texts)
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    position = np.empty(len(distinct), dtype=np.int64)
    position[order] = np.arange(len(distinct))
    placed: npt.NDArray[np.int64] = position[codes]
    return placed


def _coded(texts: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int32]]:
    distinct = list(dict.fromkeys(texts))
    position = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, np.fromiter(map(position.__getitem__, texts), dtype=np.int32, count=len(texts))
