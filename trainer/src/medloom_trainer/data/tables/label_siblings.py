"""Columns that are labels themselves: the other columns of a one-hot group, other findings of the same case,
and copies of the label, or of the event of survival, in another coding. A model that read them would know the
answer.

They are inputs only if the configuration names them as inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.flag_labels import flag_of
from medloom_trainer.data.tables.table import Table, number_patients

_Code = Literal["one_hot_siblings", "event_copies", "label_copies"]
_LABEL_COPIES: _Code = "label_copies"
_EVENT_COPIES: _Code = "event_copies"
_SUMS_TO_ONE = 0.99
"""Minimum share of the rows that have exactly one column of a one-hot group."""
_MOST_VALUES = 10
_FEWEST = 5
_FEWEST_IN_ALL = 20
"""A copy has at most ten values, at least five patients of each, and twenty: fewer agree by chance."""


def label_siblings(
    table: Table, labels: Sequence[str], free: Sequence[str], event: str | None, patient: str | None
) -> list[tuple[str, Callable[[str], str], list[str]]]:
    """(reason, message about a list of columns, free columns that are labels for that reason). event: the
    column of the event, for survival. patient: rows of one patient count once."""
    known = {column: _flags(table.cells[column]) for column in (*labels, *free)}
    flags = {column: flag for column, flag in known.items() if flag is not None}
    siblings: list[tuple[str, Callable[[str], str], list[str]]] = []
    if len(labels) == 1 and labels[0] in flags:
        message = partial(_message, "one_hot_siblings", labels[0])
        group = _one_hot_group(flags, labels[0], free)
        siblings.append((f'belongs to the one-hot group of "{labels[0]}"', message, group))
    if len(labels) > 1 and event is None:
        findings = _adjacent_findings(table, flags, labels, free)
        siblings.append(("is coded like the labels, next to them", _message_of_findings, findings))
    patients = number_patients(table, patient)
    for copied in labels if event is None else (event,):
        others = [column for column in free if not any(column in columns for _, _, columns in siblings)]
        answers = _answers(table.cells[copied], flags=event is not None)
        copies = [column for column in others if _repeats(table.cells[column], answers, patients)]
        what, code = ("label", _LABEL_COPIES) if event is None else ("event", _EVENT_COPIES)
        siblings.append((f'determines the {what} "{copied}"', partial(_message, code, copied), copies))
    return [sibling for sibling in siblings if sibling[2]]


def _message(code: _Code, column: str, columns: str) -> str:
    return phrase(code, column=column, columns=columns)


def _message_of_findings(columns: str) -> str:
    return phrase("other_findings", columns=columns)


def _flags(texts: Sequence[str]) -> npt.NDArray[np.bool_] | None:
    """(N,) True for yes; None unless every cell is yes or no, and both occur."""
    known = {text: flag_of(text) for text in dict.fromkeys(texts)}
    if set(known.values()) != {True, False}:
        return None
    return np.fromiter((known[text] for text in texts), dtype=np.bool_, count=len(texts))


def _one_hot_group(flags: Mapping[str, npt.NDArray[np.bool_]], label: str, free: Sequence[str]) -> list[str]:
    """The free columns of which, together with the label, exactly one is yes in nearly every row."""
    taken = flags[label].copy()
    group = []
    for column in sorted((name for name in free if name in flags), key=lambda name: -int(flags[name].sum())):
        if not (taken & flags[column]).any():
            taken |= flags[column]
            group.append(column)
    return group if len(group) > 1 and taken.mean() >= _SUMS_TO_ONE else []


def _adjacent_findings(
    table: Table, flags: Mapping[str, npt.NDArray[np.bool_]], labels: Sequence[str], free: Sequence[str]
) -> list[str]:
    """Free columns in the run of columns around the labels that all have the texts of the labels."""
    texts = {frozenset(table.cells[label]) for label in labels}
    if len(texts) != 1:
        return []
    alike = [
        column in labels or (column in free and column in flags and frozenset(table.cells[column]) in texts)
        for column in table.columns
    ]
    places = [table.columns.index(label) for label in labels]
    first, last = min(places), max(places)
    if not all(alike[first : last + 1]):
        return [column for place, column in enumerate(table.columns) if alike[place] and first < place < last]
    while first > 0 and alike[first - 1]:
        first -= 1
    while last + 1 < len(alike) and alike[last + 1]:
        last += 1
    return [column for column in table.columns[first : last + 1] if column not in labels]


def _answers(texts: Sequence[str], *, flags: bool) -> list[str | None]:
    """The answers of a label or event in one spelling; None if a text is missing, or neither yes nor no."""
    answer_of = {text: comparable_name(text) for text in dict.fromkeys(texts) if not is_missing(text)}
    if flags:
        answer_of = {text: str(flag) for text in answer_of if (flag := flag_of(text)) is not None}
    return [answer_of.get(text) for text in texts]


def _repeats(
    texts: Sequence[str], answers: Sequence[str | None], patients: npt.NDArray[np.int64] | None
) -> bool:
    """Return whether each value of a category occurs with one value of the event or label."""
    answer_of: dict[str, str] = {}
    seen: dict[str, set[int]] = {}
    whose = range(len(texts)) if patients is None else patients.tolist()
    for text, value, patient in zip(texts, answers, whose, strict=True):
        if value is None or is_missing(text):
            continue
        if answer_of.setdefault(text, value) != value or len(answer_of) > _MOST_VALUES:
            return False
        seen.setdefault(text, set()).add(patient)
    counts = [len(patients_of) for patients_of in seen.values()]
    return len(set(answer_of.values())) > 1 and min(counts) >= _FEWEST and sum(counts) >= _FEWEST_IN_ALL
