"""FilterData: keeps the cases, or the predictions, for which a condition is true (grammar:
cases/filter_grammar.py). After preprocessing of the table the condition refers to processed values, as in a
preview (cases/views/table.py); the output is the unprocessed cases with their settings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.cases.case_set import CaseSet, describe_cases, write_cases
from medloom_trainer.cases.filter_grammar import Condition, columns_in, parse_filter
from medloom_trainer.cases.filter_truth import judge
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import Content, NodeTask, Outputs
from medloom_trainer.cases.predictions import read_predictions, write_predictions
from medloom_trainer.cases.views import table_settings, view_of
from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.data.tables import Table
from medloom_trainer.errors import TrainerError


def run(task: NodeTask) -> Outputs:
    if [value["content"] for value in task.inputs.get("dataset", [])] == ["predictions"]:
        return _filter_predictions(task, task.input("dataset"))
    cases = cases_at(task, "dataset")
    judged, table = _as_processed(task, cases)
    rows = _rows_kept(task, table)
    if not rows.size:
        message = phrase("no_case_matches", count=len(cases.table))
        if table is not judged.table:
            message = join(message, phrase("condition_on_processed"), mark="semicolon")
        raise TrainerError("DATASET_INVALID", message)
    content = write_cases(task, judged.take(rows))
    left_out = phrase("cases_left_out", count=len(cases.table) - len(rows))
    return {"filtered_dataset": (content, join(describe_cases(content), left_out, mark="semicolon"))}


def _as_processed(task: NodeTask, cases: CaseSet) -> tuple[CaseSet, Table]:
    """(cases that can be kept, the table to which the condition refers): a view of them if it names a column
    that recorded settings process, else their own table.
    """
    if table_settings(cases) is None:
        return cases, cases.table
    try:
        if not columns_in(_parsed(task, cases.table.columns)) & set(cases.feature_columns):
            return cases, cases.table
    except TrainerError:  # a name of the view, or an unknown one: the view decides
        pass
    view = view_of(cases)
    for note in view.notes():
        task.warn("PROCESSED_VIEW", note["message"])
    names = columns_in(_parsed(task, view.names_to_filter()))
    return view.cases, view.table_to_filter(names)


def _filter_predictions(task: NodeTask, predictions: Content) -> Outputs:
    """An empty result is valid (no case was predicted incorrectly), not an error."""
    table = read_predictions(task, predictions)
    selected = table.take(_rows_kept(task, table))
    left_out = phrase("predictions_left_out", count=len(table) - len(selected))
    summary = join(phrase("predictions", count=len(selected)), left_out, mark="semicolon")
    return {"filtered_dataset": (write_predictions(task, selected), summary)}


def _rows_kept(task: NodeTask, table: Table) -> npt.NDArray[np.int64]:
    truth = judge(_parsed(task, table.columns), table, task.config["filter_condition"])
    return np.flatnonzero(truth == 1)


def _parsed(task: NodeTask, columns: Sequence[str]) -> Condition:
    return parse_filter(task.config["filter_condition"], columns, task.config["filter_column"])
