"""Warnings about columns that predict the label together although fewer of them do not."""

from __future__ import annotations

from collections.abc import Sequence

from medloom_trainer.data.checks.association import FEW_VALUES, Outcomes
from medloom_trainer.data.checks.column_pairs import (
    MOST_COLUMNS,
    Combination,
    pairs_of_categories,
    pairs_of_numbers,
)
from medloom_trainer.data.checks.column_triples import (
    MOST_FLAGS,
    MOST_TESTED,
    MOST_VALUES,
    Triples,
    triples_of_flags,
)
from medloom_trainer.data.tables import Table, distinct_of, read_numbers
from medloom_trainer.warnings import Warnings, warning

_NAMED = 10


def joint_warnings(
    table: Table, outcomes: Outcomes, numeric: Sequence[str], categorical: Sequence[str], *, whole: bool
) -> Warnings:
    """whole: all cases answer; a quantity that only some of them have is not searched for pairs a second
    time."""
    if outcomes.is_quantity:
        if not whole:
            return []
        numbers = {name: read_numbers(table.cells[name], table.delimiter).values for name in numeric}
        return _of_pairs(pairs_of_numbers(numbers, outcomes), len(numbers), outcomes.name)
    texts = {name: table.cells[name] for name in (*numeric, *categorical)}
    distinct = {name: len(distinct_of(cells)) for name, cells in texts.items()}
    few = {name: cells for name, cells in texts.items() if 2 <= distinct[name] <= FEW_VALUES}
    flags = {name: cells for name, cells in few.items() if distinct[name] <= MOST_VALUES}
    return [
        *_of_pairs(pairs_of_categories(few, outcomes), len(few), outcomes.name),
        *_of_triples(triples_of_flags(flags, outcomes), len(flags), outcomes.name),
    ]


def _of_pairs(found: Sequence[Combination], searched: int, outcome: str) -> Warnings:
    subject = f"two columns together predict {outcome}, although neither does alone"
    return [*_found(subject, found, "pairs", outcome), *_limit(searched, MOST_COLUMNS, "pairs", outcome)]


def _of_triples(triples: Triples, searched: int, outcome: str) -> Warnings:
    subject = f"three columns together predict {outcome}, although no two of them do"
    warnings = _found(subject, triples.found, "triples", outcome)
    warnings += _limit(searched, MOST_FLAGS, "triples", outcome)
    if not triples.is_complete:
        message = f"only the first {MOST_TESTED} triples of columns that may predict {outcome} were checked"
        warnings.append(warning("SHORTCUTS_NOT_CHECKED", message))
    return warnings


def _found(subject: str, found: Sequence[Combination], kind: str, outcome: str) -> Warnings:
    if not found:
        return []
    named = "; ".join(f"{_listed(columns)} ({strength})" for columns, strength in found[:_NAMED])
    more = f"; and more {kind}: {len(found) - _NAMED}" if len(found) > _NAMED else ""
    message = f"{subject}: {named}{more}. Is each of these columns known before {outcome}?"
    return [warning("LABEL_PREDICTED_BY_MANY_COLUMNS", message)]


def _limit(searched: int, most: int, kind: str, outcome: str) -> Warnings:
    if searched <= most:
        return []
    message = f"only the first {most} of {searched} columns were checked for {kind} that predict {outcome}"
    return [warning("SHORTCUTS_NOT_CHECKED", message)]


def _listed(columns: Sequence[str]) -> str:
    *first, last = (f'"{column}"' for column in columns)
    return f"{', '.join(first)} and {last}"
