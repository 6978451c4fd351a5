"""Step "join": columns of other tables, added to the rows that have their key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import join as join_messages
from medloom_trainer.contract.phrases import listing, phrase, quoted
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.recipe.report import State
from medloom_trainer.data.tables.table import Table, name_rows, with_columns
from medloom_trainer.errors import TrainerError

Key = tuple[str, ...]


def join_tables(state: State, joins: Sequence[Mapping[str, Any]], tables: Mapping[str, Table]) -> None:
    for join in joins:
        _join(state, join, tables[join["table"]])


def _join(state: State, join: Mapping[str, Any], right: Table) -> None:
    """A key that repeats in one table gives the row of the other one to each of its rows; a row with an empty
    key has no match. Equal rows of the joined table are one. DATASET_INVALID if the key repeats in both
    tables, or if nothing matches."""
    left, name, on = state.table, join["table"], join["on"]
    pairs = list(on.items()) if isinstance(on, Mapping) else [(column, column) for column in on]
    for column, other in pairs:
        require_column(left, column, f'the key of data.recipe.join with "{name}"')
        require_column(right, other, f'the key of data.recipe.join with "{name}"')
    of_left = _rows_of_keys(left, [column for column, _ in pairs])
    of_right = _rows_of_keys(right, [column for _, column in pairs])
    alike = _equal_as_numbers(of_left, of_right)
    if join.get("numbers"):
        of_left, of_right = _as_numbers(left, of_left), _as_numbers(right, of_right)
    equal = _without_equal_rows(right, of_right)
    _refuse_repeated(left, right, of_left, of_right, pairs)
    matches, unmatched = _matches(left, of_left, of_right, keep_all=join["keep"] == "all")
    if not any(row >= 0 for _, row in matches):
        key = quoted([column for column, _ in pairs])
        message = phrase("no_row_joins", left=left.name, key=key, right=name)
        remedy = phrase("correct_join_key")
        if alike:
            zeros = phrase("keys_match_without_zeros", count=alike)
            message = join_messages(message, zeros, mark="semicolon")
            remedy = phrase("set_numbers")
        raise TrainerError("DATASET_INVALID", message, remedy)
    state.table = _combined(left, right, matches, {column for _, column in pairs}, name)
    unused = sum(len(rows) for key, rows in of_right.items() if key not in of_left)
    parts = [phrase("step_join", table=name, columns=quoted(column for column, _ in pairs))]
    if unmatched:
        kept = join["keep"] == "all"
        parts.append(phrase("rows_unmatched" if kept else "rows_unmatched_left_out", count=unmatched))
    if unused:
        parts.append(phrase("rows_unused", count=unused, table=name))
    if equal:
        parts.append(phrase("rows_equal", count=equal, table=name))
    if alike:
        code: PhraseCode = "keys_as_numbers" if join.get("numbers") else "keys_without_zeros"
        parts.append(phrase(code, count=alike))
    state.note(
        "join",
        listing(parts, len(parts)),
        unmatched=unmatched,
        unused=unused,
        equal=equal,
        only_as_numbers=alike,
    )


def _number(text: str) -> str:
    """0001 → 1; other texts are unchanged."""
    return (text.lstrip("0") or "0") if text.isascii() and text.isdigit() else text


def _equal_as_numbers(of_left: Mapping[Key, list[int]], of_right: Mapping[Key, list[int]]) -> int:
    """Keys of the left without a match that have one if they are compared as numbers."""
    plain = {tuple(map(_number, key)) for key in of_right}
    return sum(key not in of_right and tuple(map(_number, key)) in plain for key in of_left)


def _as_numbers(table: Table, keys: Mapping[Key, list[int]]) -> dict[Key, list[int]]:
    """DATASET_INVALID if two keys of the table are equal as numbers."""
    found: dict[Key, list[int]] = {}
    for key, rows in keys.items():
        if other := found.get(plain := tuple(map(_number, key))):
            where = name_rows(table, [*other, *rows])
            message = phrase("keys_equal_as_numbers", table=table.name, places=where)
            raise TrainerError("DATASET_INVALID", message, phrase("remove_numbers"))
        found[plain] = rows
    return found


def _rows_of_keys(table: Table, columns: Sequence[str]) -> dict[Key, list[int]]:
    """Key → its rows, without keys that have an empty cell."""
    found: dict[Key, list[int]] = {}
    for row, key in enumerate(zip(*(table.cells[column] for column in columns), strict=True)):
        if all(key):
            found.setdefault(key, []).append(row)
    return found


def _without_equal_rows(table: Table, keys: dict[Key, list[int]]) -> int:
    """Keep the first of equal rows; return the number of others."""
    left_out = 0
    for key, rows in keys.items():
        if len(rows) > 1:
            first: dict[Key, int] = {}
            for row in rows:
                first.setdefault(tuple(table.cells[column][row] for column in table.columns), row)
            keys[key] = list(first.values())
            left_out += len(rows) - len(first)
    return left_out


def _refuse_repeated(
    left: Table,
    right: Table,
    of_left: Mapping[Key, list[int]],
    of_right: Mapping[Key, list[int]],
    pairs: Sequence[tuple[str, str]],
) -> None:
    repeated = {
        side: [rows for rows in keys.values() if len(rows) > 1]
        for side, keys in (("l", of_left), ("r", of_right))
    }
    if not repeated["l"] or not repeated["r"]:
        return
    first, second = (
        phrase("keys_in_table", count=len(found), table=table.name, rows=name_rows(table, found[0]))
        for table, found in ((left, repeated["l"]), (right, repeated["r"]))
    )
    places = phrase("list_and", first=first, last=second)
    key = quoted([column for column, _ in pairs])
    message = phrase("key_repeats", key=key, places=places)
    remedy = phrase("add_key_column")
    raise TrainerError("DATASET_INVALID", message, remedy)


def _matches(
    left: Table, of_left: Mapping[Key, list[int]], of_right: Mapping[Key, list[int]], *, keep_all: bool
) -> tuple[list[tuple[int, int]], int]:
    """([(row on the left, row on the right or -1)] in the order of the left, rows of the left without a
    match)."""
    of_row: dict[int, list[int]] = {
        row: of_right[key] for key, rows in of_left.items() if key in of_right for row in rows
    }
    matches = [
        (row, other) for row in range(len(left)) for other in of_row.get(row, [-1] if keep_all else [])
    ]
    return matches, len(left) - len(of_row)


def _combined(
    left: Table, right: Table, matches: Sequence[tuple[int, int]], key: set[str], name: str
) -> Table:
    """The rows of the left, with the columns of the right except its key; a column with a name that the left
    has too is named after its table."""
    table = left.take(np.asarray([row for row, _ in matches], dtype=np.int64))
    added = {}
    for column in right.columns:
        if column in key:
            continue
        texts = right.cells[column]
        own = f"{name}.{column}" if column in left.cells else column
        if own in left.cells or own in added:
            message = phrase("join_replaces_column", table=name, column=own[:80])
            remedy = phrase("rename_joined_table", table=name)
            raise TrainerError("DATASET_INVALID", message, remedy)
        added[own] = ["" if row < 0 else texts[row] for _, row in matches]
    return with_columns(table, table.cells | added)
