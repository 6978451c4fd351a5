"""The task `preview_cases`: some cases of a table that is not registered yet, with their images, beside the
rows from which a recipe makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.browse.cases import describe_case, describe_column
from medloom_trainer.browse.images import images
from medloom_trainer.browse.index import MOST_CHARACTERS, CaseIndex, Progress, open_index, shown
from medloom_trainer.browse.source import Source
from medloom_trainer.data.tables import (
    IDENTIFYING,
    Table,
    coded,
    infer_roles,
    read_main_table,
    role_settings,
)

_ROWS_FOR_ROLES = 20_000
"""Rows from which the roles of the columns of a source are inferred."""


def preview_cases(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """params: contract WORKER_TASKS.preview_cases → its result. Errors of reading as in a training."""
    source = Source.from_dataset(params["dataset"])
    index = open_index(source, progress)
    rows = _chosen(index, params["rows"])
    columns = list(index.roles)[: params["most_columns"]]
    cases = [describe_case(index, row) for row in rows]
    pictures = _pictures(params, cases, progress)
    return {
        "columns": [describe_column(index, column, identifiers=False) for column in columns],
        "num_columns": len(index.roles),
        "cases": [
            {
                **case,
                "values": [
                    shown(index, column, int(index.codes(column)[row]), identifiers=False)
                    for column in columns
                ],
                "pictures": pictures[place],
            }
            for place, (row, case) in enumerate(zip(rows, cases, strict=True))
        ],
        "num_cases": len(index),
        "source": _source_rows(source, index, rows, params["most_columns"]),
    }


def _chosen(index: CaseIndex, count: int) -> list[int]:
    """Random rows in the order of the table, the same ones for the same table."""
    generator = np.random.default_rng(int(index.key[:16], 16))
    return sorted(generator.choice(len(index), min(count, len(index)), replace=False).tolist())


def _pictures(
    params: Mapping[str, Any], cases: Sequence[Mapping[str, Any]], progress: Progress
) -> list[list[dict[str, Any]]]:
    """For each case its picture, or the reason why there is none, for each image column."""
    wanted = [
        (place, image)
        for place, case in enumerate(cases)
        for image, exists in enumerate(case["images"][: params["most_images"]])
        if exists
    ]
    found: dict[tuple[int, int], dict[str, Any]] = {}
    if wanted:
        requested = [{"row": cases[place]["row"], "image": image} for place, image in wanted]
        made = images({"dataset": params["dataset"], "images": requested, "view": params["view"]}, progress)
        found = dict(zip(wanted, made["pictures"], strict=True))
    none = {"picture": None, "problem": None}
    return [
        [found.get((place, image), none) for image in range(len(case["images"][: params["most_images"]]))]
        for place, case in enumerate(cases)
    ]


def _source_rows(
    source: Source, index: CaseIndex, rows: Sequence[int], most_columns: int
) -> dict[str, Any] | None:
    """The rows of the main table of a recipe. Columns that may identify patients, there or in the table of
    cases, are masked."""
    if source.recipe is None:
        return None
    table = read_main_table(source.path, source.image_root, source.roots, source.recipe)
    columns = table.columns[:most_columns]
    kinds = _kinds_of(table, source.image_root)
    named = _columns_of_label(source.recipe)
    masked = {column: _is_identifying(column, index, kinds, named) for column in columns}
    places = [_row_at(table, *index.place(row)) for row in rows]
    return {
        "name": table.name,
        "columns": [{"name": column, "masked": masked[column]} for column in columns],
        "rows": [
            [None if place is None else _cell(table, column, place, masked[column]) for column in columns]
            for place in places
        ],
    }


def _kinds_of(table: Table, image_root: Path) -> Mapping[str, str]:
    """Column → role, inferred from the first rows."""
    some = table.take(np.arange(min(len(table), _ROWS_FOR_ROLES)))
    return infer_roles(some, role_settings(), image_root, label_required=False).kinds


def _columns_of_label(recipe: Mapping[str, Any]) -> set[str]:
    """Texts of the label of a recipe, which include the columns that it is made of. The table of cases
    ignores those columns only because they reveal the label."""
    values = recipe.get("label", {}).values()
    listed = [[value] if isinstance(value, str) else value for value in values]
    return {text for texts in listed if isinstance(texts, list) for text in texts if isinstance(text, str)}


def _is_identifying(column: str, index: CaseIndex, kinds: Mapping[str, str], of_label: set[str]) -> bool:
    roles = {kinds.get(column, "ignored"), index.roles.get(column, "numeric")}
    if column in of_label:
        roles -= {"ignored"}
    return bool(roles & {*IDENTIFYING})


def _row_at(table: Table, file: str, line: int) -> int | None:
    """The row from which a case was made; None if it is not a row of this table."""
    assert table.origin is not None
    rows = np.flatnonzero(table.origin.lines == line).tolist()
    return next((row for row in rows if table.origin.files[row] == file), None)


def _cell(table: Table, column: str, row: int, masked: bool) -> str | None:
    text = table.cells[column][row]
    if not text:
        return None
    if masked:
        return f"#{int(coded(table.cells[column])[1][row]) + 1}"
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
