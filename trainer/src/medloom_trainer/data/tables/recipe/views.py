"""Step "views": several images of a case, one in each row, become columns of one row."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import join, phrase, quoted
from medloom_trainer.data.tables.column_names import require_column
from medloom_trainer.data.tables.recipe.case_rows import differing, groups_of
from medloom_trainer.data.tables.recipe.report import State
from medloom_trainer.data.tables.table import Table, name_rows, with_columns
from medloom_trainer.errors import TrainerError

_PLACE = "data.recipe.views"


def pivot_views(state: State, views: Mapping[str, Any]) -> None:
    """Each column of `columns` (default: the image columns) becomes one column for each view that occurs,
    named after the values of `by`. Other columns that differ within a case are left out."""
    table = state.table
    images: list[str] = state.settings.get("image_columns", [])
    wanted: Sequence[str] = views.get("columns", images)
    for column in (*views["case"], *views["by"], *wanted):
        require_column(table, column, _PLACE)
    if not wanted:
        message = phrase("views_without_images")
        raise TrainerError("DATASET_INVALID", message, phrase("add_images_or_columns", place=_PLACE))
    groups = groups_of(table, views["case"])
    names = _view_names(table, views["by"])
    _refuse_repeated(table, list(groups.values()), names)
    kinds = sorted(dict.fromkeys(names))
    of_case = [{names[row]: row for row in rows} for rows in groups.values()]
    first = table.take(np.asarray([rows[0] for rows in groups.values()], dtype=np.int64))
    others = [column for column in table.columns if column not in {*wanted, *views["by"]}]
    varying = differing(table, list(groups.values()), others)
    kept = {column: first.cells[column] for column in others if column not in varying}
    added = {
        f"{column}_{kind}": [table.cells[column][rows[kind]] if kind in rows else "" for rows in of_case]
        for column in wanted
        for kind in kinds
    }
    _refuse_taken(table, kept, added, len(wanted) * len(kinds))
    state.table = with_columns(first, kept | added)
    made = [f"{column}_{kind}" for column in wanted if column in images or not images for kind in kinds]
    state.imply("image_columns", made)
    _forget(state, varying, views["by"])
    absent = len(kinds) * len(groups) - sum(map(len, of_case))
    message = phrase("step_views", count=len(groups), views=quoted(kinds))
    if varying:
        message = join(message, phrase("columns_vary", columns=quoted(varying)), mark="semicolon")
    state.note("views", message, absent=absent)


def _refuse_taken(table: Table, kept: Mapping[str, Any], added: Mapping[str, Any], count: int) -> None:
    """The names of the columns of the views are new and differ."""
    taken = [column for column in added if column in kept]
    if taken or len(added) < count:
        which = quoted(taken) if taken else "of another view"
        message = phrase("views_replace_column", place=_PLACE, column=which, table=table.name)
        raise TrainerError("DATASET_INVALID", message, phrase("rename_or_change_by", place=_PLACE))


def _view_names(table: Table, columns: Sequence[str]) -> list[str]:
    keys = list(zip(*(table.cells[column] for column in columns), strict=True))
    names = ["_".join(re.sub(r"[^\w]+", "-", text).strip("-") for text in key) for key in keys]
    without = [row for row, name in enumerate(names) if not name.strip("_")]
    values_of: dict[str, set[tuple[str, ...]]] = {}
    for name, key in zip(names, keys, strict=True):
        values_of.setdefault(name, set()).add(key)
    if same := sorted(name for name, several in values_of.items() if len(several) > 1):
        message = phrase("values_make_one_view", columns=quoted(columns), values=quoted(same))
        remedy = phrase("values_that_differ", place=_PLACE)
        raise TrainerError("DATASET_INVALID", message, remedy)
    if without:
        message = phrase(
            "rows_without_view",
            rows=phrase("rows_counted", count=len(without)),
            columns=quoted(columns),
            table=table.name,
            places=name_rows(table, without),
        )
        raise TrainerError("DATASET_INVALID", message, phrase("fill_cells_or_other_views"))
    return names


def _refuse_repeated(table: Table, groups: Sequence[Sequence[int]], names: Sequence[str]) -> None:
    repeated = [rows for rows in groups if len({names[row] for row in rows}) < len(rows)]
    if repeated:
        message = phrase(
            "cases_with_repeated_view",
            cases=phrase("cases", count=len(repeated)),
            table=table.name,
            places=name_rows(table, repeated[0]),
        )
        remedy = phrase("add_by_or_rows", place=_PLACE)
        raise TrainerError("DATASET_INVALID", message, remedy)


def _forget(state: State, varying: Sequence[str], by: Sequence[str]) -> None:
    """Settings name only columns that exist; a label that differs between the views of a case is refused."""
    gone = {*varying, *by}
    settings = state.settings
    named = [
        settings.get(key)
        for key in ("label_column", "time_column", "event_column", "patient_column", "split_column")
    ]
    if lost := [column for column in (*named, *settings.get("label_columns", ())) if column in gone]:
        message = phrase("rows_of_case_differ", columns=quoted(lost))
        raise TrainerError(
            "DATASET_INVALID",
            message,
            phrase("correct_case_columns"),
        )
    if "ignore_columns" in settings:
        settings["ignore_columns"] = [column for column in settings["ignore_columns"] if column not in gone]
