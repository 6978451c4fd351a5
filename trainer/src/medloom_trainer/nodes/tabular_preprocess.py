"""TabularPreprocess: settings of the recorded pipeline, and their result on the current cases.

A training fits again, on its own training part; `scaler` shows the values fitted on the current cases.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from medloom_trainer.cases.case_set import describe_cases, write_cases
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.preprocessing import add_settings, settings_of
from medloom_trainer.cases.views import FittedTable, fit_table_of, training_rows
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError


def run(task: NodeTask) -> Outputs:
    cases = cases_at(task, "dataframe")
    if not cases.feature_columns:
        raise TrainerError("DATASET_INVALID", phrase("input_without_table_columns"))
    settings = {key.removeprefix("data."): value for key, value in settings_of(task).items()}
    seen = training_rows(cases)
    facts = _facts(fit_table_of(seen, settings))
    if cases.split == "all" and len(seen.table) == len(cases.table):
        task.warn("FITTED_ON_ALL", phrase("fitted_on_all"))
    content = write_cases(task, replace(cases, settings=add_settings(task, dict(cases.settings))))
    summary = phrase("fitted_on", count=facts["fitted_on"]["cases"])
    return {
        "processed_data": (content, describe_cases(content)),
        "scaler": ({"content": "config", "settings": {}, "facts": facts}, summary),
    }


def _facts(fitted: FittedTable) -> dict[str, Any]:
    """The fitted state of the table, as stored by a training in its checkpoint."""
    count, selection = len(fitted.on.table), fitted.fit.selection
    return {
        "fitted_on": {"cases": count, "split": fitted.on.split, "rows_dropped": fitted.rows_dropped},
        "settings": fitted.settings,
        "table": fitted.fit.state,
        "selection": {"scores": selection.scores, "dropped": selection.dropped},
    }
