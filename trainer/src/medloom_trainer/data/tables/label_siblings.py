"""Columns that are labels themselves: the other columns of a one-hot group, other findings of the same case,
and, for survival, copies of the event in another coding. A model that read them would know the answer.

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
from medloom_trainer.data.tables.table import Table

_YES = frozenset({"1", "1.0", "true", "yes", "y"})
_NO = frozenset({"0", "0.0", "false", "no", "n"})
_SUMS_TO_ONE = 0.99
"""Minimum share of the rows that have exactly one column of a one-hot group."""
_MOST_VALUES = 10
_FEWEST_ROWS = 5
"""A copy of the event has at most ten values, and at least five rows of each."""


def label_siblings(
    table: Table, labels: Sequence[str], free: Sequence[str], event: str | None
) -> list[tuple[str, Callable[[str], str], list[str]]]:
    """(reason, message about a list of columns, free columns that are labels for that reason). event: the
    column of the event, for survival."""
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
    if event is not None:
        copies = [column for column in free if _repeats(table.cells[column], table.cells[event])]
        siblings.append((f'determines the event "{event}"', partial(_message, "event_copies", event), copies))
    return [sibling for sibling in siblings if sibling[2]]


def _message(code: Literal["one_hot_siblings", "event_copies"], column: str, columns: str) -> str:
    return phrase(code, column=column, columns=columns)


def _message_of_findings(columns: str) -> str:
    return phrase("other_findings", columns=columns)


def _flags(texts: Sequence[str]) -> npt.NDArray[np.bool_] | None:
    """(N,) True for yes; None unless every cell is yes or no, and both occur."""
    known = {text: text.casefold() for text in dict.fromkeys(texts)}
    words = set(known.values())
    if not words <= _YES | _NO or words <= _YES or words <= _NO:
        return None
    return np.fromiter((known[text] in _YES for text in texts), dtype=np.bool_, count=len(texts))


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


def _repeats(texts: Sequence[str], events: Sequence[str]) -> bool:
    """Return whether each value of a category occurs with one value of the event."""
    event_of: dict[str, str] = {}
    rows: dict[str, int] = {}
    for text, value in zip(texts, events, strict=True):
        if is_missing(text) or is_missing(value):
            continue
        if event_of.setdefault(text, value) != value or len(event_of) > _MOST_VALUES:
            return False
        rows[text] = rows.get(text, 0) + 1
    return len(set(event_of.values())) > 1 and min(rows.values()) >= _FEWEST_ROWS
