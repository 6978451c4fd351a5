"""The task `preview`: rows of a table that a node returned, and images of these rows, as a model reads them.
Nothing is stored except prepared images, which trainings share, and the row positions of a large table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.cases.case_set import CaseSet, read_cases
from medloom_trainer.cases.labels import label_columns
from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.cases.predictions import read_predictions
from medloom_trainer.cases.views.stored_rows import StoredRows, stored_rows
from medloom_trainer.cases.views.table import view_of
from medloom_trainer.cases.views.thumbnails import show_images
from medloom_trainer.contract.case_table import FILE_COLUMN, ROW_COLUMN
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import make_table
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import warning

_MAX_COLUMNS = 200
_MAX_CHARACTERS = 200
"""Limit for the text of a cell."""
_LARGE_BYTES = 64 * 2**20
"""Size above which a table is never read completely for a preview."""
_MASKED = "#"


@dataclass(frozen=True)
class _Page:
    """The requested part of a table."""

    offset: int
    rows: int
    images: int
    identifiers: bool


def preview(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """params: contract WORKER_TASKS.preview → its result. INVALID_REQUEST for values without a table; errors
    of fitting and of images as in a training.
    """
    content: Content = params["content"]
    task = NodeTask(
        type="preview",
        config={},
        inputs={},
        store=Path(params["store"]),
        data_dir=Path(params["data_dir"]),
        cache_dir=Path(params["cache_dir"]),
        roots=tuple(Path(root) for root in params["roots"]),
        device="cpu",
        progress=progress,
    )
    page = _Page(params["offset"], params["rows"], params["images"], params["identifiers"])
    if content["content"] not in ("cases", "predictions"):
        raise TrainerError("INVALID_REQUEST", phrase("output_without_cases"))
    if content["content"] == "cases" and not content["num_cases"]:
        return {**_table([], [], 0), "image_size": None, "images": [], "notes": []}
    if content["table"]["size_bytes"] > _LARGE_BYTES:
        return _of_large(task, content, page)
    if content["content"] == "predictions":
        return _of_predictions(task, content, page)
    return _of_cases(task, read_cases(task, content), page)


def _of_predictions(task: NodeTask, content: Content, page: _Page) -> dict[str, Any]:
    table = read_predictions(task, content)
    masked = () if page.identifiers else _ids_of_predictions(content)
    columns = [{"name": name, "of": None, "masked": name in masked} for name in content["columns"]]
    cells = {name: _masked(table.cells[name], name in masked) for name in _shown(content["columns"])}
    rows = _rows({name: texts[page.offset : page.offset + page.rows] for name, texts in cells.items()})
    return {**_table(columns, rows, len(table)), "image_size": None, "images": [], "notes": []}


def _of_cases(task: NodeTask, cases: CaseSet, page: _Page) -> dict[str, Any]:
    task.progress(phrase("preparing_table"), 0.0)
    view = view_of(cases)
    open_columns = _open_columns(cases.feature_columns, cases.label_columns, cases.masked_columns)
    masked = {
        column.name
        for column in view.columns
        if not page.identifiers and not column.processed and column.source not in open_columns
    }
    columns = [
        {
            "name": column.name,
            "of": column.source if column.processed else None,
            "masked": column.name in masked,
        }
        for column in view.columns
    ]
    shown = _shown([column.name for column in view.columns])
    end = page.offset + page.rows
    cells = view.cells(set(shown) - masked, page.offset, end)
    for name in masked.intersection(shown):
        cells[name] = _masked(view.cases.table.cells[name], True)[page.offset : end]
    some = view.cases.take(range(page.offset, min(page.offset + page.images, len(view))))
    size, images, notes = show_images(task, some, len(some.table))
    return {
        **_table(columns, _rows({name: cells[name] for name in shown}), len(view)),
        "image_size": size,
        "images": images,
        "notes": [*view.notes(), *notes],
    }


def _of_large(task: NodeTask, content: Content, page: _Page) -> dict[str, Any]:
    """The stored values: nothing is fitted on a table that is not read completely, and no value is
    counted."""
    task.progress(phrase("finding_rows"), 0.0)
    stored = stored_rows(task.open_blob(content["table"]), content["table"], task.cache_dir)
    names = [name for name in stored.columns if name not in (FILE_COLUMN, ROW_COLUMN)]
    labels = label_columns(content["label_column"], content["settings"]) if "settings" in content else ()
    open_columns = (
        set(names).difference(_ids_of_predictions(content))
        if content["content"] == "predictions"
        else _open_columns(content["feature_columns"], labels, content.get("masked_columns", ()))
    )
    masked = set() if page.identifiers else set(names) - open_columns
    shown = _shown(names)
    cells = stored.read(page.offset, page.rows, shown)
    for name in masked.intersection(shown):
        cells[name] = [_MASKED if text else "" for text in cells[name]]
    size, images, notes = show_images(task, *_images_of(stored, content, page))
    message = phrase("preview_of_stored")
    return {
        **_table([{"name": n, "of": None, "masked": n in masked} for n in names], _rows(cells), len(stored)),
        "image_size": size,
        "images": images,
        "notes": [warning("PROCESSED_VIEW", message), *notes],
    }


def _images_of(stored: StoredRows, content: Content, page: _Page) -> tuple[CaseSet, int]:
    columns = content.get("image_columns", [])
    count = min(page.images, max(0, len(stored) - page.offset)) if columns else 0
    cells = stored.read(page.offset, count, columns) if count else {"": []}
    table = make_table("the table", cells)
    return CaseSet(table, tuple(columns), settings=content.get("settings", {})), count


def _open_columns(features: Collection[str], labels: Collection[str], masked: Collection[str]) -> set[str]:
    """Every other column may identify patients: ids, patients, paths, dates, free texts."""
    return {*features, *labels} - set(masked)


def _ids_of_predictions(content: Content) -> tuple[str, ...]:
    """Columns whose values may identify a patient."""
    return ("case_id", "patient", *content.get("id_columns", ()))


def _masked(texts: list[str], masked: bool) -> list[str]:
    """ "#3" for the third different value; a missing one remains missing."""
    if not masked:
        return texts
    numbers: dict[str, int] = {}
    return [f"{_MASKED}{numbers.setdefault(text, len(numbers) + 1)}" if text else "" for text in texts]


def _table(columns: list[dict[str, Any]], rows: list[list[str]], num_rows: int) -> dict[str, Any]:
    """Every column is counted, and the first ones are shown."""
    return {
        "num_rows": num_rows,
        "num_columns": len(columns),
        "columns": columns[:_MAX_COLUMNS],
        "rows": rows,
    }


def _shown(names: list[str]) -> list[str]:
    return names[:_MAX_COLUMNS]


def _rows(columns: Mapping[str, list[str]]) -> list[list[str]]:
    """Shorten the cells, which may contain reports of several pages."""
    return [
        [text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…" for text in row]
        for row in zip(*columns.values(), strict=True)
    ]
