"""FilterData: keeps the cases, or the predictions, for which a condition is true (grammar:
cases/filter_grammar.py). Behind preprocessing of the table the condition is about processed values, as a
preview shows them (cases/views/table.py); what is handed on are the cases as they were, with their settings.

Three-valued logic as in SQL: what is asked of a missing value is unknown, not unknown is unknown, and only
what is true is kept. A number equals every way of writing it: 1, 1.0 and 01.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any as Anything

import numpy as np
import numpy.typing as npt

from medloom_trainer.cases.case_set import CaseSet, counted, describe_cases, write_cases
from medloom_trainer.cases.filter_grammar import (
    All,
    Any,
    Comparison,
    Condition,
    Membership,
    Missing,
    Not,
    columns_in,
    invalid,
    parse_filter,
)
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import Content, NodeTask, Outputs
from medloom_trainer.cases.predictions import read_predictions, write_predictions
from medloom_trainer.cases.views import table_settings, view_of
from medloom_trainer.data.tables import Table, missing_mask, read_numbers
from medloom_trainer.errors import TrainerError

_Truth = npt.NDArray[np.int8]
"""(N,) 1 true, 0 false, -1 unknown."""
_COMPARE: dict[str, Callable[[Anything, Anything], Anything]] = {
    "=": operator.eq, "!=": operator.ne,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def run(task: NodeTask) -> Outputs:
    if [value["content"] for value in task.inputs.get("dataset", [])] == ["predictions"]:
        return _filter_predictions(task, task.input("dataset"))
    cases = cases_at(task, "dataset")
    judged, table = _as_processed(task, cases)
    rows = _rows_kept(task, table)
    if not rows.size:
        message = f"the condition is true for none of the {len(cases.table):,} cases"
        if table is not judged.table:
            message += (
                "; it is about processed values: to compare those of the file, filter before preprocessing"
            )
        raise TrainerError("DATASET_INVALID", message)
    content = write_cases(task, judged.take(rows))
    left = counted(len(cases.table) - len(rows), "case")
    return {"filtered_dataset": (content, f"{describe_cases(content)}; {left} left out")}


def _as_processed(task: NodeTask, cases: CaseSet) -> tuple[CaseSet, Table]:
    """(cases that can be kept, the table that the condition is about): a view of them where it names a column
    that recorded settings process, else their own table.
    """
    if table_settings(cases) is None:
        return cases, cases.table
    try:
        if not columns_in(_parsed(task, cases.table.columns)) & set(cases.feature_columns):
            return cases, cases.table
    except TrainerError:  # a name of the view, or of nothing: the view tells
        pass
    view = view_of(cases)
    for note in view.notes():
        task.warn("PROCESSED_VIEW", note["message"])
    names = columns_in(_parsed(task, view.names_to_filter()))
    return view.cases, view.table_to_filter(names)


def _filter_predictions(task: NodeTask, predictions: Content) -> Outputs:
    """That none is left is a result (no case was predicted wrongly), not an error."""
    table = read_predictions(task, predictions)
    kept = table.take(_rows_kept(task, table))
    summary = f"{counted(len(kept), 'prediction')}; {len(table) - len(kept):,} left out"
    return {"filtered_dataset": (write_predictions(task, kept), summary)}


def _rows_kept(task: NodeTask, table: Table) -> npt.NDArray[np.int64]:
    truth = judge(_parsed(task, table.columns), table, task.config["filter_condition"])
    return np.flatnonzero(truth == 1)


def _parsed(task: NodeTask, columns: Sequence[str]) -> Condition:
    return parse_filter(task.config["filter_condition"], columns, task.config["filter_column"])


def judge(tree: Condition, table: Table, text: str) -> _Truth:
    """The truth of the condition in every row."""
    if isinstance(tree, Not):
        truth = judge(tree.part, table, text)
        return np.where(truth < 0, truth, 1 - truth).astype(np.int8)
    if isinstance(tree, All | Any):
        parts = np.stack([judge(part, table, text) for part in tree.parts])
        decides = 0 if isinstance(tree, All) else 1
        unknown = (parts < 0).any(axis=0)
        return np.where((parts == decides).any(axis=0), decides, np.where(unknown, -1, 1 - decides)).astype(
            np.int8
        )
    texts = table.cells[tree.column]
    missing = missing_mask(texts)
    if isinstance(tree, Missing):
        return missing.astype(np.int8)
    if isinstance(tree, Membership):
        alike = np.zeros(len(table), dtype=np.bool_)
        for value, is_number in tree.values:
            alike |= _equal(table, tree.column, value, is_number)
        return np.where(missing, -1, alike).astype(np.int8)
    if tree.operator in ("=", "!="):
        alike = _equal(table, tree.column, tree.value, tree.is_number)
        return np.where(missing, -1, alike == (tree.operator == "=")).astype(np.int8)
    return _compare(tree, table, missing, text)


def _equal(table: Table, column: str, value: str, is_number: bool) -> npt.NDArray[np.bool_]:
    """A number equals cells that are that number, a quoted text equals cells with that text."""
    texts = table.cells[column]
    same = np.fromiter((text == value for text in texts), dtype=np.bool_, count=len(texts))
    if not is_number:
        return same
    numbers = read_numbers(texts, table.delimiter).values
    same |= numbers == float(value)
    return same


def _compare(test: Comparison, table: Table, missing: npt.NDArray[np.bool_], text: str) -> _Truth:
    numbers = read_numbers(table.cells[test.column], table.delimiter)
    if numbers.texts:
        message = f'"{test.column}" holds texts, and {test.operator} compares numbers'
        raise invalid(text, test.place, message)
    known = ~missing & ~np.isnan(numbers.values)
    with np.errstate(invalid="ignore"):
        truth = _COMPARE[test.operator](numbers.values, float(test.value))
    return np.where(known, truth, -1).astype(np.int8)
