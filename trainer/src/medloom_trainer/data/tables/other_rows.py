"""Rows of a file that are not cases: column names that are repeated between the rows, and totals or footnotes
below them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import ErrorCode, PhraseCode
from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.data.tables.column_texts import counted, distinct_of
from medloom_trainer.errors import TrainerError

_SUMMARIES = frozenset(
    {"total", "totals", "grand total", "subtotal", "sum", "mean", "average", "avg", "median", "count"}
    | {"sd", "std", "std dev", "standard deviation", "variance", "min", "max", "minimum", "maximum"}
    | {"summe", "gesamt", "gesamtsumme", "insgesamt", "mittelwert", "mittel", "durchschnitt", "anzahl"}
    | {"standardabweichung", "moyenne", "somme", "total général", "media", "promedio", "suma"}
    | {"合计", "总计", "小计", "平均", "平均值", "均值", "标准差", "中位数"}
)
_FOOTNOTE = re.compile(
    r"(?:\*|\u2020|\u6ce8|\u5907\u6ce8|\u6765\u6e90|(?:source|quelle|notes?|anmerkung|hinweis|legende?|stand)\b).*",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_MOST_BELOW = 10
_MOSTLY = 0.5
_FEWEST_COLUMNS = 2
_MOST_ROWS = 20


def refuse_other_rows(
    cells: Mapping[str, list[str]], lines: npt.NDArray[np.int64], name: str, code: ErrorCode
) -> None:
    """CSV_MALFORMED or DATASET_INVALID, as `code` states, that names the rows. cells: column → N texts."""
    for rows_of, message, remedy, _ in _KINDS:
        if rows := rows_of(cells):
            named = listing([str(lines[row]) for row in rows], _MOST_ROWS)
            found = phrase(message, table=name, count=len(rows), rows=named)
            raise TrainerError(code, found, phrase(remedy))


def without_other_rows(
    cells: Mapping[str, list[str]], lines: npt.NDArray[np.int64], malformed: dict[int, Phrased]
) -> dict[str, list[str]]:
    """The cells without the texts of rows that are not cases. malformed: line → reason; these rows are
    added."""
    reasons = {row: phrase(reason) for rows_of, _, _, reason in _KINDS for row in rows_of(cells)}
    malformed |= {int(lines[row]): reason for row, reason in reasons.items()}
    if not reasons:
        return dict(cells)
    return {
        column: ["" if row in reasons else text for row, text in enumerate(texts)]
        for column, texts in cells.items()
    }


def _repeated_headers(cells: Mapping[str, list[str]]) -> list[int]:
    if len(cells) < _FEWEST_COLUMNS:
        return []
    if any(column not in distinct_of(texts) for column, texts in cells.items()):
        return []
    first, texts = next(iter(cells.items()))
    rows = [row for row, text in enumerate(texts) if text == first]
    return [row for row in rows if all(texts[row] == column for column, texts in cells.items())]


def _rows_below(cells: Mapping[str, list[str]]) -> list[int]:
    """The last rows, as far as each is a summary of the rows above, or a footnote in one cell."""
    if len(cells) < _FEWEST_COLUMNS:
        return []
    count = len(next(iter(cells.values())))
    found: list[int] = []
    for row in range(count - 1, max(-1, count - 1 - _MOST_BELOW), -1):
        filled = [(column, texts[row]) for column, texts in cells.items() if texts[row]]
        if not filled:
            continue
        column, text = filled[0]
        is_note = len(filled) == 1 and len(cells) > _FEWEST_COLUMNS and _FOOTNOTE.fullmatch(text)
        if not is_note and not _is_summary(text, cells[column]):
            break
        found.append(row)
    return sorted(found)


def _is_summary(text: str, texts: list[str]) -> bool:
    """Return whether a text is the word of a summary where the other texts are ids or numbers."""
    if text.casefold().rstrip(":. ") not in _SUMMARIES:
        return False
    counts = counted(texts)
    if len(counts) >= _MOSTLY * len(texts):
        return counts[text] == 1
    numbers = sum(count for other, count in counts.items() if _NUMBER.fullmatch(other))
    return counts[text] == 1 and numbers > _MOSTLY * len(texts)


_KINDS: Sequence[
    tuple[Callable[[Mapping[str, list[str]]], list[int]], PhraseCode, PhraseCode, PhraseCode]
] = (
    (_repeated_headers, "header_among_rows", "remove_header_rows", "row_repeats_header"),
    (_rows_below, "summary_rows", "remove_summary_rows", "row_is_summary"),
)
"""(rows of a kind, message about them, remedy, reason of a single row)"""
