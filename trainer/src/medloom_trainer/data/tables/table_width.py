"""How many columns a table may have. A wider one is refused from its header, before its rows are read: every
column is compared with the label and described, which takes far longer than reading it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import IO

from medloom_trainer.contract.limits import MOST_COLUMNS
from medloom_trainer.errors import TrainerError

_HEADER_BYTES = 8 * 1024 * 1024
"""Longest header that is examined before the file is read as a whole."""
_QUOTED = re.compile(rb'"[^"]*"')


def refuse_wide(columns: int, place: str) -> None:
    """TABLE_TOO_LARGE with `place`, such as the file and the line of the header."""
    if columns > MOST_COLUMNS:
        message = f"{place}: the header names {columns:,} columns; up to {MOST_COLUMNS:,} can be read"
        remedy = "Leave out columns that the model does not need, or divide the table into several."
        raise TrainerError("TABLE_TOO_LARGE", message, remedy)


def refuse_wide_header(file: IO[bytes], name: str, delimiters: Sequence[str]) -> None:
    """TABLE_TOO_LARGE where the first record of a CSV is too wide, whichever delimiter it has.

    Only an early refusal: `check_header` counts again once the delimiter and the encoding are known.
    """
    line, record = _first_record(file)
    plain = _QUOTED.sub(b"", record)
    widths = [count + 1 for delimiter in delimiters if (count := plain.count(delimiter.encode()))]
    refuse_wide(min(widths, default=1), f"{name}, row {line}")


def _first_record(file: IO[bytes]) -> tuple[int, bytes]:
    """(line where it starts, the first record that is not blank). A quoted cell may contain line breaks."""
    line, pieces, size, quotes = 1, list[bytes](), 0, 0
    while size < _HEADER_BYTES and (piece := file.readline(_HEADER_BYTES - size)):
        size += len(piece)
        if not pieces and not piece.strip():
            line += 1
            continue
        pieces.append(piece)
        quotes += piece.count(b'"')
        if quotes % 2 == 0:
            break
    return line, b"".join(pieces)
