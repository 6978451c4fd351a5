"""The table of cases after preprocessing, for display: read by a preview, a filter or an export.

A training still works with the recorded settings. A view applies them to the current cases: fitted on their
training part if a split column names one, else on all of them, and only for the requested columns and rows.
It is never written where a training reads, so nothing is applied twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from medloom_trainer.cases.case_set import CaseSet
from medloom_trainer.cases.views.fit import (
    FittedTable,
    fit_table_of,
    table_settings,
    training_rows,
    without_gaps,
)
from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, listing, phrase, quoted
from medloom_trainer.data.features import column_texts, filled_texts, number_names
from medloom_trainer.data.tables import Table, read_numbers, with_columns
from medloom_trainer.warnings import Warnings, warning

_CELLS_AT_ONCE = 200_000
"""Size of a chunk, which is in memory in addition to the table itself."""


@dataclass(frozen=True)
class ViewColumn:
    """Column of a view of processed values."""

    name: str
    source: str
    """Column of the table."""
    processed: bool
    """True if it is computed from that column; otherwise it is that column."""
    numeric: bool


@dataclass(frozen=True)
class TableView:
    """N rows of a view."""

    cases: CaseSet
    """The recorded cases, without the rows that missing_strategy "drop" leaves out."""
    columns: tuple[ViewColumn, ...]
    fitted: FittedTable | None
    """None if no settings of the table were recorded."""
    rows_dropped: int

    def __len__(self) -> int:
        return len(self.cases.table)

    def cells(self, names: Collection[str], start: int = 0, end: int | None = None) -> dict[str, list[str]]:
        """Name → texts of the rows from `start` to before `end`; in the order of the columns."""
        table = self.cases.table
        if start or end is not None:
            table = table.take(np.arange(start, min(len(table), len(table) if end is None else end)))
        wanted = [column for column in self.columns if column.name in names]
        made: dict[str, dict[str, list[str]]] = {}
        for source in dict.fromkeys(column.source for column in wanted if column.processed):
            texts = column_texts(table, self._state, self._column(source))
            own = [column.name for column in self.columns if column.source == source]
            made[source] = dict(zip(own, texts.values(), strict=True))
        return {
            column.name: made[column.source][column.name] if column.processed else table.cells[column.source]
            for column in wanted
        }

    def chunks(self) -> Iterator[dict[str, list[str]]]:
        """All columns, in chunks of rows."""
        names = {column.name for column in self.columns}
        size = max(1, _CELLS_AT_ONCE // max(1, len(names)))
        for start in range(0, len(self), size):
            yield self.cells(names, start, start + size)

    def table_to_filter(self, names: Collection[str]) -> Table:
        """These columns of the view, or of the table if the view does not show them: the categories of an
        encoded column, with its gaps filled; a column that feature selection leaves out, unchanged.
        """
        table = self.cases.table
        columns = self.cells(names)
        for name in names:
            if name not in columns:
                known = name in self._encoded
                columns[name] = filled_texts(table, self._column(name)) if known else table.cells[name]
        return with_columns(table, columns)

    def names_to_filter(self) -> list[str]:
        return list(dict.fromkeys([*self.cases.table.columns, *(column.name for column in self.columns)]))

    def notes(self) -> Warnings:
        """Notes about these values; the first one is about fitted values."""
        if self.fitted is None:
            return []
        notes = []
        if what := _what_is_fitted(self.fitted):
            count = len(self.fitted.on.table)
            everything = count + self.fitted.rows_dropped == len(self) + self.rows_dropped
            which = phrase("all_cases" if everything else "the_training_cases", count=count)
            message = phrase("fitted_for_display", fitted=what, cases=which)
            notes.append(warning("PROCESSED_VIEW", message))
        if self.rows_dropped:
            message = phrase("rows_dropped", count=self.rows_dropped)
            notes.append(warning("PROCESSED_VIEW", message))
        if dropped := self.fitted.fit.selection.dropped:
            message = phrase("columns_dropped", count=len(dropped), columns=quoted(dropped))
            notes.append(warning("PROCESSED_VIEW", message))
        return notes

    @property
    def _state(self) -> dict[str, Any]:
        assert self.fitted is not None  # only then are columns processed
        return self.fitted.fit.state

    @property
    def _encoded(self) -> dict[str, dict[str, Any]]:
        """Name of a categorical column → its fitted state."""
        columns = [] if self.fitted is None else self._state["columns"]
        return {column["name"]: column for column in columns if column["kind"] != "numeric"}

    def _column(self, name: str) -> dict[str, Any]:
        (found,) = [column for column in self._state["columns"] if column["name"] == name]
        column: dict[str, Any] = found
        return column


def view_of(cases: CaseSet) -> TableView:
    """Errors as in `fit_table_of`."""
    settings = table_settings(cases)
    if settings is None:
        return TableView(cases, tuple(_as_it_is(cases, name) for name in cases.table.columns), None, 0)
    fitted = fit_table_of(training_rows(cases), settings)
    complete = without_gaps(cases, fitted.roles) if settings["missing_strategy"] == "drop" else cases
    dropped = len(cases.table) - len(complete.table)
    return TableView(complete, tuple(_columns(cases, fitted)), fitted, dropped)


def _columns(cases: CaseSet, fitted: FittedTable) -> Iterator[ViewColumn]:
    """The columns of the table in their order, with each model input in the position of its source column."""
    states = {column["name"]: column for column in fitted.fit.state["columns"]}
    plain = [name for name in cases.table.columns if name not in states]
    taken = set(plain)
    for name in cases.table.columns:
        if name in states:
            for wanted in number_names(states[name]):
                free = wanted
                while free in taken:
                    free += " (processed)"
                taken.add(free)
                yield ViewColumn(free, name, processed=True, numeric=True)
        elif name not in fitted.fit.selection.dropped:
            yield _as_it_is(cases, name)


def _as_it_is(cases: CaseSet, name: str) -> ViewColumn:
    """Numbers of a column that a model would read as numbers; ids and categories remain texts."""
    numeric = name in cases.feature_columns and _holds_numbers(cases.table, name)
    return ViewColumn(name, name, processed=False, numeric=numeric)


def _holds_numbers(table: Table, name: str) -> bool:
    return not read_numbers(table.cells[name], table.delimiter).texts


_FILLED_WITH: Mapping[str, PhraseCode] = {
    "mean": "fitted_means",
    "median": "fitted_medians",
    "mode": "fitted_modes",
}
_FITTED_BY_KIND: Mapping[str, PhraseCode] = {"embedding": "fitted_codes", "target": "fitted_means_of_label"}


def _what_is_fitted(fitted: FittedTable) -> Phrased | None:
    """Describe the fitted values; None if no number depends on other rows."""
    settings, kinds = fitted.settings, {column["kind"] for column in fitted.fit.state["columns"]}
    parts = [_FITTED_BY_KIND[kind] for kind in _FITTED_BY_KIND if kind in kinds]
    if settings["missing_strategy"] in _FILLED_WITH:
        parts.append(_FILLED_WITH[settings["missing_strategy"]])
    if settings["scaling"] != "none" and "numeric" in kinds:
        parts.append("fitted_scaling")
    if settings["feature_selection"]["method"] != "none":
        parts.append("fitted_selection")
    if not parts:
        return None
    *first, last = (phrase(part) for part in parts)
    return phrase("list_and", first=listing(first, len(first)), last=last) if first else last
