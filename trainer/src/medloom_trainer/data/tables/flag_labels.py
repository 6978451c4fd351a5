"""Several label columns with yes or no: a case may have any number of them, and each cell may be unknown."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.column_texts import distinct_of
from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.errors import TrainerError
from medloom_trainer.plurals import pluralize
from medloom_trainer.warnings import Warnings, warning

UNKNOWN = -1
"""The label of a cell without a value: it counts neither in the loss nor in a metric."""
_YES = frozenset({"yes", "y", "true", "t", "positive", "present", "dead", "died", "deceased", "event"})
_NO = frozenset({"no", "n", "false", "f", "negative", "absent", "alive", "living", "censored", "no event"})
_CODED = re.compile(r"([01])(?:[.,]0+|\s*[:=]\s*\S.*)?")
"""1 or 0, also as `1.000` or with its meaning as in tables of cBioPortal: `1:DECEASED`."""
_REMEDY = "Use 1 or 0 (or yes/no, true/false), and leave unknown cells empty."


def read_flags(table: Table, columns: Sequence[str]) -> npt.NDArray[np.int64]:
    """(N, L) of 1, 0 and UNKNOWN. LABEL_INVALID, with row numbers, for another text and for cases without any
    known label."""
    labels = np.stack([read_flag_column(table, column) for column in columns], axis=1)
    without = np.flatnonzero((labels == UNKNOWN).all(axis=1)).tolist()
    if without:
        message = (
            f"{len(without)} of {len(table)} cases have none of the {len(columns)} labels: {table.name}, "
            f"{name_rows(table, without)}"
        )
        raise TrainerError("LABEL_INVALID", message, "Remove these rows, or fill in the known values.")
    return labels


def refuse_constant_flags(labels: npt.NDArray[np.int64], columns: Sequence[str]) -> None:
    """labels (N, L): of the training rows. LABEL_INVALID for a column that is never yes, or never no."""
    for column, answers in zip(columns, labels.T, strict=True):
        for value, word in ((1, "yes"), (0, "no")):
            if not (answers == value).any():
                message = f'label "{column}" is never {word} in the {len(labels)} training cases'
                raise TrainerError("LABEL_INVALID", message, f'Remove "{column}" from data.label_columns.')


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
        message = (
            f'label "{column}" is neither yes nor no in {pluralize(len(bad), "case")}: {table.name}, '
            f"{name_rows(table, bad)}"
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
