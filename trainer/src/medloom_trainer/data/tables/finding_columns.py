"""Columns of yes and no that describe the same case as the label: the other columns of a one-hot group, and
other findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.cells import is_missing, present_texts
from medloom_trainer.data.tables.column_texts import coded, distinct_of
from medloom_trainer.data.tables.finding_names import describes_person, names_finding, names_no_finding
from medloom_trainer.data.tables.flag_labels import UNKNOWN, flag_of
from medloom_trainer.data.tables.table import Table

Flags = Mapping[str, npt.NDArray[np.int8]]
"""Column → (N,) 1, 0 and UNKNOWN."""

_MOST_SPELLINGS = 100
"""More different texts than yes and no can have."""
_UNCERTAIN = ("-1", "-1.0")
"""CheXpert."""
_SUMS_TO_ONE = 0.95
"""Minimum share of the rows that have exactly one column of a one-hot group."""
_KNOWN = 0.8
"""Minimum share of the rows in which the columns of a one-hot group are known."""
_FEWEST_FINDINGS = 3
_NEGATES = 0.98
"""Minimum share of the rows in which a column such as "No Finding" is yes if, and only if, no finding is."""


class Findings(NamedTuple):
    """Columns next to the label that are, or may be, other findings."""

    columns: list[str]
    normal: str | None
    """The column that is yes if, and only if, none of the findings is: they are findings. None: they may
    be."""


def flags_of(table: Table, columns: Sequence[str]) -> dict[str, npt.NDArray[np.int8]]:
    """The columns with yes and no, in any coding; empty cells are unknown, or no if nothing else means no."""
    found = {column: _flags(table.cells[column]) for column in columns}
    return {column: flags for column, flags in found.items() if flags is not None}


def _flags(texts: Sequence[str]) -> npt.NDArray[np.int8] | None:
    distinct, codes = coded(texts)
    if len(distinct) > _MOST_SPELLINGS:
        return None
    known = [_value(text) for text in distinct]
    if 0 not in known:
        known = [0 if is_missing(text) else value for text, value in zip(distinct, known, strict=True)]
    if not {0, 1} <= {*known} <= {0, 1, UNKNOWN}:
        return None
    return np.array(known, dtype=np.int8)[codes]


def _value(text: str) -> int | None:
    """None for a text that is neither yes nor no."""
    if is_missing(text) or text in _UNCERTAIN:
        return UNKNOWN
    flag = flag_of(text)
    return None if flag is None else int(flag)


def one_hot_group(flags: Flags, label: str, free: Sequence[str]) -> list[str]:
    """The free columns of which, together with the label, exactly one is yes in nearly every row."""
    taken, unknown = flags[label] == 1, flags[label] == UNKNOWN
    group = []
    frequent = sorted(free, key=lambda name: -int((flags[name] == 1).sum()) if name in flags else 0)
    for column in filter(flags.__contains__, frequent):
        if not (taken & (flags[column] == 1)).any():
            taken |= flags[column] == 1
            unknown |= flags[column] == UNKNOWN
            group.append(column)
    known = taken | ~unknown
    covers = known.mean() >= _KNOWN and taken.sum() >= _SUMS_TO_ONE * known.sum()
    return group if len(group) > 1 and covers else []


def adjacent_findings(table: Table, flags: Flags, labels: Sequence[str], free: Sequence[str]) -> list[str]:
    """Free columns of yes and no in the run of such columns around the labels. At its ends, the run has only
    columns with the coding of the labels or the name of a finding."""
    coding = {text for label in labels for text in present_texts(table.cells[label]) if flag_of(text)}
    alike = {
        column
        for column in table.columns
        if column in labels or (column in free and column in flags and not describes_person(column))
    }
    sure = {
        column
        for column in alike
        if column in labels or names_finding(column) or coding & {*distinct_of(table.cells[column])}
    }
    first, last = _ends([table.columns.index(label) for label in labels], table.columns, alike)
    while table.columns[first] not in sure:
        first += 1
    while table.columns[last] not in sure:
        last -= 1
    inside = table.columns[first : last + 1]
    return [column for column in inside if column in alike and column not in labels]


def _ends(places: Sequence[int], columns: Sequence[str], alike: set[str]) -> tuple[int, int]:
    """First and last place of the run; the labels themselves if there is another column between them."""
    first, last = min(places), max(places)
    if not alike.issuperset(columns[first : last + 1]):
        return first, last
    while first > 0 and columns[first - 1] in alike:
        first -= 1
    while last + 1 < len(columns) and columns[last + 1] in alike:
        last += 1
    return first, last


def findings_beside(table: Table, flags: Flags, label: str, free: Sequence[str]) -> Findings | None:
    """Other findings in the run of columns around the only label, which may also be inputs."""
    run = [label, *adjacent_findings(table, flags, [label], free)]
    for normal in filter(names_no_finding, run):
        findings = [column for column in run if column != normal and not _occur(flags, normal, column)]
        if len(findings) > 1 and _negates(flags, normal, findings):
            return Findings([column for column in [*findings, normal] if column != label], normal)
    named = sum(names_finding(column) or names_no_finding(column) for column in run)
    if len(run) > _FEWEST_FINDINGS and named >= _FEWEST_FINDINGS:
        return Findings(run[1:], None)
    return None


def _occur(flags: Flags, one: str, other: str) -> bool:
    return bool(((flags[one] == 1) & (flags[other] == 1)).any())


def _negates(flags: Flags, normal: str, findings: Sequence[str]) -> bool:
    known = flags[normal] != UNKNOWN
    union = np.any([flags[column] == 1 for column in findings], axis=0)
    agrees = (flags[normal] == 1)[known] != union[known]
    return bool(known.any()) and bool(agrees.mean() >= _NEGATES)
