"""ExportPredictions: a table of predictions → CSV, JSON or Excel."""

from __future__ import annotations

from medloom_trainer.cases.case_set import counted
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.outputs import keep_file
from medloom_trainer.cases.predictions import read_predictions
from medloom_trainer.export.tables import WRITERS, typed


def run(task: NodeTask) -> Outputs:
    predictions, name = task.input("predictions"), task.config["format"]
    table = read_predictions(task, predictions)
    suffix, write = WRITERS[name]
    files = keep_file(
        task,
        write(typed({column: table.cells[column] for column in predictions["columns"]})),
        kind="export",
        title=f"Predictions ({name})",
        name="predictions",
        suffix=suffix,
    )
    return {"export_path": (files, f"{counted(len(table), 'prediction')} as {name}")}
