"""The cases of a request: rows as tables have them, or the table of a file or folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import Phrased, phrase, quoted
from medloom_trainer.data.each_case import CaseError, EachCase, input_columns
from medloom_trainer.data.tables import (
    AmbiguousNumberError,
    ImageTable,
    LabelScheme,
    Notation,
    Table,
    declared_notation,
    input_codes,
    plain_table,
    read_as_trained,
    read_image_table,
    unmistakable,
    with_certain_point,
    with_columns,
    without_codes,
)
from medloom_trainer.warnings import Warnings, warning

REQUEST = "the request"
"""Name of the table of rows in messages."""
_CSV = (".csv", ".tsv", ".txt")
_RECIPE_OF_OTHER_FILES = {"version": 1}
_LARGEST_EXACT = 10**15
"""Integers of more digits are read as codes, not as numbers (data/tables/numbers.py)."""
_TRUE, _FALSE = ("true", "t", "yes", "y", "1", "1.0"), ("false", "f", "no", "n", "0", "0.0")


@dataclass(frozen=True)
class NewCases:
    """The cases of a request."""

    source: ImageTable
    errors: Mapping[int, CaseError]
    """Row → why it cannot be predicted."""


def read_new_cases(params: Mapping[str, Any], state: Mapping[str, Any], roots: Sequence[Path]) -> NewCases:
    """params: of the task. state: of the checkpoint."""
    preprocessing = state["preprocessing"]
    if params["rows"] is not None:
        table, errors = table_of_rows(params["rows"], preprocessing)
        source = ImageTable(table, _image_root(params["image_root"], state, roots))
        return NewCases(source, {**errors, **_refused(params["refused_rows"])})
    recipe = params["recipe"] or preprocessing.get("recipe")
    path = Path(params["path"])
    if recipe is None and path.suffix.lower() not in _CSV:
        recipe = _RECIPE_OF_OTHER_FILES
    cache_dir = Path(params["cache_dir"])
    read = read_image_table(path, params["image_root"], roots, recipe, cache_dir, of_new_cases=True)
    return NewCases(read.with_views(preprocessing["image_columns"]).image_table, {})


def _refused(rows: Sequence[Mapping[str, Any]]) -> dict[int, CaseError]:
    """Rows whose images may not be read, as the service has found."""
    return {
        one["row"]: CaseError(
            one["code"], Phrased(one["message"], one.get("message_phrases", ())), one["column"]
        )
        for one in rows
    }


def table_of_rows(
    rows: Sequence[Mapping[str, Any]], preprocessing: Mapping[str, Any]
) -> tuple[Table, dict[int, CaseError]]:
    """(rows of values as a table of texts, which are read like those of a CSV; row → the number that has two
    possible values). A row does not depend on the others. preprocessing: of the training."""
    states = {column["name"]: column for column in reversed(preprocessing["table"]["columns"])}
    recipe = preprocessing.get("recipe") or {}
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = {name: [_text_of(row.get(name), states.get(name)) for row in rows] for name in names}
    table = plain_table(REQUEST, cells, np.arange(1, len(rows) + 1, dtype=np.int64))
    table, _, _ = without_codes(table, input_codes(recipe, states))
    errors: dict[int, CaseError] = {}
    numbers = {
        name: _numbers_of_rows(texts, column, recipe, errors)
        for name, texts in table.cells.items()
        if (column := states.get(name)) is not None and column["kind"] == "numeric"
    }
    return with_columns(table, {**table.cells, **numbers}), errors


def _numbers_of_rows(
    texts: Sequence[str],
    column: Mapping[str, Any],
    recipe: Mapping[str, Any],
    errors: dict[int, CaseError],
) -> list[str]:
    """The texts of a column of numbers, each read by itself in the notation of the training. Unchanged if
    that is unknown."""
    trained = declared_notation(recipe) or Notation.of_column(column)
    if trained is None:
        return list(texts)
    read = []
    for row, text in enumerate(texts):
        try:
            read.append(unmistakable(text, replace(trained, sign=column.get("sign", ""))))
        except AmbiguousNumberError:
            message = phrase("case_number_ambiguous", column=column["name"])
            errors.setdefault(row, CaseError("CASE_VALUE_INVALID", message, column["name"]))
            read.append("")
    return read


def _text_of(value: str | float | bool | None, column: Mapping[str, Any] | None) -> str:
    """The text that a table would contain."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if column is not None and column["kind"] != "numeric":
        return _category_of(value, column["categories"])
    if isinstance(value, bool):
        return str(int(value))
    whole = float(value).is_integer() and (column is None or abs(value) < _LARGEST_EXACT)
    if whole:
        return str(int(value))
    return repr(float(value)) if column is None else with_certain_point(repr(float(value)))


def _category_of(value: float, categories: Sequence[str]) -> str:
    """The spelling of a number or truth value among the categories of training: 1, 1.0, true or yes."""
    if isinstance(value, bool):
        forms = list(_TRUE if value else _FALSE)
    else:
        whole = float(value).is_integer()
        forms = [*([str(int(value))] if whole else []), repr(float(value))]
    known = {category.casefold(): category for category in reversed(categories)}
    return next((known[form] for form in forms if form in known), forms[0])


def _image_root(given: str | None, state: Mapping[str, Any], roots: Sequence[Path]) -> Path:
    """The folder of relative image paths of rows: that of the request, or that of the training if it may be
    accessed."""
    start = roots[0] if roots else Path.cwd()
    if given is not None:
        return start / given
    data = state["config"]["data"]
    trained = start / (data["image_root"] or Path(data["train_csv"] or ".").parent)
    real = trained.resolve()
    return trained if any(real.is_relative_to(root.resolve()) for root in roots) else start


def warnings_of_columns(
    table: Table, preprocessing: Mapping[str, Any], identifiers: Collection[str | None]
) -> Warnings:
    """Warnings about columns that predictions do not read. identifiers: columns that identify the cases."""
    labels = LabelScheme.of_preprocessing(preprocessing).columns
    given = [column for column in labels if column in table.cells]
    found: Warnings = []
    if given:
        found.append(warning("LABELS_IGNORED", phrase("labels_ignored", columns=quoted(given))))
    expected = {
        *input_columns(preprocessing),
        *labels,
        preprocessing["patient_column"],
        preprocessing["split_column"],
        *identifiers,
    }
    others = [column for column in table.columns if column not in expected]
    if others:
        found.append(warning("COLUMNS_NOT_READ", phrase("columns_not_read", columns=quoted(others))))
    return found


def input_digests(prepared: EachCase, preprocessing: Mapping[str, Any], count: int) -> list[str]:
    """sha256 of the first `count` rows: over the values that the model reads, numbers in their shortest form,
    and the content of the image files."""
    table = prepared.source.table
    columns = {column["name"]: column for column in preprocessing["table"]["columns"]}
    texts: dict[str, Sequence[str]] = {}
    for name in sorted(columns):
        texts[name] = table.cells[name][:count]
        if columns[name]["kind"] == "numeric":
            numbers = read_as_trained(table, columns[name]).values[:count]
            texts[name] = ["" if np.isnan(value) else repr(value) for value in numbers.tolist()]
    images = {row: prepared.digests[case] for case, row in enumerate(prepared.rows.tolist()) if row < count}
    digests = []
    for row in range(min(count, len(table))):
        values = {name: column[row] for name, column in texts.items()}
        canonical = json.dumps([values, images.get(row, [])], ensure_ascii=True, separators=(",", ":"))
        digests.append(hashlib.sha256(canonical.encode()).hexdigest())
    return digests
