"""The label column: which task it poses, its classes in order, and its values; refused with row numbers
when it cannot be learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.cells import is_missing, read_numbers
from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError

_MAX_NUMERIC_CLASSES = 20
"""Whole numbers with more distinct values than this are a quantity, not classes."""

_NEGATIVE_WORDS = frozenset(
    {"0", "-1", "no", "n", "false", "negative", "neg", "benign", "healthy", "normal", "control", "absent",
     "none", "non-disease", "no disease", "non-malignant", "alive", "survived"}
)  # fmt: skip
"""Of two classes the one named so comes first, whatever the alphabet says; the other one is the positive
class.
"""


@dataclass(frozen=True)
class LabelScheme:
    """What the labels of the training split mean; applied to every other split."""

    column: str
    task: Task
    classes: tuple[str, ...] | None


def learn_labels(table: Table, column: str, task: Task | None) -> LabelScheme:
    """Task (inferred when None) and classes from the training rows. LABEL_INVALID: missing, one class only,
    text for regression, nearly as many classes as rows."""
    _refuse_missing(table, column)
    texts = table.cells[column]
    numbers = read_numbers(texts, table.delimiter)
    numeric = not (numbers.texts or numbers.infinite or numbers.censored)
    if task is None:
        whole = numeric and all(float(value).is_integer() for value in np.unique(numbers.values).tolist())
        few = len(np.unique(numbers.values)) <= min(_MAX_NUMERIC_CLASSES, max(2, len(texts) // 2))
        task = "regression" if numeric and not (whole and few) else "classification"
    if task == "regression":
        values = _regression_values(table, column)
        if np.ptp(values) == 0:
            raise TrainerError("LABEL_INVALID", f'"{column}" has one value only; there is nothing to learn')
        return LabelScheme(column, task, None)
    classes = _order_classes(_class_names(table, column))
    if len(classes) < 2:
        message = (
            f'"{column}" has one class only among {len(texts)} training cases; there is nothing to learn'
        )
        raise TrainerError("LABEL_INVALID", message)
    if len(classes) > max(_MAX_NUMERIC_CLASSES, len(texts) // 2):
        message = (
            f'"{column}" has {len(classes)} classes in {len(texts)} rows; it cannot be learned as a label'
        )
        raise TrainerError("LABEL_INVALID", message)
    return LabelScheme(column, task, classes)


def read_labels(table: Table, scheme: LabelScheme, split: str) -> npt.NDArray[Any]:
    """(N,) int64 class indices, or float64 values. LABEL_INVALID for a missing label, or a class that
    training does not have.
    """
    _refuse_missing(table, scheme.column)
    if scheme.classes is None:
        return _regression_values(table, scheme.column)
    index = {name: number for number, name in enumerate(scheme.classes)}
    names = _class_names(table, scheme.column)
    unknown = [position for position, name in enumerate(names) if name not in index]
    if unknown:
        count = len({names[position] for position in unknown})
        noun = "class" if count == 1 else "classes"
        message = (
            f'"{scheme.column}" has {count} {noun} in {split} that the training split does not have: '
            f"{table.name}, {name_rows(table, unknown)}"
        )
        raise TrainerError("LABEL_INVALID", message)
    return np.asarray([index[name] for name in names], dtype=np.int64)


def has_all_labels(table: Table, column: str) -> bool:
    return column in table.cells and not any(is_missing(text) for text in table.cells[column])


def _refuse_missing(table: Table, column: str) -> None:
    missing = [position for position, text in enumerate(table.cells[column]) if is_missing(text)]
    if missing:
        rows = name_rows(table, missing)
        message = f'"{column}" is missing in {len(missing)} of {len(table)} cases: {table.name}, {rows}'
        raise TrainerError("LABEL_INVALID", message)


def _regression_values(table: Table, column: str) -> npt.NDArray[np.float64]:
    numbers = read_numbers(table.cells[column], table.delimiter)
    bad = sorted({*numbers.texts, *numbers.infinite, *numbers.censored})
    if bad:
        message = f'"{column}" is not a number in {len(bad)} cases: {table.name}, {name_rows(table, bad)}'
        raise TrainerError("LABEL_INVALID", message)
    return numbers.values


def _class_names(table: Table, column: str) -> list[str]:
    """`1`, `1.0` and `01` are one class where all labels are whole numbers; other texts stay as they are."""
    texts = table.cells[column]
    numbers = read_numbers(texts, table.delimiter)
    if numbers.texts or numbers.infinite or numbers.censored:
        return texts
    names = {text: _whole_number(value) for text, value in zip(texts, numbers.values.tolist(), strict=True)}
    return texts if any(name is None for name in names.values()) else [str(names[text]) for text in texts]


def _whole_number(value: float) -> str | None:
    return str(int(value)) if value.is_integer() else None


def _order_classes(names: Sequence[str]) -> tuple[str, ...]:
    """Numbers by size, texts by alphabet; of two classes a name that means "no" comes first."""
    distinct = set(names)
    try:
        ordered = sorted(distinct, key=lambda name: (float(name), name))
    except ValueError:
        ordered = sorted(distinct)
    if (
        len(ordered) == 2
        and ordered[1].casefold() in _NEGATIVE_WORDS
        and ordered[0].casefold() not in _NEGATIVE_WORDS
    ):
        ordered.reverse()
    return tuple(ordered)
