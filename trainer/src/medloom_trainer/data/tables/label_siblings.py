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

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.tables.cells import present_texts
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.column_texts import distinct_of
from medloom_trainer.data.tables.flag_labels import flag_of
from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.table import Table, number_patients

_Code = Literal["one_hot_siblings", "event_copies", "label_copies", "rescaled_copies"]
_LABEL_COPIES: _Code = "label_copies"
_EVENT_COPIES: _Code = "event_copies"
_MOST_SPELLINGS = 100
"""More different texts than yes and no can have."""
_SUMS_TO_ONE = 0.99
"""Minimum share of the rows that have exactly one column of a one-hot group."""
_MOST_VALUES = 20
_FEWEST = 5
_FEWEST_IN_ALL = 20
_COMMON = 0.95
"""A copy has at most twenty values and twenty patients, nearly all of them with a value that five patients or
more have: fewer agree by chance."""
_SAME_QUANTITY = 0.99999
"""Minimum correlation of a quantity with itself in another unit, which rounding lowers."""
_SAMPLE = 200


def label_siblings(
    table: Table, labels: Sequence[str], free: Sequence[str], event: str | None, patient: str | None
) -> list[tuple[Phrased, Callable[[str], Phrased], list[str]]]:
    """(reason, message about a list of columns, free columns that are labels for that reason). event: the
    column of the event, for survival. patient: rows of one patient count once."""
    known = {column: _flags(table.cells[column]) for column in (*labels, *free)}
    flags = {column: flag for column, flag in known.items() if flag is not None}
    siblings: list[tuple[Phrased, Callable[[str], Phrased], list[str]]] = []
    if len(labels) == 1 and labels[0] in flags:
        message = partial(_message, "one_hot_siblings", labels[0])
        group = _one_hot_group(flags, labels[0], free)
        siblings.append((phrase("role_one_hot", column=labels[0]), message, group))
    if len(labels) > 1 and event is None:
        findings = _adjacent_findings(table, flags, labels, free)
        siblings.append((phrase("role_finding"), _message_of_findings, findings))
    patients = number_patients(table, patient)
    for copied in labels if event is None else (event,):
        others = [column for column in free if not any(column in columns for _, _, columns in siblings)]
        answers = _answers(table.cells[copied], flags=event is not None)
        copies = [column for column in others if _is_copy(table.cells[column], answers, patients)]
        role: PhraseCode = "role_label_copy" if event is None else "role_event_copy"
        message = partial(_message, _LABEL_COPIES if event is None else _EVENT_COPIES, copied)
        siblings.append((phrase(role, column=copied), message, copies))
    quantity = labels[0] if len(labels) == 1 or event is not None else None
    if quantity is not None:
        others = [column for column in free if not any(column in columns for _, _, columns in siblings)]
        scaled = _in_other_units(table, quantity, others)
        message = partial(_message, "rescaled_copies", quantity)
        siblings.append((phrase("role_rescaled", column=quantity), message, scaled))
    return [sibling for sibling in siblings if sibling[2]]


def _message(code: _Code, column: str, columns: str) -> Phrased:
    return phrase(code, column=column, columns=columns)


def _message_of_findings(columns: str) -> Phrased:
    return phrase("other_findings", columns=columns)


def _flags(texts: Sequence[str]) -> npt.NDArray[np.bool_] | None:
    """(N,) True for yes; None unless every cell is yes or no, and both occur."""
    distinct = distinct_of(texts)
    if len(distinct) > _MOST_SPELLINGS:
        return None
    known = {text: flag_of(text) for text in distinct}
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
    texts = {frozenset(distinct_of(table.cells[label])) for label in labels}
    if len(texts) != 1:
        return []
    alike = [
        column in labels
        or (column in free and column in flags and frozenset(distinct_of(table.cells[column])) in texts)
        for column in table.columns
    ]
    places = [table.columns.index(label) for label in labels]
    first, last = min(places), max(places)
    if not all(alike[first : last + 1]):
        between = [
            column for place, column in enumerate(table.columns) if alike[place] and first < place < last
        ]
        return [column for column in between if column not in labels]
    while first > 0 and alike[first - 1]:
        first -= 1
    while last + 1 < len(alike) and alike[last + 1]:
        last += 1
    return [column for column in table.columns[first : last + 1] if column not in labels]


def _answers(texts: Sequence[str], *, flags: bool) -> list[str | None]:
    """The answers of a label or event in one spelling; None if a text is missing, or neither yes nor no."""
    answer_of = {text: comparable_name(text) for text in present_texts(texts)}
    if flags:
        answer_of = {text: str(flag) for text in answer_of if (flag := flag_of(text)) is not None}
    return list(map(answer_of.get, texts))


def _is_copy(
    texts: Sequence[str], answers: Sequence[str | None], patients: npt.NDArray[np.int64] | None
) -> bool:
    """Return whether a column determines the answers, as a second coding or a later outcome does, or follows
    from them, as a coarser class or a column of a one-hot group does."""
    present = set(present_texts(texts))
    if len(present) > _MOST_VALUES:
        return False
    values = [text if text in present else None for text in texts]
    return _determines(values, answers, patients) or _determines(answers, values, patients)


def _determines(
    causes: Sequence[str | None], effects: Sequence[str | None], patients: npt.NDArray[np.int64] | None
) -> bool:
    """Return whether each value of the first column occurs with one value of the second, in enough
    patients."""
    effect_of: dict[str, str] = {}
    seen: dict[str, set[int]] = {}
    whose = range(len(causes)) if patients is None else patients.tolist()
    for cause, effect, patient in zip(causes, effects, whose, strict=True):
        if cause is None or effect is None:
            continue
        if effect_of.setdefault(cause, effect) != effect or len(effect_of) > _MOST_VALUES:
            return False
        seen.setdefault(cause, set()).add(patient)
    counts = {cause: len(found) for cause, found in seen.items()}
    common = {cause: count for cause, count in counts.items() if count >= _FEWEST}
    enough = sum(counts.values()) >= _FEWEST_IN_ALL and sum(common.values()) >= _COMMON * sum(counts.values())
    return enough and len({effect_of[cause] for cause in common}) > 1


def _in_other_units(table: Table, outcome: str, columns: Sequence[str]) -> list[str]:
    """The columns that are the outcome, a quantity, in another unit: months and days."""
    target = read_numbers(table.cells[outcome], table.delimiter)
    if len(np.unique(target.values[np.isfinite(target.values)])) < _FEWEST_IN_ALL:
        return []
    sample = np.unique(np.linspace(0, len(table) - 1, _SAMPLE).astype(np.int64))
    every = np.arange(len(table))
    return [
        column
        for column in columns
        if all(_is_proportional(table, column, target.values, rows) for rows in (sample, every))
    ]


def _is_proportional(
    table: Table, column: str, target: npt.NDArray[np.float64], rows: npt.NDArray[np.int64]
) -> bool:
    texts = table.cells[column]
    found = read_numbers([texts[row] for row in rows.tolist()], table.delimiter)
    known = np.isfinite(found.values) & np.isfinite(target[rows])
    one, other = found.values[known], target[rows][known]
    if found.texts or len(one) < _FEWEST_IN_ALL or np.ptp(one) == 0 or np.ptp(other) == 0:
        return False
    return bool(abs(np.corrcoef(one, other)[0, 1]) >= _SAME_QUANTITY)
