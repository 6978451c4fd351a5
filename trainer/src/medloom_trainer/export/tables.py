"""A table of predictions or cases → CSV, JSON or Excel. The same table always gives the same bytes.

A cell that a spreadsheet would read as a formula remains a text: CSV starts it with an apostrophe, Excel
declares it a string.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import IO, BinaryIO

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.csv_table import Cell, Rows, write_csv
from medloom_trainer.errors import TrainerError

_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that ZIP supports: an Excel file with the time of writing would differ each time."""
_NUMBERS = ("probability_", "member_sd", "mutual_information")
_EXCEL_ROWS, _EXCEL_COLUMNS = 1_048_576, 16_384


def write_json(file: BinaryIO, header: Sequence[str], rows: Rows) -> None:
    """A list of objects, one for each case; a cell without a value is null."""
    separator = "["
    for row in rows:
        made = json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False, allow_nan=False, indent=1)
        indented = made.replace("\n", "\n ")  # line breaks of the layout: those in texts are written as \\n
        file.write(f"{separator}\n {indented}".encode("utf-8", "backslashreplace"))
        separator = ","
    file.write(b"[]\n" if separator == "[" else b"\n]\n")


def write_excel(file: BinaryIO, header: Sequence[str], rows: Rows) -> None:
    """One sheet; numbers are numbers of 16 digits, texts are texts whatever they start with. DATASET_INVALID
    for more rows or columns than a sheet supports.
    """
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet("predictions")

    def cell(value: Cell) -> WriteOnlyCell:
        made = WriteOnlyCell(sheet, value=_printable(value) if isinstance(value, str) else value)
        if isinstance(value, str):
            made.data_type = "s"
        return made

    for number, row in enumerate(chain([header], rows), start=1):
        if number > _EXCEL_ROWS or len(header) > _EXCEL_COLUMNS:
            sheet.close()  # otherwise it is written when its memory is freed
            message = phrase("excel_limits", rows=_EXCEL_ROWS, columns=_EXCEL_COLUMNS)
            raise TrainerError("DATASET_INVALID", message, phrase("choose_csv"))
        sheet.append([cell(value) for value in row])
    with tempfile.TemporaryFile() as buffer:
        book.save(buffer)
        _without_dates(buffer, file)


WRITERS: dict[str, tuple[str, Callable[[BinaryIO, Sequence[str], Rows], None]]] = {
    "CSV": (".csv", write_csv),
    "JSON": (".json", write_json),
    "Excel": (".xlsx", write_excel),
}
"""Name in the catalog → (suffix, writer). Rows are processed one by one and not undated."""


def typed(columns: Mapping[str, Sequence[str]]) -> dict[str, Sequence[Cell]]:
    """The texts of a table of predictions → cells: probabilities, line numbers and, for a regression, truth
    and prediction are numbers; everything else, such as the id `007` or the class `1`, is a text. A case
    without a prediction has empty cells."""
    classes = any(name.startswith("probability_") for name in columns)

    def cells(name: str, texts: Sequence[str]) -> Sequence[Cell]:
        if name == "row":
            return [int(text) if text else None for text in texts]
        if name.startswith(_NUMBERS) or (name in ("truth", "predicted") and not classes):
            return [float(text) if text else None for text in texts]
        return list(texts)

    return {name: cells(name, texts) for name, texts in columns.items()}


def _printable(text: str) -> str:
    """Replace characters that XML does not support: control characters except these three, and lone
    surrogates."""
    return "".join(
        mark if mark in "\t\n\r" or (mark >= " " and not "\ud800" <= mark <= "\udfff") else "\ufffd"
        for mark in text
    )


def _without_dates(archive: IO[bytes], target: BinaryIO) -> None:
    with (
        zipfile.ZipFile(archive) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as undated,
    ):
        for name in source.namelist():
            facts = zipfile.ZipInfo(name, _ZIP_EPOCH)
            facts.compress_type = zipfile.ZIP_DEFLATED
            if name == "docProps/core.xml":
                undated.writestr(facts, _without_times(source.read(name)))
                continue
            facts.file_size = source.getinfo(name).file_size  # decides whether large-file fields are needed
            with source.open(name) as content, undated.open(facts, "w") as copy:
                shutil.copyfileobj(content, copy)


def _without_times(properties: bytes) -> bytes:
    """The properties of the document without <dcterms:created> and <dcterms:modified>."""
    return re.sub(rb"<dcterms:(created|modified)\b.*?</dcterms:\1>", b"", properties, flags=re.DOTALL)
