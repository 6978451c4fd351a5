"""Warnings about columns that predict the label together although fewer of them do not."""

from __future__ import annotations

from collections.abc import Sequence

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.data.checks.association import FEW_VALUES, Outcomes
from medloom_trainer.data.checks.column_pairs import (
    MOST_COLUMNS,
    Combination,
    pairs_of_codes,
)
from medloom_trainer.data.checks.column_triples import (
    MOST_FLAGS,
    MOST_TESTED,
    MOST_VALUES,
    Triples,
    triples_of_flags,
)
from medloom_trainer.data.checks.number_pairs import class_pairs_of_numbers, pairs_of_numbers, quantiles_of
from medloom_trainer.data.tables import Table, distinct_of, read_numbers, sorted_codes
from medloom_trainer.warnings import Warnings, warning

_NAMED = 10


def joint_warnings(
    table: Table, outcomes: Outcomes, numeric: Sequence[str], categorical: Sequence[str], *, whole: bool
) -> Warnings:
    """whole: all cases answer; a quantity that only some of them have is not searched for pairs a second
    time."""
    if outcomes.is_quantity and not whole:
        return []
    numbers = {name: read_numbers(table.cells[name], table.delimiter).values for name in numeric}
    if outcomes.is_quantity:
        return _of_pairs(pairs_of_numbers(numbers, outcomes), len(numbers), outcomes.name)
    texts = {name: table.cells[name] for name in (*numeric, *categorical)}
    distinct = {name: len(distinct_of(cells)) for name, cells in texts.items()}
    few = {name: cells for name, cells in texts.items() if 2 <= distinct[name] <= FEW_VALUES}
    flags = {name: cells for name, cells in few.items() if distinct[name] <= MOST_VALUES}
    many = [name for name in numeric if distinct[name] > FEW_VALUES]
    # Columns of few values first: the limit applies to all of them.
    codes = {name: sorted_codes(cells) for name, cells in few.items()}
    codes |= {name: quantiles_of(numbers[name]) for name in many[:MOST_COLUMNS]}
    found = {frozenset(one.columns): one for one in pairs_of_codes(codes, outcomes, many)}
    found |= {frozenset(one.columns): one for one in class_pairs_of_numbers(numbers, outcomes)}
    return [
        *_of_pairs(list(found.values()), len(few) + len(many), outcomes.name),
        *_of_triples(triples_of_flags(flags, outcomes), len(flags), outcomes.name),
    ]


def _of_pairs(found: Sequence[Combination], searched: int, outcome: Phrased) -> Warnings:
    limited = _limit(searched, MOST_COLUMNS, "pairs_limited", outcome)
    return [*_found("pairs_predict", found, outcome), *limited]


def _of_triples(triples: Triples, searched: int, outcome: Phrased) -> Warnings:
    warnings = _found("triples_predict", triples.found, outcome)
    warnings += _limit(searched, MOST_FLAGS, "triples_limited", outcome)
    if not triples.is_complete:
        message = phrase("triples_tested", most=MOST_TESTED, outcome=outcome)
        warnings.append(warning("SHORTCUTS_NOT_CHECKED", message))
    return warnings


def _found(code: PhraseCode, found: Sequence[Combination], outcome: Phrased) -> Warnings:
    if not found:
        return []
    named = [phrase("in_brackets", text=_listed(columns), more=strength) for columns, strength in found]
    message = phrase(code, outcome=outcome, columns=listing(named, _NAMED, mark="semicolon"))
    return [warning("LABEL_PREDICTED_BY_MANY_COLUMNS", message)]


def _limit(searched: int, most: int, code: PhraseCode, outcome: Phrased) -> Warnings:
    if searched <= most:
        return []
    message = phrase(code, most=most, searched=searched, outcome=outcome)
    return [warning("SHORTCUTS_NOT_CHECKED", message)]


def _listed(columns: Sequence[str]) -> Phrased:
    *first, last = (f'"{column}"' for column in columns)
    return phrase("list_and", first=", ".join(first), last=last)
