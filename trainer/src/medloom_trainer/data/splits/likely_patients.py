"""Cases that may be of one patient in a table without a patient column: by ids that repeat, and by codes in
the paths of their images. They are not divided: visits of one patient would be in several splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from medloom_trainer.contract.phrases import phrase, quoted
from medloom_trainer.data.splits.grouping import group_cases
from medloom_trainer.data.tables import Pattern, Roles, Table, groups_in_paths, is_missing
from medloom_trainer.warnings import Warnings, warning

_LARGEST = 0.2
"""Share of the cases: a larger group is not a patient."""


@dataclass(frozen=True)
class LikelyPatients:
    """Columns that group the cases."""

    columns: tuple[str, ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    """(image column, pattern of its paths)."""

    def keys(self, table: Table) -> list[list[tuple[str, str]]]:
        """N lists: keys that connect each case to others. Columns that the table lacks do not count."""
        keys: list[list[tuple[str, str]]] = [[] for _ in range(len(table))]
        for column in self.columns:
            for row, text in enumerate(table.cells.get(column, ())):
                if text:
                    keys[row].append((f"likely {column}", text))
        for column, pattern in self.paths:
            parser = Pattern(pattern)
            for row, text in enumerate(table.cells.get(column, ())):
                if not is_missing(text) and (found := parser.parse(_below_root(text))) is not None:
                    keys[row].append((f"likely {column}", found["patient"]))
        return keys

    def connect(self, keys: list[list[tuple[str, str]]], table: Table) -> list[list[tuple[str, str]]]:
        """The keys of these cases with those of their likely patients."""
        if not (self.columns or self.paths):
            return keys
        return [[*own, *likely] for own, likely in zip(keys, self.keys(table), strict=True)]

    def describe(self) -> Warnings:
        """Warnings about the cases that stay together: REPEATED_IDS and PATIENTS_IN_PATHS."""
        found = []
        if self.columns:
            found.append(warning("REPEATED_IDS", phrase("ids_kept_together", columns=quoted(self.columns))))
        if self.paths:
            columns = quoted([column for column, _ in self.paths])
            found.append(warning("PATIENTS_IN_PATHS", phrase("paths_kept_together", columns=columns)))
        return found


def find_likely_patients(table: Table, roles: Roles) -> LikelyPatients:
    """None with a patient column. A column that would connect a large share of the cases is left out."""
    found = LikelyPatients()
    for column, pattern in _candidates(table, roles):
        if pattern is None:
            larger = LikelyPatients((*found.columns, column), found.paths)
        else:
            larger = LikelyPatients(found.columns, (*found.paths, (column, pattern)))
        groups = np.unique(group_cases(larger.keys(table)), return_counts=True)[1]
        if groups.max(initial=0) <= max(2, _LARGEST * len(table)):
            found = larger
    return found


def _below_root(path: str) -> str:
    """A pattern has no empty folder name."""
    return path.lstrip("/")


def _candidates(table: Table, roles: Roles) -> Iterator[tuple[str, str | None]]:
    if roles.patient is not None:
        return
    for column in roles.repeated_ids:
        yield column, None
    for column in roles.images:
        if column in table.cells:
            groups = groups_in_paths([_below_root(text) for text in table.cells[column]])
            if groups is not None and groups.pattern is not None:
                yield column, groups.pattern
