"""The tasks `cases` and `distribution`: selected and sorted cases of a dataset; and the values of a column by
split and class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.browse.index import CaseIndex, Progress, open_index, shown
from medloom_trainer.browse.source import Source
from medloom_trainer.cases.filter_grammar import Comparison, Membership, Missing, parse_filter
from medloom_trainer.cases.filter_truth import Cells, combine, truth_of
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import bounded
from medloom_trainer.errors import TrainerError

_Rows = npt.NDArray[np.int64]
_FEW_NUMBERS = 20
"""Largest number of different numbers of a column that is shown by value; with more, it is shown as a
quantity."""


def cases(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """params: contract WORKER_TASKS.cases → its result. COLUMN_NOT_FOUND, FILTER_INVALID."""
    index = open_index(Source.from_dataset(params["dataset"]), progress)
    rows = _ordered(index, _chosen(index, params), params["order_by"], descending=params["descending"])
    columns = params["columns"] or list(index.roles)[: params["most_columns"]]
    for column in columns:
        _require(index, column)
    page = rows[params["offset"] : params["offset"] + params["limit"]].tolist()
    identifiers = params["identifiers"]
    cells = {
        column: [shown(index, column, code, identifiers=identifiers) for code in index.codes(column)[page]]
        for column in columns
    }
    return {
        "columns": [describe_column(index, column, identifiers=identifiers) for column in columns],
        "num_columns": len(index.roles),
        "cases": [
            {**describe_case(index, row), "values": [cells[column][place] for column in columns]}
            for place, row in enumerate(page)
        ],
        "total": len(rows),
        "num_cases": len(index),
        "digest": index.key,
    }


def describe_column(index: CaseIndex, column: str, *, identifiers: bool) -> dict[str, Any]:
    """→ contract ShownColumn"""
    return {
        "name": column,
        "role": index.roles[column],
        "masked": index.is_identifying(column) and not identifiers,
    }


def describe_case(index: CaseIndex, row: int) -> dict[str, Any]:
    """→ contract Case without its values"""
    file, line = index.place(row)
    split, label = int(index.split[row]), int(index.label[row])
    patient = next(iter(index.columns_of("patient")), None)
    number = None if patient is None or index.is_missing(patient)[row] else int(index.codes(patient)[row]) + 1
    images = [not index.is_missing(column)[row] for column in index.columns_of("image")]
    return {
        "row": row,
        "file": file,
        "line": line,
        "split": None if split < 0 else index.splits[split],
        "class": None if label < 0 else index.classes[label],
        "patient": number,
        "images": [bool(there) for there in images],
    }


def _chosen(index: CaseIndex, params: Mapping[str, Any]) -> _Rows:
    chosen = np.ones(len(index), dtype=np.bool_)
    for wanted, names, codes in (
        (params["split"], index.splits, index.split),
        (params["class"], index.classes, index.label),
    ):
        if wanted is not None:
            chosen &= codes == (names.index(wanted) if wanted in names else len(names))
    if params["patient"] is not None:
        patients = index.columns_of("patient")
        chosen &= index.codes(patients[0]) == params["patient"] - 1 if patients else False
    if params["lines"] is not None:
        chosen &= np.isin(index.lines, params["lines"])
    if params["filter"] is not None:
        chosen &= _filtered(index, params["filter"])
    return np.flatnonzero(chosen)


def _filtered(index: CaseIndex, text: str) -> npt.NDArray[np.bool_]:
    """The condition is part of a URL, so it must not refer to identifying values."""
    open_columns = [column for column in index.roles if not index.is_identifying(column)]
    tree = parse_filter(text, open_columns, None)

    def of_rows(test: Comparison | Membership | Missing) -> npt.NDArray[np.int8]:
        values = index.values(test.column)
        return truth_of(
            test, Cells.of_values(values.texts, values.numbers, all_numbers=values.all_numbers), text
        )[index.codes(test.column)]

    return np.asarray(combine(tree, of_rows) == 1)


def _ordered(index: CaseIndex, rows: _Rows, column: str | None, *, descending: bool) -> _Rows:
    """Missing values last in both directions; equal ones in the order of the table."""
    if column is None:
        return rows[::-1] if descending else rows
    _require(index, column)
    codes = index.codes(column)[rows]
    missing = codes >= index.values(column).missing_from
    keys = np.where(missing, np.iinfo(np.int32).max, -codes if descending else codes)
    return rows[np.argsort(keys, kind="stable")]


def _require(index: CaseIndex, column: str) -> None:
    if column not in index.roles:
        message = phrase("dataset_lacks_column", column=column[:80])
        raise TrainerError("COLUMN_NOT_FOUND", message, phrase("choose_existing_column"))


def distribution(params: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """params: contract WORKER_TASKS.distribution → its result. COLUMN_NOT_FOUND."""
    index = open_index(Source.from_dataset(params["dataset"]), progress)
    column = params["column"]
    _require(index, column)
    values, codes = index.values(column), index.codes(column)
    numeric = values.all_numbers and (index.roles[column] == "numeric" or values.missing_from > _FEW_NUMBERS)
    counted = _histogram(index, column, params["bins"]) if numeric else _top(index, column, params["top"])
    edges, names, bin_of = counted
    size = len(names) if edges is None else len(edges) - 1
    groups = []
    for split in range(-1, len(index.splits)):
        for label in range(-1, len(index.classes)):
            rows = (index.split == split) & (index.label == label)
            if not rows.any():
                continue
            missing = int((codes[rows] >= values.missing_from).sum())
            counts = np.bincount(bin_of[codes[rows & (codes < values.missing_from)]], minlength=size + 1)
            groups.append(
                {
                    "split": None if split < 0 else index.splits[split],
                    "class": None if label < 0 else index.classes[label],
                    "cases": int(rows.sum()),
                    "missing": missing,
                    "counts": counts[:size].tolist(),
                    "rest": int(counts[size]),
                }
            )
    return {
        **describe_column(index, column, identifiers=False),
        "edges": edges,
        "values": None if numeric else names,
        "distinct": values.missing_from,
        "groups": groups,
        "digest": index.key,
    }


_Binned = tuple[list[float] | None, list[str], npt.NDArray[np.int64]]
"""(edges of the bins or None, names of the values, the bin of each value; the rest has the bin after the last
one)."""


def _histogram(index: CaseIndex, column: str, bins: int) -> _Binned:
    """Bins of equal width, from the lowest to the highest number; infinite ones in the outermost bins."""
    values = index.values(column)
    assert values.numbers is not None
    numbers = bounded(np.asarray(values.numbers[: values.missing_from]))
    edges = np.histogram_bin_edges(numbers, bins)
    bin_of = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, bins - 1)
    return edges.tolist(), [], bin_of


def _top(index: CaseIndex, column: str, top: int) -> _Binned:
    """The most frequent values; of equally frequent ones the first."""
    values = index.values(column)
    counts = np.bincount(index.codes(column), minlength=len(values.texts))[: values.missing_from]
    most = np.argsort(-counts, kind="stable")[:top]
    bin_of = np.full(values.missing_from, len(most), dtype=np.int64)
    bin_of[most] = np.arange(len(most))
    return None, [_name(index, column, int(code)) for code in most], bin_of


def _name(index: CaseIndex, column: str, code: int) -> str:
    """Name of a value: its text, also for a number; masked if it is identifying."""
    if index.is_identifying(column):
        return f"#{code + 1}"
    return index.values(column).texts[code][:200]
