"""Tables in Excel workbooks (Office Open XML): the first visible sheet, values only."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any
from xml.etree import ElementTree

import numpy as np

from medloom_trainer.contract.phrases import Phrased, listing, phrase
from medloom_trainer.data.tables.other_rows import refuse_other_rows, without_other_rows
from medloom_trainer.data.tables.table import Table, check_header, plain_cells
from medloom_trainer.data.tables.typed_tables import text_of
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning

_MAX_BYTES = 512 * 1024 * 1024
"""A workbook that would unpack to more is refused before it is unpacked."""
_TITLE_ROWS = 20
"""Maximum number of rows with a single cell above the column names."""
_MAX_CELLS = 50_000_000
_MOST_NAMES = 10
_Row = list[tuple[Any, Any]]
"""(value, formula or value) of each cell."""


def read_excel(
    content: bytes,
    name: str,
    sheet_name: str | int | None = None,
    header_row: int | None = None,
    *,
    keep_malformed: bool = False,
) -> Table:
    """sheet_name: its name, or its number from 1; None: the first visible one. header_row None: the first row
    with two cells or more contains the column names; titles above it are skipped. Merged
    cells of a column all have their value. A formula counts as the value saved with it, a date as ISO 8601, a
    whole number without a decimal point, an error such as #DIV/0! as missing. keep_malformed: see `read_csv`.

    DATASET_INVALID naming the place: not a workbook, no header, a formula without a saved value, too large.
    TABLE_TOO_LARGE: more columns than can be read.
    """
    _refuse_bomb(content, name)
    # Opened twice, because openpyxl returns either formulas or the values saved with them.
    with _opened(content, name, values=True) as values, _opened(content, name, values=False) as formulas:
        title, others = _sheets(values, name, sheet_name)
        sheet = _Sheet(f"{name}, {title}", _merged_columns(values[title]), others)
        rows = _filled(_paired(values[title], formulas[title]))
        (line, header), rows, skipped = _header_row(rows, header_row)
        sheet.header_line = line
        columns = _header_of(header, line, sheet)
        lines: list[int] = []
        cells: list[list[str]] = [[] for _ in columns]
        for line, row in rows:
            if len(lines) * len(columns) > _MAX_CELLS:
                raise TrainerError("DATASET_INVALID", phrase("too_many_cells", table=name, limit=_MAX_CELLS))
            sheet.refuse_outside(line, row, len(columns))
            lines.append(line)
            for column, texts in enumerate(cells):
                texts.append(sheet.text(line, column, row))
    sheet.refuse_unsaved()
    if not lines:
        raise TrainerError("DATASET_INVALID", phrase("header_without_rows", table=sheet.place), sheet.choice)
    plain, warnings = plain_cells(dict(zip(columns, cells, strict=True)), name)
    below = np.asarray(lines, dtype=np.int64)
    malformed: dict[int, Phrased] = {}
    if keep_malformed:
        plain = without_other_rows(plain, below, malformed)
    else:
        refuse_other_rows(plain, below, sheet.place, "DATASET_INVALID")
    return Table(
        name,
        columns,
        plain,
        below,
        ",",
        "utf-8",
        hashlib.sha256(content).hexdigest(),
        [*warnings, *_notes(name, title, skipped, sheet)],
        malformed=malformed,
    )


def sheet_names(content: bytes, name: str) -> list[str]:
    """Visible sheets that have cells, in their order. DATASET_INVALID: not a workbook, too large."""
    _refuse_bomb(content, name)
    with _opened(content, name, values=True) as book:
        visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        return [str(sheet.title) for sheet in visible if _has_cells(sheet)]


def _notes(name: str, title: str, skipped: int, sheet: _Sheet) -> Warnings:
    notes = []
    if sheet.others:
        message = phrase("sheets_not_read", table=name, sheet=title, sheets=_quoted(sheet.others))
        notes.append(warning("SHEETS_NOT_READ", message))
    if skipped:
        notes.append(warning("TITLE_ROWS_SKIPPED", phrase("title_rows_skipped", table=name, count=skipped)))
    if sheet.filled:
        message = phrase("merged_cells_filled", table=name, count=sheet.filled)
        notes.append(warning("MERGED_CELLS_FILLED", message))
    if sheet.errors:
        cells = listing(sheet.errors, _MOST_NAMES)
        message = phrase("cell_errors", table=name, count=len(sheet.errors), cells=cells)
        notes.append(warning("CELL_ERRORS", message))
    return notes


class _Sheet:
    """The cells of a sheet as texts, with the value of a merged range in each of its rows."""

    def __init__(self, place: str, merged: Mapping[int, Mapping[int, int]], others: Sequence[str]) -> None:
        self.place = place
        self.merged = merged
        """Column → row in a merged range → first row of the range."""
        self.others = others
        """Names of the other visible sheets with cells."""
        self.header_line = 1
        self.filled = 0
        self.errors: list[str] = []
        """Cells such as B3 with an error such as #DIV/0!."""
        self._first: dict[tuple[int, int], str] = {}
        self._saved = False
        self._unsaved: str | None = None

    def text(self, line: int, column: int, row: _Row) -> str:
        value, formula = row[column] if column < len(row) else (None, None)
        if isinstance(formula, str) and formula.startswith("="):
            self._saved = self._saved or value is not None
            if value is None:
                self._unsaved = self._unsaved or f"{self.place}, cell {_column_letters(column)}{line}"
        text = text_of(value)
        if _is_error(value, text):
            self.errors.append(f"{_column_letters(column)}{line}")
            text = ""
        first = self.merged.get(column, {}).get(line)
        if first is None:
            return text
        if first == line:
            self._first[column, line] = text
        elif not text and (given := self._first.get((column, first))):
            self.filled += 1
            return given
        return text

    @property
    def choice(self) -> Phrased:
        """The remedy if another sheet or another row was meant."""
        line = str(self.header_line)
        if self.others:
            return phrase("header_row_and_sheets", line=line, sheets=_quoted(self.others))
        return phrase("header_row_read", line=line)

    def refuse_outside(self, line: int, row: _Row, width: int) -> None:
        outside = [place for place, (value, _) in enumerate(row) if place >= width and value is not None]
        if outside:
            place = f"{self.place}, cell {_column_letters(outside[0])}{line}"
            message = phrase("value_beyond_header", place=place)
            raise TrainerError("DATASET_INVALID", message, self.choice)

    def refuse_unsaved(self) -> None:
        """Excel saves the value of every formula, also an empty one; other programs save none."""
        if self._unsaved is not None and not self._saved:
            message = phrase("formula_unsaved", place=self._unsaved)
            raise TrainerError("DATASET_INVALID", message)


class _opened:
    """A workbook in openpyxl's streaming mode, closed at the end."""

    def __init__(self, content: bytes, name: str, *, values: bool) -> None:
        import openpyxl

        try:
            self.book = openpyxl.load_workbook(
                io.BytesIO(content), read_only=True, data_only=values, keep_links=False
            )
        except Exception as error:  # a damaged part raises any error of its parser
            message = phrase("not_a_workbook", table=name, error=type(error).__name__)
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
        message = phrase("workbook_old_or_locked" if old else "not_an_excel_workbook", table=name)
        raise TrainerError("DATASET_INVALID", message) from None
    if size > _MAX_BYTES:
        message = phrase("workbook_too_large", table=name, size=size, limit=_MAX_BYTES)
        raise TrainerError("DATASET_INVALID", message)


def _sheets(book: Any, name: str, wanted: str | int | None) -> tuple[str, list[str]]:
    """(the wanted sheet, or the first visible one; the other visible ones that have cells, unless one was
    wanted)."""
    if wanted is not None:
        return _named_sheet(book, name, wanted), []
    visible = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
    if not visible:
        raise TrainerError("DATASET_INVALID", phrase("no_visible_sheet", table=name), phrase("unhide_sheet"))
    return str(visible[0].title), [str(sheet.title) for sheet in visible[1:] if _has_cells(sheet)]


def _named_sheet(book: Any, name: str, wanted: str | int) -> str:
    titles = [str(sheet.title) for sheet in book.worksheets]
    if isinstance(wanted, int) and wanted <= len(titles):
        return titles[wanted - 1]
    if wanted in titles:
        return str(wanted)
    listed = ", ".join(f'"{title[:40]}"' for title in titles[:10])
    raise TrainerError(
        "DATASET_INVALID", phrase("workbook_lacks_sheet", table=name, sheet=str(wanted)[:40], sheets=listed)
    )


def _has_cells(sheet: Any) -> bool:
    sheet.reset_dimensions()
    rows = sheet.iter_rows(values_only=True)
    return any(value is not None for row in islice(rows, _TITLE_ROWS) for value in row)


def _paired(values: Any, formulas: Any) -> Iterator[tuple[int, _Row]]:
    """(row number, [(value, formula or value)])."""
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # other programs write a wrong one
    both = zip(values.iter_rows(values_only=True), formulas.iter_rows(values_only=True), strict=True)
    for line, (shown, written) in enumerate(both, start=1):
        yield line, list(zip(shown, written, strict=True))


def _filled(rows: Iterable[tuple[int, _Row]]) -> Iterator[tuple[int, _Row]]:
    """Rows that are not blank."""
    return ((line, row) for line, row in rows if any(written is not None for _, written in row))


def _header_row(
    rows: Iterator[tuple[int, _Row]], named: int | None
) -> tuple[tuple[int, _Row], Iterator[tuple[int, _Row]], int]:
    """(line and cells of the header, the rows below it, number of title rows above it). Column names are
    texts; without such a row below the titles, the first row is the header. named: its line."""
    if named is not None:
        return next((row for row in rows if row[0] >= named), (named, [])), rows, 0
    above: list[tuple[int, _Row]] = []
    for line, row in rows:
        written = [cell for _, cell in row if cell is not None]
        if len(written) > 1 and all(isinstance(cell, str) for cell in written):
            return (line, row), rows, len(above)
        above.append((line, row))
        if len(written) > 1 or len(above) > _TITLE_ROWS:
            break
    return (above or [(1, [])])[0], chain(above[1:], rows), 0


def _merged_columns(sheet: Any) -> dict[int, dict[int, int]]:
    """Column → row in a merged range → first row of the range, for ranges over several rows."""
    from openpyxl.utils.cell import range_boundaries

    merged: dict[int, dict[int, int]] = {}
    with sheet._get_source() as source:
        for _, element in ElementTree.iterparse(source):
            if element.tag.endswith("}row"):
                element.clear()
            elif element.tag.endswith("}mergeCell"):
                left, top, right, bottom = range_boundaries(element.get("ref"))
                for column in range(left - 1, right if bottom > top else left - 1):
                    merged.setdefault(column, {}).update(dict.fromkeys(range(top, bottom + 1), top))
    return merged


def _header_of(row: _Row, line: int, sheet: _Sheet) -> tuple[str, ...]:
    texts = [sheet.text(line, column, row) for column in range(len(row))]
    while texts and not texts[-1]:
        texts.pop()
    try:
        return check_header(texts, line, sheet.place)
    except TrainerError as error:
        if error.code != "CSV_MALFORMED":
            raise
        raise TrainerError("DATASET_INVALID", error.message, sheet.choice) from None


def _is_error(value: Any, text: str) -> bool:
    """Return whether the value is an error such as #DIV/0! or #N/A."""
    named = isinstance(value, str) and text.startswith("#") and text.rstrip("!?").isupper()
    return named and text.endswith(("!", "?", "N/A"))


def _column_letters(place: int) -> str:
    """0 → A, 26 → AA."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name[:40]}"' for name in names[:_MOST_NAMES])
    return f"{shown} and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else shown
