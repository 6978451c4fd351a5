"""LoadTabular: a table from a CSV, Excel or JSON file; each row is one case."""

from __future__ import annotations

from medloom_trainer.cases.case_set import describe_cases, write_cases
from medloom_trainer.cases.labels import label_settings
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.preprocessing import chosen_settings
from medloom_trainer.cases.table_cases import cases_of_table, describe_columns
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import read_table_file


def run(task: NodeTask) -> Outputs:
    path = task.readable(task.config["path"])
    table = read_table_file(path, task.config["format"], task.config["encoding"])
    cases, roles = cases_of_table(
        task,
        table,
        image_root=path.parent,
        label_column=task.config["label_column"],
        labels=label_settings(chosen_settings(task)),
        patient_column=task.config["patient_column"],
        ignore_columns=task.config["ignore_columns"],
        positive_class=task.config["positive_class"],
    )
    content = write_cases(task, cases)
    columns = describe_columns(table, roles)
    num_columns = phrase("columns", count=len(table.columns))
    return {
        "dataframe": (content, describe_cases(content)),
        "columns": ({"content": "config", "settings": {}, "facts": columns}, num_columns),
    }
