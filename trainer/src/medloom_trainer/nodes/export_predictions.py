"""ExportPredictions: predictions, or the table of cases after preprocessing → CSV, JSON or Excel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from medloom_trainer.cases.case_set import read_cases
from medloom_trainer.cases.node_task import Content, NodeTask, Outputs
from medloom_trainer.cases.outputs import one_file
from medloom_trainer.cases.predictions import read_predictions
from medloom_trainer.cases.views import TableView, view_of
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.csv_table import Cell, Rows
from medloom_trainer.data.tables import is_missing
from medloom_trainer.export.tables import WRITERS, typed


def run(task: NodeTask) -> Outputs:
    value = task.input("predictions")
    if value["content"] == "predictions":
        table = read_predictions(task, value)
        columns = typed({column: table.cells[column] for column in value["columns"]})
        rows: Rows = zip(*columns.values(), strict=True)
        files = _written(task, list(columns), rows, "Predictions")
        return {
            "export_path": (files, phrase("predictions_as", count=len(table), format=task.config["format"]))
        }
    view = view_of(read_cases(task, value))
    for note in view.notes():
        task.warn("PROCESSED_VIEW", note["message"])
    files = _written(task, [column.name for column in view.columns], _rows_of(task, view), "Cases")
    return {"export_path": (files, phrase("cases_as", count=len(view), format=task.config["format"]))}


def _written(task: NodeTask, header: Sequence[str], rows: Rows, title: str) -> Content:
    name = task.config["format"]
    suffix, write = WRITERS[name]
    blob = task.put_file(lambda file: write(file, header, rows), suffix)
    return one_file(blob, kind="export", title=f"{title} ({name})", name=title.lower())


def _rows_of(task: NodeTask, view: TableView) -> Iterator[Sequence[Cell]]:
    """Rows are processed in chunks: processed columns may be many times as wide as the table."""
    numeric = [column.numeric for column in view.columns]
    done = 0
    for chunk in view.chunks():
        task.progress(phrase("writing_table"), done / len(view))
        for row in zip(*chunk.values(), strict=True):
            yield [_number(text) if number else text for text, number in zip(row, numeric, strict=True)]
            done += 1


def _number(text: str) -> Cell:
    """A gap is empty; other cells that are not a number in a column of numbers (infinity, 89+, 007) remain
    texts."""
    if is_missing(text):
        return None
    try:
        return int(text) if str(int(text)) == text else text
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return number if abs(number) < float("inf") else text
