"""Columns that are labels themselves: the other columns of a one-hot group, other findings of the same case,
copies of the label, or of the event of survival, in another coding, and other endpoints. A model that read
them would know the answer.

They are inputs only if the configuration names them as inputs. Columns that only may be labels remain inputs,
with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.tables.endpoint_names import endpoint_columns
from medloom_trainer.data.tables.finding_columns import (
    adjacent_findings,
    findings_beside,
    flags_of,
    one_hot_group,
)
from medloom_trainer.data.tables.label_copies import (
    agreement,
    answers_of,
    is_copy,
    is_second_reading,
    number_answers,
)
from medloom_trainer.data.tables.same_quantity import same_quantities
from medloom_trainer.data.tables.table import Table, number_patients


class Siblings(NamedTuple):
    """Columns that are labels, or may be."""

    columns: Sequence[str]
    message: Callable[[str], Phrased]
    """The warning, from a list of the columns."""
    reason: Phrased | None
    """The reason for not reading them; None: they remain inputs."""


class _Search:
    """Siblings found so far: each column counts once."""

    def __init__(self, table: Table, free: Sequence[str]) -> None:
        self.table = table
        self.free = list(free)
        self.found: list[Siblings] = []

    def add(self, columns: Iterable[str], message: Callable[[str], Phrased], reason: Phrased | None) -> None:
        chosen = list(columns)
        if chosen:
            self.found.append(Siblings(chosen, message, reason))
            self.free = [column for column in self.free if column not in chosen]


def label_siblings(
    table: Table, labels: Sequence[str], free: Sequence[str], event: str | None, patient: str | None
) -> list[Siblings]:
    """event: the column of the event, for survival. patient: rows of one patient count once."""
    search = _Search(table, free)
    flags = flags_of(table, [*labels, *free])
    only = labels[0] if len(labels) == 1 and labels[0] in flags else None
    if only is not None:
        _add_named(search, one_hot_group(flags, only, free), "one_hot_siblings", "role_one_hot", only)
    elif len(labels) > 1 and event is None and any(label in flags for label in labels):
        findings = adjacent_findings(table, flags, labels, free)
        search.add(
            findings, lambda columns: phrase("other_findings", columns=columns), phrase("role_finding")
        )
    beside = None if only is None else findings_beside(table, flags, only, search.free)
    if beside is not None and beside.normal is not None:
        _add_named(search, beside.columns, "findings_excluded", "role_finding_excluded", beside.normal)
    _add_copies(search, labels, event, patient)
    if len(labels) == 1 or event is not None:
        scaled = same_quantities(table, labels[0], search.free)
        _add_named(search, scaled, "rescaled_copies", "role_rescaled", labels[0])
    endpoints = endpoint_columns(table.columns)
    if event is not None or any(label in endpoints for label in labels):
        others = [column for column in endpoints if column in search.free]
        search.add(
            others, lambda columns: phrase("other_endpoints", columns=columns), phrase("role_endpoint")
        )
    if beside is not None and beside.normal is None:
        possible = [column for column in beside.columns if column in search.free]
        search.add(possible, partial(_message, "possible_findings", labels[0]), phrase("role_finding"))
    if len(labels) == 1 and event is None:
        texts = table.cells[labels[0]]
        readings = [name for name in search.free if is_second_reading(table.cells[name], texts)]
        _add_named(search, readings, "second_readings", "role_second_reading", labels[0])
    _add_near_copies(search, labels, event, patient)
    return search.found


def _add_named(
    search: _Search, columns: Sequence[str], message: PhraseCode, reason: PhraseCode, named: str
) -> None:
    search.add(columns, partial(_message, message, named), phrase(reason, column=named))


def _add_copies(search: _Search, labels: Sequence[str], event: str | None, patient: str | None) -> None:
    patients = number_patients(search.table, patient)
    for copied in labels if event is None else (event,):
        answers = answers_of(search.table.cells[copied], flags=event is not None)
        copies = [column for column in search.free if is_copy(search.table.cells[column], answers, patients)]
        if event is None:
            _add_named(search, copies, "label_copies", "role_label_copy", copied)
        else:
            _add_named(search, copies, "event_copies", "role_event_copy", copied)


def _add_near_copies(search: _Search, labels: Sequence[str], event: str | None, patient: str | None) -> None:
    patients = number_patients(search.table, patient)
    for copied in labels if event is None else (event,):
        answers = number_answers(answers_of(search.table.cells[copied], flags=event is not None))
        shares = {name: agreement(search.table.cells[name], answers, patients) for name in search.free}
        near = {name: share for name, share in shares.items() if share is not None}
        listed = ", ".join(f'"{name[:80]}" ({share:.0%})' for name, share in near.items())
        search.add(near, partial(_near_message, copied, listed), None)


def _message(code: PhraseCode, column: str, columns: str) -> Phrased:
    return phrase(code, column=column, columns=columns)


def _near_message(column: str, listed: str, columns: str) -> Phrased:
    """listed: the columns with their agreement."""
    return phrase("possible_copies", column=column, columns=listed)
