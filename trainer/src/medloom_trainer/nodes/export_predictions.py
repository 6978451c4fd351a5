"""ExportPredictions: a table of predictions → CSV, JSON or Excel."""

from __future__ import annotations

from medloom_trainer.cases.case_set import counted
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.outputs import write_output
from medloom_trainer.data.tables import read_csv
from medloom_trainer.export.tables import WRITERS, typed


def run(task: NodeTask) -> Outputs:
    predictions, name = task.input("predictions"), task.config["format"]
    table = read_csv(task.open_blob(predictions["table"]))
    suffix, write = WRITERS[name]
    files = write_output(
        task,
        write(typed({column: table.cells[column] for column in predictions["columns"]})),
        kind="export",
        title=f"Predictions ({name})",
        name="predictions",
        suffix=suffix,
        path=task.config["path"],
    )
    return {"export_path": (files, f"{counted(len(table), 'prediction')} as {name}")}
