"""Tables in Excel workbooks (Office Open XML): the first visible sheet, values only."""

from __future__ import annotations

import datetime
import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from medloom_trainer.data.tables.table import Table, check_header, plain_cells
from medloom_trainer.errors import TrainerError

_MAX_BYTES = 512 * 1024 * 1024
"""A workbook that would unpack to more is refused before it is unpacked."""
_MAX_CELLS = 50_000_000


def read_excel(content: bytes, name: str) -> Table:
    """First row: column names. A formula counts as the value saved with it, a date as ISO 8601, a whole
    number without a decimal point, an error such as #DIV/0! as missing.

    DATASET_INVALID naming the place: not a workbook, no header, a formula without a saved value, too large.
    TABLE_TOO_LARGE: more columns than can be read.
    """
    _refuse_bomb(content, name)
    # Opened twice, because openpyxl returns either formulas or the values saved with them.
    with _opened(content, name, values=True) as values, _opened(content, name, values=False) as formulas:
        title = _first_sheet(values, name)
        rows = _filled(_paired(values[title], formulas[title]))
        line, first = next(rows, (1, []))
        columns = _header_of(first, line, name)
        lines: list[int] = []
        cells: list[list[str]] = [[] for _ in columns]
        for line, row in rows:
            if len(lines) * len(columns) > _MAX_CELLS:
                raise TrainerError("DATASET_INVALID", f"{name} has more than {_MAX_CELLS:,} cells")
            outside = [
                place for place, (value, _) in enumerate(row) if place >= len(columns) and value is not None
            ]
            if outside:
                place = f"{name}, {title}, cell {_column_letters(outside[0])}{line}"
                raise TrainerError("DATASET_INVALID", f"{place}: a value to the right of the header columns")
            lines.append(line)
            for column, texts in enumerate(cells):
                value, formula = row[column] if column < len(row) else (None, None)
                texts.append(
                    _text_of(value, formula, f"{name}, {title}, cell {_column_letters(column)}{line}")
                )
    if not lines:
        raise TrainerError("DATASET_INVALID", f"{name} has a header but no rows")
    plain, warnings = plain_cells(dict(zip(columns, cells, strict=True)), name)
    return Table(
        name,
        columns,
        plain,
        np.asarray(lines, dtype=np.int64),
        ",",
        "utf-8",
        hashlib.sha256(content).hexdigest(),
        warnings,
    )


class _opened:
    """A workbook in openpyxl's streaming mode, closed at the end."""

    def __init__(self, content: bytes, name: str, *, values: bool) -> None:
        import openpyxl

        try:
            self.book = openpyxl.load_workbook(
                io.BytesIO(content), read_only=True, data_only=values, keep_links=False
            )
        except Exception as error:  # a damaged part raises any error of its parser
            message = f"{name} cannot be read as an Excel workbook ({type(error).__name__})"
            raise TrainerError("DATASET_INVALID", message) from None

    def __enter__(self) -> Any:
        return self.book

    def __exit__(self, *_: object) -> None:
        self.book.close()


def _refuse_bomb(content: bytes, name: str) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile:
        old = content.startswith(b"\xd0\xcf\x11\xe0")
        what = "is an .xls workbook or password-protected" if old else "is not an Excel workbook"
        raise TrainerError("DATASET_INVALID", f"{name} {what}; save it as .xlsx or CSV") from None
    if size > _MAX_BYTES:
        message = f"{name} decompresses to {size:,} bytes; the limit is {_MAX_BYTES:,}. Save it as CSV."
        raise TrainerError("DATASET_INVALID", message)


def _first_sheet(book: Any, name: str) -> str:
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible":
            return str(sheet.title)
    raise TrainerError("DATASET_INVALID", f"{name} has no visible sheet")


_Row = list[tuple[Any, Any]]


def _paired(values: Any, formulas: Any) -> Iterator[tuple[int, _Row]]:
    """(row number, [(value, formula or value)])."""
    both = zip(values.iter_rows(values_only=True), formulas.iter_rows(values_only=True), strict=True)
    for line, (shown, written) in enumerate(both, start=1):
        yield line, list(zip(shown, written, strict=True))


def _filled(rows: Iterable[tuple[int, _Row]]) -> Iterator[tuple[int, _Row]]:
    """Rows that are not blank."""
    return ((line, row) for line, row in rows if any(written is not None for _, written in row))


def _header_of(row: _Row, line: int, name: str) -> tuple[str, ...]:
    texts = [_text_of(value, written, f"{name}, header") for value, written in row]
    while texts and not texts[-1]:
        texts.pop()
    try:
        return check_header(texts, line, name)
    except TrainerError as error:
        if error.code != "CSV_MALFORMED":
            raise
        raise TrainerError("DATASET_INVALID", error.message) from None


def _text_of(value: Any, written: Any, place: str) -> str:
    if value is None and isinstance(written, str) and written.startswith("="):
        message = f"{place}: a formula without a saved value; open the file in Excel, save it, and try again"
        raise TrainerError("DATASET_INVALID", message)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return (value.date() if value.time() == datetime.time() else value).isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds())
    text = str(value).strip()
    return (
        ""
        if text.startswith("#") and text.rstrip("!?").isupper() and text.endswith(("!", "?", "N/A"))
        else text
    )


def _column_letters(place: int) -> str:
    """0 → A, 26 → AA."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
