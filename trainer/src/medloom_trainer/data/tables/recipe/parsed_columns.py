"""Steps "columns" and "patient": columns parsed from the texts of other columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medloom_trainer.contract.phrases import join, phrase, quoted
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.numbers import forms_of
from medloom_trainer.data.tables.recipe.patterns import Pattern
from medloom_trainer.data.tables.recipe.report import State, located
from medloom_trainer.data.tables.table import Table, count_patients, with_columns
from medloom_trainer.errors import TrainerError


def parse_columns(state: State, columns: Sequence[Mapping[str, Any]]) -> None:
    for parsed in columns:
        pattern = Pattern(parsed["pattern"])
        state.table = _with_parsed(state.table, parsed["from"], pattern, "columns")
        state.note("columns", phrase("columns_parsed", columns=quoted(pattern.names), column=parsed["from"]))


def find_patients(state: State, patient: Mapping[str, Any]) -> None:
    column = patient.get("column")
    if column is None:
        pattern = Pattern(patient["pattern"])
        (column,) = pattern.names
        state.table = _with_parsed(state.table, patient["from"], pattern, "patient")
    require_column(state.table, column, "data.recipe.patient")
    state.imply("patient_column", column)
    empty = sum(not text for text in state.table.cells[column])
    count = count_patients(state.table, column) or 0
    message = phrase("patients_in_column", count=count, column=column)
    if empty:
        message = join(message, phrase("rows_without_patient", count=empty))
    state.note("patient", message, without=empty)


def _with_parsed(table: Table, column: str, pattern: Pattern, key: str) -> Table:
    """DATASET_INVALID if the pattern does not match a text; an empty cell stays empty."""
    place = f"data.recipe.{key}"
    require_column(table, column, place)
    texts = table.cells[column]
    parsed = {
        text: pattern.parse(text) if text else dict.fromkeys(pattern.names, "")
        for text in dict.fromkeys(texts)
    }
    wrong = [row for row, text in enumerate(texts) if parsed[text] is None]
    if wrong:
        forms = forms_of([texts[row] for row in wrong], 3)
        message = phrase(
            "pattern_not_matching",
            pattern=pattern.text,
            place=place,
            texts=phrase("texts_counted", count=len(wrong)),
            column=column,
            forms=forms,
            places=located(table, wrong),
        )
        raise TrainerError("DATASET_INVALID", message, phrase("correct_pattern"))
    if taken := [name for name in pattern.names if name in table.cells and name != column]:
        message = phrase("pattern_replaces_column", pattern=pattern.text, place=place, column=taken[0][:80])
        raise TrainerError("DATASET_INVALID", message, phrase("other_name_in_pattern"))
    added = {name: [(parsed[text] or {})[name] for text in texts] for name in pattern.names}
    return with_columns(table, table.cells | added)
