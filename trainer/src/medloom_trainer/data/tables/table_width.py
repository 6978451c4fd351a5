"""Limit for the number of columns of a table. A wider one is refused from its header, before its rows are
read: every column is compared with the label and described, which takes much longer than reading it.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import IO

from medloom_trainer.contract.limits import MOST_COLUMNS
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError

_HEADER_BYTES = 8 * 1024 * 1024
"""Longest header that is examined before the file is read as a whole."""


def refuse_wide(columns: int, place: str) -> None:
    """TABLE_TOO_LARGE with `place`, such as the file and the line of the header."""
    if columns > MOST_COLUMNS:
        message = phrase("header_too_wide", place=place, columns=columns, limit=MOST_COLUMNS)
        remedy = phrase("remove_columns")
        raise TrainerError("TABLE_TOO_LARGE", message, remedy)


def refuse_wide_header(file: IO[bytes], name: str, delimiters: Sequence[str]) -> None:
    """TABLE_TOO_LARGE if the first record of a CSV is too wide with every delimiter.

    Only an early refusal: `check_header` counts again once the delimiter and the encoding are known.
    """
    headers = [_first_record(file, delimiter) for delimiter in delimiters]
    line, columns = min((header for header in headers if header[1] > 1), key=itemgetter(1), default=(1, 1))
    refuse_wide(columns, f"{name}, row {line}")


def _first_record(file: IO[bytes], delimiter: str) -> tuple[int, int]:
    """(line at which it starts, fields) of the first record that is not blank; no fields if there is none."""
    file.seek(0)
    reader = csv.reader(_lines(file), delimiter=delimiter, strict=True)
    line = 1
    try:
        for record in reader:
            if record:
                return line, len(record)
            line = reader.line_num + 1
    except csv.Error:  # reported with its row when the file is read
        pass
    return line, 0


def _lines(file: IO[bytes]) -> Iterator[str]:
    """Every supported encoding has the same bytes for delimiters, quotes and line ends."""
    size = 0
    while size < _HEADER_BYTES and (line := file.readline(_HEADER_BYTES - size)):
        yield line.removeprefix(codecs.BOM_UTF8 if size == 0 else b"").decode("latin-1")
        size += len(line)
