"""The label column: its task, its classes in order, and its values; refused with row numbers if it cannot be
learned.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import missing_mask
from medloom_trainer.data.tables.class_names import suspected_class_names
from medloom_trainer.data.tables.class_order import ClassOrder, comparable_name, order_classes
from medloom_trainer.data.tables.column_texts import counted, distinct_of
from medloom_trainer.data.tables.flag_labels import read_flags, refuse_constant_flags, unknown_flags
from medloom_trainer.data.tables.identifiers import names_codes
from medloom_trainer.data.tables.numbers import (
    are_codes,
    forms_of,
    is_exact_code,
    is_like_number,
    is_padded,
    read_numbers,
)
from medloom_trainer.data.tables.survival_labels import FEWEST_EVENTS, read_times, refuse_no_events
from medloom_trainer.data.tables.table import Table, name_rows
from medloom_trainer.data.tables.units import is_unit
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_MAX_NUMERIC_CLASSES = 20
"""Whole numbers with more distinct values than this are a quantity, not classes."""

_MAX_GRADES = 10
_CASES_OF_A_GRADE = 10
_CASES_OF_A_HALF_GRADE = 5
"""Numbers with decimals are classes if there are at most ten of them, with ten cases each on average; five
are sufficient for multiples of 0.5, such as 0, 0.5 and 1 of the Clinical Dementia Rating."""
_CASES_OF_A_VALUE = 2
_DECIMALS = re.compile(r"[+-]?\d*\.\d+")


@dataclass(frozen=True)
class LabelScheme:
    """The meaning of the labels of the training split; applied to every other split."""

    columns: tuple[str, ...]
    """Columns from which the labels are read."""
    task: Task
    classes: tuple[str, ...] | None
    """The positive one of two classes is last; for several labels, their columns."""
    warnings: Warnings = field(default_factory=list)
    """Assumptions about the classes."""

    @property
    def column(self) -> str:
        """The only column."""
        (column,) = self.columns
        return column

    @property
    def quantities(self) -> tuple[str, ...]:
        """The columns that contain numbers."""
        return self.columns[:1] if self.task in ("regression", "survival") else ()

    def class_counts(self, labels: npt.NDArray[Any]) -> dict[str, int] | None:
        """Class → cases among labels from `read_labels`; for several labels, the number of cases that are
        yes. None for a quantity."""
        if self.task == "survival":
            return {"event": int(labels[:, 1].sum())}
        if self.classes is None:
            return None
        if self.task == "multilabel":
            counts = (labels == 1).sum(axis=0)
        else:
            counts = np.bincount(labels, minlength=len(self.classes))
        return dict(zip(self.classes, counts.tolist(), strict=True))

    @property
    def positive_class(self) -> str | None:
        one_of_two = self.task == "classification" and self.classes is not None and len(self.classes) == 2
        return self.classes[1] if one_of_two and self.classes is not None else None

    @staticmethod
    def of_preprocessing(preprocessing: Mapping[str, Any]) -> LabelScheme:
        """The scheme of a trained model. preprocessing: from its checkpoint."""
        classes, several = preprocessing["classes"], preprocessing.get("label_columns")
        columns = (preprocessing["label_column"],) if several is None else tuple(several)
        return LabelScheme(columns, preprocessing["task"], None if classes is None else tuple(classes))


def learn_labels(
    table: Table, column: str, task: Task | None, positive_class: str | None = None
) -> LabelScheme:
    """Task (inferred if None) and classes from the training rows; positive_class: of two classes, as named in
    the configuration. LABEL_INVALID: missing values, only one class, text for regression, nearly as many
    classes as rows, a positive class that does not exist."""
    _refuse_missing(table, column)
    texts = table.cells[column]
    numbers = read_numbers(texts, table.delimiter)
    codes = names_codes(column) or are_codes(texts) or any(map(is_padded, distinct_of(texts)))
    numeric = not (numbers.texts or numbers.infinite or numbers.censored or codes)
    if task is None:
        if not names_codes(column):
            _refuse_mixed(table, column, sorted({*numbers.texts, *numbers.infinite, *numbers.censored}))
        are_classes = not numeric or _are_classes(np.unique(numbers.values), len(texts))
        task = "classification" if are_classes else "regression"
    if task == "regression":
        values = _regression_values(table, column)
        if np.ptp(values) == 0:
            raise TrainerError("LABEL_INVALID", phrase("label_constant", column=column))
        if positive_class is not None:
            message = phrase("positive_of_number", column=column)
            raise TrainerError("LABEL_INVALID", message, phrase("no_positive_or_classes"))
        return LabelScheme((column,), task, None)
    names = _class_names(table, column, distinct_of(texts))
    scheme = learn_classes([names[text] for text in texts], column, positive_class, names)
    classes = scheme.classes or ()
    if len(classes) < 2:
        cases = phrase("training_cases", count=len(texts))
        message = phrase("label_of_one_class", column=column, cases=cases)
        raise TrainerError("LABEL_INVALID", message)
    if len(classes) > max(_MAX_NUMERIC_CLASSES, len(texts) // 2):
        counts = {"classes": str(len(classes)), "rows": str(len(texts))}
        message = phrase("label_of_many_classes", column=column, **counts)
        raise TrainerError("LABEL_INVALID", message)
    return scheme


def _are_classes(distinct: npt.NDArray[np.float64], cases: int) -> bool:
    """Return whether these different numbers are classes or grades rather than a quantity."""
    if (distinct % 1 == 0).all():
        few = min(_MAX_NUMERIC_CLASSES, max(2, cases // 2))
    else:
        halves = bool((distinct % 0.5 == 0).all())
        few = min(_MAX_GRADES, cases // (_CASES_OF_A_HALF_GRADE if halves else _CASES_OF_A_GRADE))
    return len(distinct) <= few


def may_be_grades(values: npt.NDArray[np.float64]) -> bool:
    """Return whether a quantity has so few different values that it may be a grade."""
    distinct = len(np.unique(values))
    return distinct <= min(_MAX_GRADES, len(values) // _CASES_OF_A_VALUE)


def learn_classes(
    names: Sequence[str],
    column: str,
    positive_class: str | None,
    names_of_texts: Mapping[str, str] | None = None,
) -> LabelScheme:
    """The classes of (N,) names in any spelling; the most frequent spelling of a class is used.
    names_of_texts: text of the table → its name, if they differ. LABEL_INVALID for a positive class that is
    not among them."""
    spellings = _spellings(names)
    classes = [max(sorted(found), key=found.__getitem__) for found in spellings.values()]
    order = order_classes(classes, positive_class, column)
    counts = {name: sum(spellings[comparable_name(name)].values()) for name in order.classes}
    merged = _merged(column, spellings if names_of_texts is None else _written(names_of_texts))
    warnings = merged + _assumed(column, order) + suspected_class_names(column, counts)
    return LabelScheme((column,), "classification", order.classes, warnings)


def read_labels(table: Table, scheme: LabelScheme, split: str) -> npt.NDArray[Any]:
    """(N,) int64 class indices, or float64 values; (N, L) for several labels (`read_flags`). LABEL_INVALID
    for a missing label, or a class that training does not have.
    """
    if scheme.task == "multilabel":
        return read_flags(table, scheme.columns)
    if scheme.task == "survival":
        return read_times(table, *scheme.columns)
    _refuse_missing(table, scheme.column)
    if scheme.classes is None:
        return _regression_values(table, scheme.column)
    forms = (comparable_name,) if names_codes(scheme.column) else (_in_shortest_form, comparable_name)
    folded = {form(name): number for form in forms for number, name in enumerate(scheme.classes)}
    # A model of an older version may distinguish `Yes` and `yes`: an exact match has priority.
    index = folded | {name: number for number, name in enumerate(scheme.classes)}
    names = [
        name if name in index else comparable_name(name)
        for name in read_class_names(table, scheme.column, scheme.classes)
    ]
    unknown = [position for position, name in enumerate(names) if name not in index]
    if unknown:
        message = phrase(
            "new_classes",
            column=scheme.column,
            count=len({names[position] for position in unknown}),
            split=split,
            table=table.name,
            rows=name_rows(table, unknown),
        )
        raise TrainerError("LABEL_INVALID", message)
    return np.asarray([index[name] for name in names], dtype=np.int64)


def learn_flags(table: Table, columns: Sequence[str]) -> LabelScheme:
    """Several labels with yes or no, from the training rows. LABEL_INVALID for a column with only one of
    them, in addition to the errors of `read_flags`."""
    labels = read_flags(table, columns)
    refuse_constant_flags(labels, columns)
    return LabelScheme(tuple(columns), "multilabel", tuple(columns), unknown_flags(labels, columns))


def learn_survival(table: Table, time: str, event: str) -> LabelScheme:
    """A time and an event, from the training rows. LABEL_INVALID if nothing can be learned from them, in
    addition to the errors of `read_times`."""
    labels = read_times(table, time, event)
    refuse_no_events(labels, event)
    count = int(labels[:, 1].sum())
    warnings: Warnings = []
    if count < FEWEST_EVENTS:
        message = phrase("few_events", event=event, events=count, count=len(labels))
        warnings.append(warning("FEW_EVENTS", message))
    return LabelScheme((time, event), "survival", None, warnings)


def has_all_labels(table: Table, scheme: LabelScheme) -> bool:
    """Return whether every case has all values for its label; for several labels one is sufficient."""
    if any(column not in table.cells for column in scheme.columns):
        return False
    gaps = np.stack([missing_mask(table.cells[column]) for column in scheme.columns])
    return not bool((gaps.all(axis=0) if scheme.task == "multilabel" else gaps.any(axis=0)).any())


def _refuse_missing(table: Table, column: str) -> None:
    missing = np.flatnonzero(missing_mask(table.cells[column])).tolist()
    if missing:
        message = phrase(
            "label_missing",
            column=column,
            missing=str(len(missing)),
            cases=str(len(table)),
            table=table.name,
            rows=name_rows(table, missing),
        )
        raise TrainerError("LABEL_INVALID", message)


def _refuse_mixed(table: Table, column: str, bad: Sequence[int]) -> None:
    """Refuse to make classes of a quantity with some other texts."""
    texts = table.cells[column]
    if not bad:
        return
    like = {text: count for text, count in counted(texts).items() if is_like_number(text)}
    if sum(like.values()) >= len(texts) / 2 and len(like) > _MAX_NUMERIC_CLASSES:
        message = phrase(
            "label_mixed",
            column=column,
            bad=str(len(bad)),
            cases=str(len(texts)),
            forms=forms_of([texts[row] for row in bad]),
            table=table.name,
            rows=name_rows(table, bad),
        )
        raise TrainerError("LABEL_INVALID", message)


def _regression_values(table: Table, column: str) -> npt.NDArray[np.float64]:
    numbers = read_numbers(table.cells[column], table.delimiter)
    bad = sorted({*numbers.texts, *numbers.infinite, *numbers.censored})
    if bad:
        message = phrase(
            "label_not_number",
            column=column,
            cases=phrase("cases", count=len(bad)),
            table=table.name,
            rows=name_rows(table, bad),
        )
        raise TrainerError("LABEL_INVALID", message)
    return numbers.values


def read_class_names(table: Table, column: str, classes: Sequence[str]) -> list[str]:
    """(N,) names of the classes: `1` and `1.0`, or `.5` and `0.50`, are one class if all labels are numbers;
    other texts are unchanged. classes: of a known scheme; if they are codes, the texts are codes."""
    names = _class_names(table, column, classes)
    return [names[text] for text in table.cells[column]]


def _class_names(table: Table, column: str, classes: Sequence[str]) -> dict[str, str]:
    """Text → the name of its class."""
    texts = table.cells[column]
    distinct = distinct_of(texts)
    numbers = read_numbers(distinct, table.delimiter)
    others = numbers.texts or numbers.infinite or numbers.censored or are_codes(distinct)
    if others or is_unit(numbers.sign) or names_codes(column) or any(map(is_exact_code, classes)):
        return {text: text for text in distinct}
    return {
        text: text if math.isnan(value) else _shortest(value)
        for text, value in zip(distinct, numbers.values.tolist(), strict=True)
    }


def _shortest(value: float) -> str:
    """The shortest text of a number: `0.5`, `1`."""
    return str(int(value)) if value.is_integer() else repr(value)


def _in_shortest_form(name: str) -> str:
    """A class of a model of an older version, which may have been written as `0.50`."""
    return _shortest(float(name)) if _DECIMALS.fullmatch(name) else comparable_name(name)


def _spellings(names: Sequence[str]) -> dict[str, Counter[str]]:
    """Folded class → its spellings with their counts."""
    found: dict[str, Counter[str]] = {}
    for name, count in counted(names).items():
        found.setdefault(comparable_name(name), Counter())[name] += count
    return found


def _written(names_of_texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Folded class → how the table spells it."""
    found: dict[str, set[str]] = {}
    for text, name in names_of_texts.items():
        found.setdefault(comparable_name(name), set()).add(text)
    return found


def _merged(column: str, spellings: Mapping[str, Collection[str]]) -> Warnings:
    several = [sorted(found) for found in spellings.values() if len(found) > 1]
    if not several:
        return []
    shown = "; ".join(" = ".join(f'"{name[:40]}"' for name in found[:5]) for found in several[:5])
    return [warning("CLASS_NAMES_MERGED", phrase("class_names_merged", column=column, classes=shown))]


def _assumed(column: str, order: ClassOrder) -> Warnings:
    if not order.assumed:
        return []
    other, positive = order.classes
    message = phrase("positive_class_assumed", column=column, positive=positive, negative=other)
    return [warning("POSITIVE_CLASS_ASSUMED", message)]
