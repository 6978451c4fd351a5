"""Columns of a survival study that follow from its follow-up time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.checks.association import FEW_VALUES, Outcomes, outcomes_of, rank_correlation
from medloom_trainer.data.checks.column_shortcuts import predicting_columns
from medloom_trainer.data.tables import Table, Target, read_numbers
from medloom_trainer.warnings import Warnings

_INCLUSION_CORRELATION = 0.9
_FOLLOW_UP_CORRELATION = 0.85
"""Minimum rank correlation with the follow-up time; a genuine marker rarely reaches it, since censoring hides
most times."""


def inclusion_columns(table: Table, numeric: Sequence[str], question: Target) -> list[str]:
    """Return columns with the day or year of inclusion, if follow-up ends on one day for all: with a later
    inclusion the follow-up and the times of events are shorter, and events are fewer. It is known at
    inclusion."""
    if question.censored is None or question.censored.sum() < FEW_VALUES:
        return []
    rows = question.rows[question.censored]
    censored = Target(rows, question.labels[question.censored], None)
    outcomes = outcomes_of(censored, np.arange(len(rows)), len(numeric))
    values = {name: read_numbers(table.cells[name], table.delimiter).values[rows] for name in numeric}
    return [
        name
        for name, of_column in values.items()
        if rank_correlation(of_column, outcomes) < -_INCLUSION_CORRELATION
    ]


def rising_warnings(table: Table, outcomes: Outcomes, numeric: Sequence[str]) -> Warnings:
    """A number that falls with the follow-up time may be a risk factor or the day of inclusion; one that
    rises as steeply is unlikely to be known at inclusion."""
    found = {}
    for column in numeric:
        values = read_numbers(table.cells[column], table.delimiter).values
        correlation = rank_correlation(values, outcomes)
        if correlation > _FOLLOW_UP_CORRELATION:
            shown = f"{correlation:.2f}"
            found[column] = phrase("increases_with", outcome=outcomes.name, correlation=shown)
    return predicting_columns(found, outcomes.name)
