"""Step "missing": the codes for missing values of single columns, and those of all columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medloom_trainer.data.tables.cells import PresentText
from medloom_trainer.data.tables.recipe.report import quoted
from medloom_trainer.data.tables.table import Table, with_columns
from medloom_trainer.errors import TrainerError
from medloom_trainer.plurals import pluralize


def mark_missing(
    tables: Mapping[str, Table], missing: Mapping[str, Any]
) -> tuple[dict[str, Table], str, int]:
    """(the tables with empty cells instead of the codes, what was done, number of cells). The standard list
    does not apply to the columns that have their own codes. COLUMN_NOT_FOUND for a column that no table
    has."""
    codes: Mapping[str, Sequence[str]] = missing.get("columns", {})
    everywhere: Sequence[str] = missing.get("everywhere", ())
    absent = [column for column in codes if not any(column in table.cells for table in tables.values())]
    if absent:
        message = f"no table has the column {quoted(absent)} (data.recipe.missing)"
        raise TrainerError("COLUMN_NOT_FOUND", message, "Correct the name, or remove it from the recipe.")
    cleared = 0
    done: dict[str, Table] = {}
    for name, table in tables.items():
        cells = {
            column: _without(texts, codes[column]) if column in codes else _cleared(texts, everywhere)
            for column, texts in table.cells.items()
        }
        cleared += sum(
            before != after
            for column, texts in cells.items()
            for before, after in zip(table.cells[column], texts, strict=True)
        )
        done[name] = with_columns(table, cells)
    places = quoted(list(codes)) + (" and the other columns" if everywhere else "")
    if not codes:
        places = "all columns"
    return done, f"{pluralize(cleared, 'cell')} with a code for missing values in {places}", cleared


def _without(texts: Sequence[str], codes: Sequence[str]) -> list[str]:
    gone = {"", *codes}
    kept = {text: "" if text in gone else PresentText(text) for text in dict.fromkeys(texts)}
    return [kept[text] for text in texts]


def _cleared(texts: list[str], codes: Sequence[str]) -> list[str]:
    gone = {*codes}.intersection(texts)
    return ["" if text in gone else text for text in texts] if gone else texts
