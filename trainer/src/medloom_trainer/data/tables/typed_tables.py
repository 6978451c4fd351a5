"""Tables in formats with types: Parquet, SPSS, Stata and SAS. Their values become the texts that a CSV would
have: whole numbers without a decimal point, dates in ISO 8601, true and false.

A column of SPSS or Stata whose values all have labels contains these labels: 1 and 2 are "male" and "female".
"""

from __future__ import annotations

import datetime
import hashlib
import io
import math
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.table import Table, check_header, plain_cells
from medloom_trainer.data.tables.table_width import refuse_wide
from medloom_trainer.errors import TrainerError


def read_typed(content: bytes, path: Path, kind: str) -> Table:
    """kind: Parquet, SPSS, Stata or SAS. DATASET_INVALID if the file cannot be read. Row numbers count as in
    a CSV: the first record is row 2."""
    labeled: frozenset[str] = frozenset()
    try:
        if kind == "Parquet":
            columns = _parquet(content)
        else:
            columns, labeled = _statistical(content, path, kind)
    except TrainerError:
        raise
    except Exception as error:  # a damaged file raises any error of its library
        message = phrase("not_a_file_of", table=path.name, kind=kind, error=type(error).__name__)
        raise TrainerError("DATASET_INVALID", message) from None
    refuse_wide(len(columns), path.name)
    names = _header(list(columns), path.name)
    texts = {name: _texts(values) for name, values in zip(names, columns.values(), strict=True)}
    count = len(next(iter(texts.values())))
    if not count:
        raise TrainerError("DATASET_INVALID", phrase("columns_without_rows", table=path.name))
    cells, warnings = plain_cells(texts, path.name)
    lines = np.arange(2, count + 2, dtype=np.int64)
    digest = hashlib.sha256(content).hexdigest()
    named = frozenset(name for name, column in zip(names, columns, strict=True) if column in labeled)
    return Table(path.name, tuple(cells), cells, lines, ",", "utf-8", digest, warnings, labeled=named)


def _header(names: list[str], file: str) -> tuple[str, ...]:
    try:
        return check_header(names, 1, file)
    except TrainerError as error:
        if error.code != "CSV_MALFORMED":
            raise
        raise TrainerError("DATASET_INVALID", error.message) from None


def _parquet(content: bytes) -> dict[str, list[Any]]:
    import polars

    frame = polars.read_parquet(io.BytesIO(content))
    single = [name for name, kind in frame.schema.items() if kind == polars.Float32]
    return {name: frame[name].to_list() for name in frame.columns} | {
        name: [None if value is None else float(str(np.float32(value))) for value in frame[name]]
        for name in single
    }


def _statistical(content: bytes, path: Path, kind: str) -> tuple[dict[str, list[Any]], frozenset[str]]:
    """(column → values, columns with value labels)."""
    import pyreadstat

    readers: Mapping[str, Callable[..., Any]] = {
        ".xpt": pyreadstat.read_xport,
        "SPSS": pyreadstat.read_sav,
        "Stata": pyreadstat.read_dta,
        "SAS": pyreadstat.read_sas7bdat,
    }
    with tempfile.NamedTemporaryFile(suffix=path.suffix) as copy:  # the library reads files by name only
        copy.write(content)
        copy.flush()
        read = readers.get(path.suffix.lower(), readers[kind])
        columns, facts = read(copy.name, output_format="dict")
    labels = facts.variable_value_labels
    values = {name: list(column) for name, column in columns.items()}
    labeled = frozenset(name for name in values if _has_labels(values[name], labels.get(name, {})))
    return values | {name: _labeled(values[name], labels[name]) for name in labeled}, labeled


def _has_labels(values: Sequence[Any], labels: Mapping[Any, str]) -> bool:
    """Return whether every value has a label."""
    known = [value for value in values if not _is_missing(value)]
    return bool(labels and known) and all(value in labels for value in known)


def _labeled(values: Sequence[Any], labels: Mapping[Any, str]) -> list[Any]:
    return [None if _is_missing(value) else labels[value] for value in values]


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _texts(values: Iterable[Any]) -> list[str]:
    known: dict[Any, str] = {}
    texts = []
    for value in values:
        key = (type(value), value)
        if isinstance(value, list | dict):
            message = phrase("column_of_lists")
            raise TrainerError("DATASET_INVALID", message)
        if key not in known:
            known[key] = text_of(value)
        texts.append(known[key])
    return texts


def text_of(value: Any) -> str:
    """The text of a value that a file stores with its type; empty if it is missing."""
    if _is_missing(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    if isinstance(value, datetime.datetime):
        return (value.date() if value.time() == datetime.time() else value).isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace").strip()
    return str(value).strip()
