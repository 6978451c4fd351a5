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
    taken: list[str] = np.array(distinct, dtype=object)[codes[rows]].tolist() if distinct else []
    return taken


def _coded(texts: Sequence[str]) -> tuple[list[str], npt.NDArray[np.int32]]:
    distinct = list(dict.fromkeys(texts))
    position = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, np.fromiter(map(position.__getitem__, texts), dtype=np.int32, count=len(texts))
