"""The file with all predictions of a request: identifiers of the user first, then the predictions, the codes
of the warnings and the error of each case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from medloom_trainer.csv_table import Cell, Rows, write_csv
from medloom_trainer.export.tables import write_json
from medloom_trainer.files import write_atomically

_AT_ONCE = 10_000
"""Rows that are in memory as Python objects."""


def write_table(
    folder: Path,
    format_name: str,
    columns: Mapping[str, Callable[[range], Sequence[Cell]]],
    count: int,
    progress: Callable[[float], None],
) -> str:
    """Write predictions.<format>, and return its name. columns: name → function that returns the cells of a
    range of rows."""
    file = folder / f"predictions.{format_name}"

    def rows() -> Iterator[Sequence[Cell]]:
        for start in range(0, count, _AT_ONCE):
            progress(start / count)
            part = range(start, min(count, start + _AT_ONCE))
            yield from zip(*(cells(part) for cells in columns.values()), strict=True)

    write_atomically(file, lambda target: _WRITERS[format_name](target, list(columns), rows()))
    return file.name


def _write_csv(file: BinaryIO, header: Sequence[str], rows: Rows) -> None:
    write_csv(file, header, rows, quote_texts=False)


def _write_parquet(file: BinaryIO, header: Sequence[str], rows: Rows) -> None:
    import polars

    parts = []
    remaining = iter(rows)
    while some := list(islice(remaining, _AT_ONCE)):
        parts.append(polars.DataFrame(some, schema=list(header), orient="row", infer_schema_length=None))
    polars.concat(parts, how="diagonal_relaxed").write_parquet(file)


_WRITERS: dict[str, Callable[[BinaryIO, Sequence[str], Rows], None]] = {
    "csv": _write_csv,
    "json": write_json,
    "parquet": _write_parquet,
}
