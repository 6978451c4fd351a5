"""Step "missing": the codes for missing values of single columns, and those of all columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from medloom_trainer.contract.phrases import Phrased, join, phrase, quoted
from medloom_trainer.data.tables.cells import PresentText
from medloom_trainer.data.tables.column_texts import distinct_of
from medloom_trainer.data.tables.table import Table, with_columns
from medloom_trainer.errors import TrainerError

_NUMBER = re.compile(r"([+\-\u2212]?)(0|[1-9]\d*)(?:[.,](\d+))?")


Code = tuple[str | None, str]
"""(column with its own codes, or None for all others; code)"""


def mark_missing(
    tables: Mapping[str, Table], missing: Mapping[str, Any], *, of_new_cases: bool = False
) -> tuple[dict[str, Table], Phrased, dict[str, int]]:
    """(the tables with empty cells instead of the codes, what was done, counts: cells, and codes that no cell
    has). The standard list does not apply to the columns that have their own codes. COLUMN_NOT_FOUND for a
    column that no table has; new cases may lack some."""
    codes: Mapping[str, Sequence[str]] = missing.get("columns", {})
    everywhere: Sequence[str] = missing.get("everywhere", ())
    absent = [column for column in codes if not any(column in table.cells for table in tables.values())]
    if absent and not of_new_cases:
        message = phrase("no_table_has_column", columns=quoted(absent))
        raise TrainerError("COLUMN_NOT_FOUND", message, phrase("correct_or_remove_name"))
    cleared = 0
    found: set[Code] = set()
    done: dict[str, Table] = {}
    for name, table in tables.items():
        done[name], count, known = without_codes(table, missing)
        cleared += count
        found |= known
    given: set[Code] = {(None, code) for code in everywhere}
    given |= {(column, code) for column, listed in codes.items() for code in listed}
    unmatched = sum(code != "" for _, code in given - found)
    places = quoted(codes) if codes else phrase("all_columns")
    if codes and everywhere:
        places = phrase("and_other_columns", columns=places)
    message = phrase("step_missing", count=cleared, columns=places)
    if unmatched:
        message = join(message, phrase("codes_not_found", count=unmatched))
    return done, message, {"cleared": cleared, "not_found": unmatched}


def without_codes(table: Table, missing: Mapping[str, Any]) -> tuple[Table, int, set[Code]]:
    """(the table with empty cells instead of the codes, number of these cells, codes that some cell has).
    missing: step "missing" of a recipe."""
    own: Mapping[str, Sequence[str]] = missing.get("columns", {})
    cleared = 0
    found: set[Code] = set()
    cells = {}
    for column, texts in table.cells.items():
        gone = _matches(distinct_of(texts), own.get(column, missing.get("everywhere", ())))
        found |= {(column if column in own else None, code) for code in gone.values()}
        cells[column] = _without(texts, gone, exact=column in own)
        cleared += sum(text != "" and text in gone for text in texts) if gone else 0
    return with_columns(table, cells), cleared, found


def input_codes(recipe: Mapping[str, Any], inputs: Iterable[str]) -> dict[str, Any]:
    """Step "missing" of a recipe for columns as a model names them: those of a joined table may have its name
    in front."""
    missing: Mapping[str, Any] = recipe.get("missing", {})
    own: Mapping[str, Sequence[str]] = missing.get("columns", {})
    prefixes = [f"{join['table']}." for join in recipe.get("join", ())]
    columns = {}
    for name in inputs:
        bare = next((name[len(prefix) :] for prefix in prefixes if name.startswith(prefix)), name)
        if name in own or bare in own:
            columns[name] = own.get(name, own.get(bare, ()))
    return {**missing, "columns": columns}


def _matches(texts: Iterable[str], codes: Sequence[str]) -> dict[str, str]:
    """Text → its code: an equal text, or an equal number such as `-9.0` for `-9`."""
    by_text = {code: code for code in codes}
    by_value = {value: code for code in codes if (value := _value(code)) is not None}
    found = {text: by_text.get(text) or by_value.get(_value(text) or "") for text in texts}
    return {text: code for text, code in found.items() if code is not None}


def _value(text: str) -> str | None:
    """The number in one notation; None for other texts, for codes such as `007`, and for `9,000`, which may
    group thousands."""
    number = _NUMBER.fullmatch(text)
    if number is None or (len(number[3] or "") == 3 and number[2] != "0"):
        return None
    sign = "-" if number[1] in ("-", "\u2212") else ""
    fraction = (number[3] or "").rstrip("0")
    return f"{sign}{number[2]}.{fraction}"


def _without(texts: list[str], gone: Mapping[str, str], *, exact: bool) -> list[str]:
    """exact: the column has its own codes, so that no other text of it is missing."""
    if not exact:
        return ["" if text in gone else text for text in texts] if gone else texts
    kept = {text: "" if not text or text in gone else PresentText(text) for text in dict.fromkeys(texts)}
    return [kept[text] for text in texts]
