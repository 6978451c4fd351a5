"""Step "rows": several rows of a case become one, by a rule for its label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import phrase, quoted
from medloom_trainer.data.tables.cells import is_missing
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.flag_labels import read_flag_column
from medloom_trainer.data.tables.numbers import read_numbers
from medloom_trainer.data.tables.recipe.report import State, examples, located
from medloom_trainer.data.tables.table import Table, with_columns
from medloom_trainer.errors import TrainerError

_PLACE = "data.recipe.rows"
_DATE = re.compile(r"\d{4}-?\d{2}-?\d{2}(?:[T ].*)?")


def merge_rows(state: State, rows: Mapping[str, Any]) -> None:
    for column in rows["case"]:
        require_column(state.table, column, _PLACE)
    if "visit" in rows:
        _keep_visits(state, rows["visit"])
    groups = _groups(state.table, rows["case"], _order(state.table, rows.get("order_by")))
    labels = _labels(state)
    if rows["rule"] == "all_agree":
        groups = _agreeing(state, groups, labels)
    before = len(state.table)
    _merge(state, groups, labels, rows)
    merged = before - len(groups)
    counted = phrase("rows_counted", count=before)
    message = phrase("step_rows", rows=counted, count=len(groups), rule=rows["rule"])
    state.note("rows", message, merged=merged)


def groups_of(table: Table, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Case → its rows, in the order of the table. DATASET_INVALID for rows without a case."""
    found: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(table.cells[column] for column in columns), strict=True)):
        found.setdefault(key, []).append(row)
    empty = [row for key, rows in found.items() if not all(key) for row in rows]
    if empty:
        message = phrase(
            "rows_without_value",
            rows=phrase("rows_counted", count=len(empty)),
            columns=quoted(columns),
            places=located(table, empty),
        )
        raise TrainerError("DATASET_INVALID", message, phrase("fill_cells_or_other_case"))
    return found


def differing(table: Table, groups: Sequence[Sequence[int]], columns: Sequence[str]) -> list[str]:
    """Columns whose texts differ within a case."""
    several = [rows for rows in groups if len(rows) > 1]
    return [
        column
        for column in columns
        if any(len({table.cells[column][row] for row in rows}) > 1 for rows in several)
    ]


def _keep_visits(state: State, visit: Mapping[str, Any]) -> None:
    column, values = visit["column"], {*visit["values"]}
    require_column(state.table, column, f"{_PLACE}.visit")
    kept = [row for row, text in enumerate(state.table.cells[column]) if text in values]
    if not kept:
        message = phrase("visits_absent", table=state.table.name, place=_PLACE, column=column)
        raise TrainerError("DATASET_INVALID", message, phrase("correct_values"))
    left_out = len(state.table) - len(kept)
    state.table = state.table.take(np.asarray(kept, dtype=np.int64))
    message = phrase("step_visits", visits=quoted(visit["values"]), count=left_out)
    state.note("rows", message, dropped=left_out)


def _order(table: Table, column: str | None) -> Callable[[int], Any]:
    """Sort key of a row. DATASET_INVALID if the texts are neither numbers nor ISO dates."""
    if column is None:
        return lambda row: row
    require_column(table, column, f"{_PLACE}.order_by")
    texts = table.cells[column]
    empty = [row for row, text in enumerate(texts) if not text]
    if not empty and all(map(_DATE.fullmatch, texts)):
        return lambda row: (texts[row].replace("-", ""), row)
    numbers = read_numbers(texts, table.delimiter)
    wrong = sorted({*numbers.texts, *np.flatnonzero(np.isnan(numbers.values)).tolist()})
    if wrong:
        message = phrase(
            "rows_without_order",
            column=column,
            rows=phrase("rows_counted", count=len(wrong)),
            places=located(table, wrong),
        )
        remedy = phrase("correct_or_visit", place=_PLACE)
        raise TrainerError("DATASET_INVALID", message, remedy)
    values = numbers.values.tolist()
    return lambda row: (values[row], row)


def _groups(table: Table, columns: Sequence[str], order: Callable[[int], Any]) -> list[list[int]]:
    return [sorted(rows, key=order) for rows in groups_of(table, columns).values()]


def _labels(state: State) -> list[str]:
    """The label columns that the recipe defines."""
    settings = state.settings
    named = [settings.get(key) for key in ("label_column", "time_column", "event_column")]
    return [*[name for name in named if name], *settings.get("label_columns", ())]


def _present(texts: Sequence[str], rows: Sequence[int]) -> list[str]:
    """Texts of these rows that are not missing."""
    return [texts[row] for row in rows if not is_missing(texts[row])]


def _first_present(table: Table, column: str, groups: Sequence[Sequence[int]]) -> list[str]:
    return [next(iter(_present(table.cells[column], rows)), "") for rows in groups]


def _agreeing(state: State, groups: list[list[int]], labels: Sequence[str]) -> list[list[int]]:
    cells = [state.table.cells[column] for column in labels]
    kept = [rows for rows in groups if all(len({*_present(texts, rows)}) <= 1 for texts in cells)]
    if not kept:
        raise TrainerError("DATASET_INVALID", phrase("no_case_agrees", place=_PLACE))
    if count := len(groups) - len(kept):
        state.note("rows", phrase("cases_disagree", count=count), dropped=count)
    return kept


def _merge(
    state: State, groups: Sequence[Sequence[int]], labels: Sequence[str], rows: Mapping[str, Any]
) -> None:
    """The chosen row of each case, with the label of the rule. Columns that differ keep the texts of that
    row."""
    table, rule = state.table, rows["rule"]
    position = -1 if rule == "last" else 0
    if rule in ("any", "majority") and not labels:
        message = phrase("rule_without_label", rule=rule)
        raise TrainerError("DATASET_INVALID", message, phrase("add_label_or_rule"))
    chosen = table.take(np.asarray([group[position] for group in groups], dtype=np.int64))
    changed: dict[str, list[str]] = {}
    if rule == "any":
        _refuse_absent(table, labels, rows.get("positive"))
        changed = {column: _any_positive(table, column, groups, rows.get("positive")) for column in labels}
    elif rule == "all_agree":
        changed = {column: _first_present(table, column, groups) for column in labels}
    elif rule == "majority":
        changed = {column: _majority(table, column, groups) for column in labels}
    others = [column for column in table.columns if column not in {*labels, *rows["case"]}]
    if varying := differing(table, groups, others):
        code: PhraseCode = "last_row_counts" if position else "first_row_counts"
        state.note("rows", phrase(code, columns=quoted(varying)))
    state.table = with_columns(chosen, chosen.cells | changed)


def _refuse_absent(table: Table, labels: Sequence[str], positive: str | None) -> None:
    """DATASET_INVALID if no label has the positive class, so that rule any would decide nothing."""
    texts = [text for column in labels for text in table.cells[column] if not is_missing(text)]
    if positive is not None and texts and positive not in texts:
        message = phrase(
            "positive_absent", place=_PLACE, columns=quoted(labels), table=table.name, values=examples(texts)
        )
        raise TrainerError("DATASET_INVALID", message, phrase("write_positive_as", place=_PLACE))


def _any_positive(
    table: Table, column: str, groups: Sequence[Sequence[int]], positive: str | None
) -> list[str]:
    texts = table.cells[column]
    if positive is not None:
        present = [_present(texts, rows) for rows in groups]
        return [positive if positive in found else next(iter(found), "") for found in present]
    flags = read_flag_column(table, column).tolist()
    return [texts[max(rows, key=lambda row: (flags[row], -rows.index(row)))] for rows in groups]


def _majority(table: Table, column: str, groups: Sequence[Sequence[int]]) -> list[str]:
    """DATASET_INVALID if two texts are equally frequent in a case."""
    texts = table.cells[column]
    decided, tied = [], []
    for rows in groups:
        counts = Counter(_present(texts, rows)).most_common(2)
        if len(counts) == 2 and counts[0][1] == counts[1][1]:
            tied.append(rows[0])
        decided.append(counts[0][0] if counts else "")
    if tied:
        message = phrase(
            "cases_without_majority",
            cases=phrase("cases", count=len(tied)),
            column=column,
            places=located(table, tied),
        )
        raise TrainerError("DATASET_INVALID", message, phrase("use_other_rule", place=_PLACE))
    return decided
