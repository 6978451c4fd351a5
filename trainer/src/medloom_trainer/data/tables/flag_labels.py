"""Several label columns with yes or no: a case may have any number of them, and each cell may be unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.column_texts import distinct_of
from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

UNKNOWN = -1
"""The label of a cell without a value: it counts neither in the loss nor in a metric."""
_YES = frozenset({"yes", "y", "true", "t", "positive", "present", "dead", "died", "deceased", "event"})
_NO = frozenset({"no", "n", "false", "f", "negative", "absent", "alive", "living", "censored", "no event"})
_CODED = re.compile(r"([01])(?:[.,]0+|\s*[:=]\s*\S.*)?")
"""1 or 0, also as `1.000` or with its meaning as in tables of cBioPortal: `1:DECEASED`."""
_NEVER: Sequence[tuple[int, PhraseCode]] = ((1, "flag_never_yes"), (0, "flag_never_no"))
_REMEDY = phrase("flags_as_numbers")


def read_flags(table: Table, columns: Sequence[str]) -> npt.NDArray[np.int64]:
    """(N, L) of 1, 0 and UNKNOWN. LABEL_INVALID, with row numbers, for another text and for cases without any
    known label."""
    labels = np.stack([read_flag_column(table, column) for column in columns], axis=1)
    without = np.flatnonzero((labels == UNKNOWN).all(axis=1)).tolist()
    if without:
        message = phrase(
            "flags_all_missing",
            without=str(len(without)),
            cases=str(len(table)),
            labels=str(len(columns)),
            table=table.name,
            rows=name_rows(table, without),
        )
        raise TrainerError("LABEL_INVALID", message, phrase("remove_or_fill_rows"))
    return labels


def refuse_constant_flags(labels: npt.NDArray[np.int64], columns: Sequence[str]) -> None:
    """labels (N, L): of the training rows. LABEL_INVALID for a column that is never yes, or never no."""
    for column, answers in zip(columns, labels.T, strict=True):
        for value, code in _NEVER:
            if not (answers == value).any():
                message = phrase(code, column=column, cases=str(len(labels)))
                raise TrainerError("LABEL_INVALID", message, phrase("not_among_labels", column=column))


def unknown_flags(labels: npt.NDArray[np.int64], columns: Sequence[str]) -> Warnings:
    """Warnings about cells without a label."""
    counts = {
        column: int((answers == UNKNOWN).sum()) for column, answers in zip(columns, labels.T, strict=True)
    }
    if not any(counts.values()):
        return []
    listed = ", ".join(f'"{column}" {count}' for column, count in counts.items() if count)
    message = phrase("labels_missing", missing=sum(counts.values()), labels=int(labels.size), columns=listed)
    return [warning("LABELS_MISSING", message)]


def read_flag_column(table: Table, column: str) -> npt.NDArray[np.int64]:
    """(N,) of 1, 0 and UNKNOWN. LABEL_INVALID with row numbers for another text."""
    texts = table.cells[column]
    values = {text: _value(text) for text in distinct_of(texts)}
    bad = [row for row, text in enumerate(texts) if values[text] is None]
    if bad:
        message = phrase(
            "flag_unknown",
            column=column,
            cases=phrase("cases", count=len(bad)),
            table=table.name,
            rows=name_rows(table, bad),
        )
        raise TrainerError("LABEL_INVALID", message, _REMEDY)
    return np.asarray([values[text] for text in texts], dtype=np.int64)


def flag_of(text: str) -> bool | None:
    """Yes or no; None for another text."""
    folded = comparable_name(text)
    if coded := _CODED.fullmatch(folded):
        return coded[1] == "1"
    return True if folded in _YES else False if folded in _NO else None


def _value(text: str) -> int | None:
    """None for a text that is neither yes nor no."""
    if is_missing(text):
        return UNKNOWN
    flag = flag_of(text)
    return None if flag is None else int(flag)
