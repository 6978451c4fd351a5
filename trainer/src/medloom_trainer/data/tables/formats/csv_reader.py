"""CSV read as text, strictly: what would have to be guessed is refused with the row number.

`00123` stays `00123` and `NA` stays `NA`; cells become numbers in `data/tables/cells.py`, and only those of
numeric columns and labels.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import warning

_DELIMITERS = (",", ";", "\t")
_DELIMITER_NAMES = {",": "comma", ";": "semicolon", "\t": "tab"}


def read_csv(path: Path) -> Table:
    """Read a CSV with a header. Encodings: UTF-8 with or without BOM, Windows-1252. Delimiters: comma,
    semicolon, tab.

    FILE_NOT_FOUND, or CSV_MALFORMED naming row and place: another width than the header, an open quote, a
    NUL byte, no header, an empty or repeated column name, an encoding or a delimiter that is not clear.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise TrainerError("FILE_NOT_FOUND", f"{path.name} does not exist") from error
    except (IsADirectoryError, PermissionError) as error:
        raise TrainerError("FILE_NOT_FOUND", f"{path.name} is not a file that can be read") from error
    name = path.name
    text, encoding = _decode(content, name)
    return read_text(text, name, encoding, content)


def read_text(text: str, name: str, encoding: str, content: bytes) -> Table:
    """The table in a text that was decoded from `content`. CSV_MALFORMED as `read_csv`."""
    delimiter = _detect_delimiter(text, name)
    records = _parse(text, delimiter, name)
    header_line, header = next(records, (1, []))
    columns = check_header(header, header_line, name)
    lines: list[int] = []
    cells: list[list[str]] = [[] for _ in columns]
    memory: list[dict[str, str]] = [{} for _ in columns]  # equal texts of a column are kept once
    for line, record in records:
        if len(record) != len(columns):
            raise _ragged(name, line, len(record), len(columns), delimiter)
        lines.append(line)
        for kept, column, cell in zip(memory, cells, record, strict=True):
            stripped = cell.strip()
            column.append(kept.setdefault(stripped, stripped))
    if not lines:
        raise TrainerError("CSV_MALFORMED", f"{name} has a header but no rows")
    warnings = []
    if encoding == "cp1252":
        message = f"{name} is not UTF-8; it was read as Windows-1252. Save it as UTF-8 if letters look wrong."
        warnings.append(warning("CSV_ENCODING_ASSUMED", message))
    return Table(
        name,
        columns,
        dict(zip(columns, cells, strict=True)),
        np.asarray(lines, dtype=np.int64),
        delimiter,
        encoding,
        hashlib.sha256(content).hexdigest(),
        warnings,
    )


def _decode(content: bytes, name: str) -> tuple[str, str]:
    """Bytes → (text, encoding)."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise TrainerError("CSV_MALFORMED", f"{name} is UTF-16; save it as UTF-8")
    if (place := content.find(b"\0")) >= 0:
        row = content.count(b"\n", 0, place) + 1
        raise TrainerError("CSV_MALFORMED", f"{name}, row {row}: a NUL byte; this is not a text file")
    if content.startswith(b"\xef\xbb\xbf"):
        content, marked = content[3:], "utf-8-sig"
    else:
        marked = "utf-8"
    try:
        text = content.decode("utf-8")
        return text, marked
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        if marked == "utf-8-sig":
            raise TrainerError(
                "CSV_MALFORMED", f"{name}, row {row}: not UTF-8 although it begins with its byte-order mark"
            ) from None
    try:
        return content.decode("cp1252"), "cp1252"
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        message = f"{name}, row {row}: neither UTF-8 nor Windows-1252; save the file as UTF-8"
        raise TrainerError("CSV_MALFORMED", message) from None


def _detect_delimiter(text: str, name: str) -> str:
    """The delimiter that gives every row the width of the header; the widest if several do."""
    widths = {delimiter: len(_first_record(text, delimiter)) for delimiter in _DELIMITERS}
    candidates = [delimiter for delimiter in _DELIMITERS if widths[delimiter] > 1]
    if len(candidates) <= 1:
        return candidates[0] if candidates else ","
    even = [delimiter for delimiter in candidates if _has_one_width(text, delimiter)]
    if not even:  # no choice fits: let the likeliest one name the row that does not
        return max(candidates, key=lambda delimiter: widths[delimiter])
    best = max(widths[delimiter] for delimiter in even)
    winners = [delimiter for delimiter in even if widths[delimiter] == best]
    if len(winners) > 1:
        names = " and ".join(_DELIMITER_NAMES[delimiter] for delimiter in winners)
        raise TrainerError(
            "CSV_MALFORMED", f"{name}: {names} would both separate every row into columns; quote the cells"
        )
    return winners[0]


def _first_record(text: str, delimiter: str) -> list[str]:
    try:
        return next((record for _, record in _records_of(text, delimiter)), [])
    except csv.Error:
        return []


def _has_one_width(text: str, delimiter: str) -> bool:
    try:
        return len(Counter(len(record) for _, record in _records_of(text, delimiter))) == 1
    except csv.Error:
        return False


def _parse(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """(line, record) of every row that is not blank; CSV_MALFORMED where quoting is broken."""
    line = 1
    try:
        for line, record in _records_of(text, delimiter):
            yield line, record
    except csv.Error as error:
        message = f"{name}, row {line} or the one after it: {error}; check its quotes"
        raise TrainerError("CSV_MALFORMED", message) from None


def _records_of(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    start = 1
    for record in reader:
        if record:  # a blank line is no row
            yield start, record
        start = reader.line_num + 1


def check_header(header: list[str], line: int, name: str) -> tuple[str, ...]:
    columns = tuple(cell.strip() for cell in header)
    if not any(columns):
        raise TrainerError("CSV_MALFORMED", f"{name} is empty; the first row must name the columns")
    for position, column in enumerate(columns, start=1):
        if not column:
            raise TrainerError(
                "CSV_MALFORMED", f"{name}, row {line}: field {position} of the header is empty"
            )
    for column, count in Counter(columns).items():
        if count > 1:
            message = f'{name}, row {line}: the header names "{column}" {count} times'
            raise TrainerError("CSV_MALFORMED", message)
    return columns


def _ragged(name: str, line: int, found: int, expected: int, delimiter: str) -> TrainerError:
    place = f"field {expected + 1} is too many" if found > expected else f"field {found + 1} is missing"
    hint = f"a {_DELIMITER_NAMES[delimiter]} inside a cell must be quoted" if found > expected else "add it"
    message = f"{name}, row {line}: {found} fields where the header has {expected}; {place} ({hint})"
    return TrainerError("CSV_MALFORMED", message)
