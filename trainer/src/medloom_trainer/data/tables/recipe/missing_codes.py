"""Step "missing": the codes for missing values of single columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medloom_trainer.data.tables.cells import PresentText
from medloom_trainer.data.tables.recipe.report import quoted
from medloom_trainer.data.tables.table import Table, with_columns
from medloom_trainer.errors import TrainerError
from medloom_trainer.plurals import pluralize


def mark_missing(
    tables: Mapping[str, Table], codes: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Table], str, int]:
    """(the tables with empty cells instead of the codes, what was done, number of cells). The standard list
    does not apply to these columns. COLUMN_NOT_FOUND for a column that no table has."""
    absent = [column for column in codes if not any(column in table.cells for table in tables.values())]
    if absent:
        message = f"no table has the column {quoted(absent)} (data.recipe.missing)"
        raise TrainerError("COLUMN_NOT_FOUND", message, "Correct the name, or remove it from the recipe.")
    cleared = 0
    done: dict[str, Table] = {}
    for name, table in tables.items():
        changed = {
            column: _without(table.cells[column], codes[column]) for column in codes if column in table.cells
        }
        cleared += sum(
            before != after
            for column, texts in changed.items()
            for before, after in zip(table.cells[column], texts, strict=True)
        )
        done[name] = with_columns(table, table.cells | changed) if changed else table
    message = f"{pluralize(cleared, 'cell')} with a code for missing values in {quoted(list(codes))}"
    return done, message, cleared


def _without(texts: Sequence[str], codes: Sequence[str]) -> list[str]:
    gone = {"", *codes}
    kept = {text: "" if text in gone else PresentText(text) for text in dict.fromkeys(texts)}
    return [kept[text] for text in texts]
