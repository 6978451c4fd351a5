"""Predictions (contract NodeContent "predictions"): their table, which may have no rows."""

from __future__ import annotations

from medloom_trainer.cases.case_set import table_bytes
from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.data.tables import Table, make_table, read_csv


def read_predictions(task: NodeTask, content: Content) -> Table:
    """Read the table. One without rows is not a file that users provide, so the reader of tables refuses
    it."""
    path = task.open_blob(content["table"])
    return (
        read_csv(path)
        if content["num_cases"]
        else make_table("predictions", {name: [] for name in content["columns"]})
    )


def write_predictions(task: NodeTask, table: Table) -> Content:
    """Store the table and describe it."""
    return {
        "content": "predictions",
        "table": task.put_blob(table_bytes(table), ".csv"),
        "num_cases": len(table),
        "columns": list(table.columns),
    }
