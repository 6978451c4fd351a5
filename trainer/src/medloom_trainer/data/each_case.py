"""New cases, prepared as in a training. A case that cannot be used has an error; the others are prepared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import ErrorCode
from medloom_trainer.contract.phrases import Phrased, join, listing, phrase, quoted
from medloom_trainer.data.apply import columns_absent, with_gaps
from medloom_trainer.data.cache import NEWEST_VERSION, ImageSettings, Views, load_views
from medloom_trainer.data.features import encode_table
from medloom_trainer.data.tables import (
    ImageTable,
    Numbers,
    Table,
    missing_mask,
    number_patients,
    proposed_names,
    read_as_trained,
    require_column,
    with_columns,
)
from medloom_trainer.data.types import CaseKeys, Cases, ImageStore
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings

FEWEST_COLUMNS = 0.5
"""A table with a smaller share of the columns of a model is probably one of another study."""
_INPUT = "an input of the model"
_OUTSIDE = "is outside"
"""Start of the reason for an image outside the folders that may be accessed."""


@dataclass(frozen=True)
class CaseError:
    """The reason why a case has no prediction."""

    code: ErrorCode
    message: Phrased
    column: str | None


@dataclass(frozen=True)
class EachCase:
    """N rows of a table, of which M are prepared as cases."""

    source: ImageTable
    """The N rows; a cell that cannot be read is empty."""
    errors: Mapping[int, CaseError]
    """Row → error. Some of these rows are prepared too, so that the batches of the others are the same."""
    rows: npt.NDArray[np.int64]
    """(M,) row of each case."""
    table: Table
    """The M rows."""
    cases: Cases
    store: ImageStore | None
    views: Views | None
    """Images of the M cases."""
    warnings: Warnings

    @property
    def digests(self) -> Sequence[Sequence[str]]:
        """M lists: digest of the image file of each view, "" without one."""
        return [[] for _ in self.rows] if self.views is None else self.views.files


def prepare_each_case(
    preprocessing: dict[str, Any],
    source: ImageTable,
    *,
    roots: Sequence[Path],
    cache_dir: Path,
    few: bool,
    report: Callable[[str, float], None],
    store_version: int = NEWEST_VERSION,
    errors: Mapping[int, CaseError] | None = None,
    fewest_columns: float = 0,
) -> EachCase:
    """preprocessing: the value that `prepare` stored in PreparedData. few: the rows are those of a request;
    a column that all of them lack is a gap of each, and no image is stored in the cache. store_version: of
    the image store, with whose digests those of the images are compared. errors: rows that cannot be used.
    fewest_columns: share of the columns of the model that a table must have.

    Values and images as `prepare_cases` reads them. COLUMN_NOT_FOUND if no row can be used, or if the table
    has too few of the columns.
    """
    state = preprocessing["table"]
    warnings: Warnings = list(source.table.warnings)
    source = _with_model_columns(source, preprocessing, few, warnings, fewest_columns)
    source, errors = _readable(source, state["columns"], {**malformed_rows(source.table), **(errors or {})})
    rows = np.arange(len(source.table))
    if state["missing_strategy"] == "drop":
        _find_gaps(source.table, state["columns"], errors)
        rows = np.asarray([row for row in rows.tolist() if row not in errors], dtype=np.int64)
    part = source if len(rows) == len(source.table) else source.take(rows)
    patient = preprocessing["patient_column"]
    patients = number_patients(part.table, patient if patient in part.table.cells else None)
    views, store = _load_images(preprocessing, part, roots, cache_dir, few, report, store_version)
    if views is not None:
        _judge(preprocessing, views, rows, errors)
    encoded = encode_table(part.table, state)
    # Each case has its own warning about a category.
    warnings += [found for found in encoded.warnings if found["code"] != "UNSEEN_CATEGORIES"]
    cases = Cases(
        rows=part.table.lines,
        slots=None if views is None else views.slots,
        values=encoded.values,
        codes=encoded.codes,
        present=encoded.present,
        labels=None,
        patients=patients,
        subgroups={},
        digest="",
        keys=CaseKeys(np.zeros(0, np.uint64), np.zeros(0, np.uint64)),
    )
    return EachCase(source, errors, rows, part.table, cases, store, views, warnings)


def malformed_rows(table: Table) -> dict[int, CaseError]:
    """Rows of a file that are not cases."""
    if not table.malformed:
        return {}
    lines = [table.place(row)[1] for row in range(len(table))]
    return {
        row: CaseError("CASE_ROW_MALFORMED", table.malformed[line], None)
        for row, line in enumerate(lines)
        if line in table.malformed
    }


def input_columns(preprocessing: Mapping[str, Any]) -> list[str]:
    """Columns that the model reads: those of the table, then those of images."""
    columns = [column["name"] for column in preprocessing["table"]["columns"]]
    images = preprocessing["image_columns"] if preprocessing["images"] is not None else []
    return list(dict.fromkeys([*columns, *images]))


def _with_model_columns(
    source: ImageTable,
    preprocessing: Mapping[str, Any],
    few: bool,
    warnings: Warnings,
    fewest_columns: float,
) -> ImageTable:
    """Add the columns that the model reads and the rows lack, as gaps. COLUMN_NOT_FOUND if they lack all, or
    if a table lacks one without which no case can be predicted."""
    names = input_columns(preprocessing)
    absent = [name for name in names if name not in source.table.cells]
    if not absent:
        return source
    if len(absent) == len(names):
        require_column(source.table, absent[0], _INPUT)
    if few:
        return with_gaps(source, absent)
    if len(names) - len(absent) < fewest_columns * len(names):
        raise _too_few_columns(source.table, preprocessing, absent, len(names))
    of_table = {column["name"] for column in preprocessing["table"]["columns"]}
    drop = preprocessing["table"]["missing_strategy"] == "drop"
    refuse = preprocessing["unreadable_images"] == "refuse"
    for name in absent:
        if name in of_table and drop:
            require_column(source.table, name, _INPUT)
        if name not in of_table and refuse:
            require_column(source.table, name, "an image column")
    found = columns_absent(source.table, absent)
    proposal = proposed_names(source.table, preprocessing, absent)
    warnings.append({**found, "proposal": proposal} if proposal else found)
    return with_gaps(source, absent)


def _too_few_columns(
    table: Table, preprocessing: Mapping[str, Any], absent: Sequence[str], count: int
) -> TrainerError:
    message = phrase(
        "too_few_columns",
        table=table.name,
        found=count - len(absent),
        count=count,
        columns=quoted(absent),
    )
    pairs = [f'"{own}" → "{name}"' for own, name in proposed_names(table, preprocessing, absent).items()]
    remedy = phrase("rename_or_allow")
    if pairs:
        remedy = join(phrase("rename_as_proposed", names=listing(pairs, 20)), remedy, mark="space")
    return TrainerError("COLUMN_NOT_FOUND", message, remedy)


def _readable(
    source: ImageTable, columns: Sequence[Mapping[str, Any]], errors: Mapping[int, CaseError]
) -> tuple[ImageTable, dict[int, CaseError]]:
    """The rows with an empty cell for each text in a numeric column, and an error for the row. errors: found
    before."""
    errors = dict(errors)
    table = source.table
    for column in columns:
        name = column["name"]
        while column["kind"] == "numeric" and (found := read_as_trained(table, column)).texts:
            for row in found.texts:
                errors.setdefault(row, CaseError("CASE_VALUE_INVALID", _not_read(name, row, found), name))
            wrong = set(found.texts)
            texts = ["" if row in wrong else text for row, text in enumerate(table.cells[name])]
            table = with_columns(table, {**table.cells, name: texts})
    return replace(source, table=table), errors


def _not_read(column: str, row: int, numbers: Numbers) -> Phrased:
    if row in numbers.ambiguous:
        return phrase("case_number_ambiguous", column=column)
    return phrase("case_text_in_numbers", column=column)


def _find_gaps(table: Table, columns: Sequence[Mapping[str, Any]], errors: dict[int, CaseError]) -> None:
    """missing_strategy "drop": the model reads only complete cases."""
    for column in columns:
        name = column["name"]
        if column["kind"] == "numeric":
            missing = np.isnan(read_as_trained(table, column).values)
        else:
            missing = missing_mask(table.cells[name])
        message = phrase("case_incomplete", column=name)
        for row in np.flatnonzero(missing).tolist():
            errors.setdefault(row, CaseError("CASE_VALUE_MISSING", message, name))


def _load_images(
    preprocessing: Mapping[str, Any],
    source: ImageTable,
    roots: Sequence[Path],
    cache_dir: Path,
    few: bool,
    report: Callable[[str, float], None],
    store_version: int,
) -> tuple[Views | None, ImageStore | None]:
    state = preprocessing["images"]
    if state is None or not len(source.table):
        return None, None
    views, store, _ = load_views(
        {"new": source},
        preprocessing["image_columns"],
        replace(ImageSettings.of_state(state), version=store_version),
        roots=roots,
        cache_dir=cache_dir,
        workers=None,
        report=report,
        in_memory=few,
    )
    return views["new"], store


def _judge(
    preprocessing: Mapping[str, Any],
    views: Views,
    rows: npt.NDArray[np.int64],
    errors: dict[int, CaseError],
) -> None:
    """An image that is named and cannot be used is an error. An empty cell is a missing view if the training
    permits it, unless the case has no other input."""
    for place, column, why in views.problems:
        code: ErrorCode = "PATH_NOT_ALLOWED" if why.startswith(_OUTSIDE) else "IMAGES_UNREADABLE"
        message = phrase("case_image_unusable", column=column, reason=why)
        errors.setdefault(int(rows[place]), CaseError(code, message, column))
    alone = not preprocessing["table"]["columns"]
    if preprocessing["unreadable_images"] == "refuse" or alone:
        column = preprocessing["image_columns"][0]
        for place in views.without:
            message = phrase("case_no_image", column=column)
            errors.setdefault(int(rows[place]), CaseError("CASE_VALUE_MISSING", message, column))
