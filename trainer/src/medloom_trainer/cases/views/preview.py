"""The task `preview`: the first rows of a table that a node put out, and its first images, as a model reads
them. Nothing is kept but prepared images, which trainings share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from medloom_trainer.cases.case_set import CaseSet, read_cases
from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.cases.predictions import read_predictions
from medloom_trainer.cases.views.table import view_of
from medloom_trainer.cases.views.thumbnails import show_images
from medloom_trainer.errors import TrainerError

_MAX_COLUMNS = 200
_MAX_CHARACTERS = 200
"""Of a cell."""


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
    if content["content"] == "predictions":
        table = read_predictions(task, content)
        columns = [{"name": name, "of": None} for name in content["columns"]]
        rows = _rows({name: table.cells[name][: params["rows"]] for name in _shown(content["columns"])})
        return {**_table(columns, rows, len(table)), "image_size": None, "images": [], "notes": []}
    if content["content"] != "cases":
        raise TrainerError("INVALID_REQUEST", "this output holds no table and no images")
    if not content["num_cases"]:
        return {**_table([], [], 0), "image_size": None, "images": [], "notes": []}
    return _of_cases(task, read_cases(task, content), params["rows"], params["images"])


def _of_cases(task: NodeTask, cases: CaseSet, num_rows: int, num_images: int) -> dict[str, Any]:
    task.progress("preparing the table", 0.0)
    view = view_of(cases)
    columns = [
        {"name": column.name, "of": column.of if column.processed else None} for column in view.columns
    ]
    shown = set(_shown([column.name for column in view.columns]))
    size, images, notes = show_images(task, view.cases, min(num_images, len(view)))
    return {
        **_table(columns, _rows(view.cells(shown, 0, num_rows)), len(view)),
        "image_size": size,
        "images": images,
        "notes": [*view.notes(), *notes],
    }


def _table(columns: list[dict[str, Any]], rows: list[list[str]], num_rows: int) -> dict[str, Any]:
    """Every column is counted, the first are shown."""
    return {
        "num_rows": num_rows,
        "num_columns": len(columns),
        "columns": columns[:_MAX_COLUMNS],
        "rows": rows,
    }


def _shown(names: list[str]) -> list[str]:
    return names[:_MAX_COLUMNS]


def _rows(columns: Mapping[str, list[str]]) -> list[list[str]]:
    """Cells may hold reports of several pages."""
    return [
        [text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…" for text in row]
        for row in zip(*columns.values(), strict=True)
    ]
