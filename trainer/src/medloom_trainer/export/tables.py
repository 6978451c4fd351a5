"""A table of predictions → CSV, JSON or Excel. The same table always gives the same bytes.

A cell that a spreadsheet would take for a formula stays a text: CSV puts an apostrophe before it, Excel
declares it a string.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence

Cell = str | int | float | None
Column = Sequence[Cell]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that ZIP knows: an Excel file with the time of its writing would differ each time."""


def to_csv(columns: Mapping[str, Column]) -> bytes:
    """UTF-8, comma, LF; texts are quoted, numbers have full precision."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writerow([_harmless(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow(["" if cell is None else _harmless(cell) for cell in row])
    return text.getvalue().encode("utf-8", "backslashreplace")


def to_json(columns: Mapping[str, Column]) -> bytes:
    """A list of objects, one per case; a cell without a value is null."""
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    text = json.dumps(rows, ensure_ascii=False, allow_nan=False, indent=1)
    return (text + "\n").encode("utf-8", "backslashreplace")


def to_excel(columns: Mapping[str, Column]) -> bytes:
    """One sheet; numbers are numbers of 16 digits, texts are texts whatever they begin with."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("predictions")

    def cell(value: Cell) -> WriteOnlyCell:
        made = WriteOnlyCell(sheet, value=_printable(value) if isinstance(value, str) else value)
        if isinstance(value, str):
            made.data_type = "s"
        return made

    for row in (tuple(columns), *zip(*columns.values(), strict=True)):
        sheet.append([cell(value) for value in row])
    buffer = io.BytesIO()
    book.save(buffer)
    return _without_dates(buffer)


WRITERS: dict[str, tuple[str, Callable[[Mapping[str, Column]], bytes]]] = {
    "CSV": (".csv", to_csv),
    "JSON": (".json", to_json),
    "Excel": (".xlsx", to_excel),
}
"""Name in the catalog → (suffix, writer)."""


def typed(columns: Mapping[str, Sequence[str]]) -> dict[str, Column]:
    """The texts of a table of predictions → cells: probabilities, line numbers and, of a regression, truth
    and prediction are numbers; everything else, like the id `007` or the class `1`, is a text."""
    classes = any(name.startswith("probability_") for name in columns)

    def cells(name: str, texts: Sequence[str]) -> Column:
        if name == "row":
            return [int(text) for text in texts]
        if name.startswith("probability_") or (name in ("truth", "predicted") and not classes):
            return [float(text) for text in texts]
        return list(texts)

    return {name: cells(name, texts) for name, texts in columns.items()}


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell


def _printable(text: str) -> str:
    """XML has no control characters but these three, and no lone surrogates."""
    return "".join(
        mark if mark in "\t\n\r" or (mark >= " " and not "\ud800" <= mark <= "\udfff") else "\ufffd"
        for mark in text
    )


def _without_dates(archive: io.BytesIO) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "docProps/core.xml":
                content = _without_times(content)
            facts = zipfile.ZipInfo(name, _ZIP_EPOCH)
            facts.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(facts, content)
    return kept.getvalue()


def _without_times(properties: bytes) -> bytes:
    """The properties of the document without <dcterms:created> and <dcterms:modified>."""
    return re.sub(rb"<dcterms:(created|modified)\b.*?</dcterms:\1>", b"", properties, flags=re.DOTALL)
