"""Files of tables → one strict table of texts. CSV is read here: ambiguous content is refused with the row
number. Excel, JSON and formats with types have separate modules.

`00123` remains `00123` and `NA` remains `NA`; cells become numbers in `data/tables/cells.py`, and only those
of numeric columns and labels.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, listing, phrase
from medloom_trainer.data.tables.excel import read_excel, sheet_names
from medloom_trainer.data.tables.json_table import read_json
from medloom_trainer.data.tables.medmnist import read_medmnist
from medloom_trainer.data.tables.origin import split_origin
from medloom_trainer.data.tables.other_rows import refuse_other_rows, without_other_rows
from medloom_trainer.data.tables.plain_csv import read_plain_rows
from medloom_trainer.data.tables.source_text import SourceText
from medloom_trainer.data.tables.table import Table, check_header, plain_cells
from medloom_trainer.data.tables.table_width import refuse_wide_header
from medloom_trainer.data.tables.typed_tables import read_typed
from medloom_trainer.errors import TrainerError
from medloom_trainer.memory_limit import limit_bytes
from medloom_trainer.regular_files import NotRegularError, open_regular
from medloom_trainer.unicode_text import plain_text
from medloom_trainer.warnings import warning

_FORMAT_OF_SUFFIX = {
    ".csv": "CSV", ".tsv": "CSV", ".txt": "CSV",
    ".xlsx": "Excel", ".xlsm": "Excel",
    ".json": "JSON",
    ".parquet": "Parquet", ".npz": "MedMNIST",
    ".sav": "SPSS", ".zsav": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS",
}  # fmt: skip
_PLAIN_SUFFIXES = tuple(suffix for suffix in _FORMAT_OF_SUFFIX if suffix not in (".txt", ".json"))
TABLE_SUFFIXES = (*_PLAIN_SUFFIXES, ".csv.gz", ".tsv.gz")
"""Ends of names that promise a table. A `.txt` may be a note, a `.json` the description of an image."""
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_EXPORT = phrase("export_csv")
_ADOPT = phrase("adopt_file")
_DECOMPRESS = phrase("decompress")
_IMAGE = phrase("select_table_of_images")
_OTHER_FORMATS = {
    b"PK\x03\x04": (
        phrase("format_excel"),
        phrase("adopt_workbook"),
    ),
    b"\xd0\xcf\x11\xe0": (phrase("format_xls"), phrase("save_sheet")),
    b"\x1f\x8b": (phrase("format_compressed", program="gzip"), _DECOMPRESS),
    b"BZh": (phrase("format_compressed", program="bzip2"), _DECOMPRESS),
    b"\xfd7zXZ\0": (phrase("format_compressed", program="xz"), _DECOMPRESS),
    b"\x28\xb5\x2f\xfd": (phrase("format_compressed", program="Zstandard"), _DECOMPRESS),
    b"PAR1": (phrase("format_of", program="Parquet"), _ADOPT),
    b"ARROW1": (phrase("format_of_vowel", program="Arrow"), _EXPORT),
    b"$FL2": (phrase("format_of_vowel", program="SPSS"), _ADOPT),
    b"$FL3": (phrase("format_of_vowel", program="SPSS"), _ADOPT),
    b"<stata_dta>": (phrase("format_of", program="Stata"), _ADOPT),
    b"\x93NUMPY": (phrase("format_of", program="NumPy"), _EXPORT),
    b"\x89HDF": (phrase("format_of_vowel", program="HDF5"), _EXPORT),
    b"SQLite format 3\0": (phrase("format_sqlite"), _EXPORT),
    b"%PDF": (phrase("format_pdf"), _EXPORT),
    b"version https://git-lfs.github.com": (phrase("format_lfs"), phrase("pull_lfs")),
    **{
        bytes([version, order, 1, 0]): (phrase("format_of", program="Stata"), _ADOPT)
        for version in (*range(0x69, 0x6D), *range(0x6E, 0x74))
        for order in (1, 2)
    },
    b"HEADER RECORD*******LIBRARY": (phrase("format_of", program="SAS"), _ADOPT),
    bytes(12) + b"\xc2\xea\x81\x60\xb3\x14": (phrase("format_of", program="SAS"), _ADOPT),
    b"\x89PNG": (phrase("format_image"), _IMAGE),
    b"\xff\xd8\xff": (phrase("format_image"), _IMAGE),
}
"""First bytes → (the format that they begin, remedy)."""
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|body|table|\?xml)[\s>]", re.IGNORECASE
)
"""A web page, often one that asks for a login instead of the file."""
_SAVE_AS_UTF8 = phrase("save_as_utf8")
_DELIMITERS = (",", ";", "\t", "|")
_BYTES_PER_BYTE = 4
"""Minimum memory of a table for each byte of its file: the bytes, their text, and the cells."""
_DELIMITER_NAMES = {
    ",": phrase("delimiter_comma"),
    ";": phrase("delimiter_semicolon"),
    "\t": phrase("delimiter_tab"),
    "|": phrase("delimiter_bar"),
}
_MOST_LINES = 20
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+\Z")
"""One line with its end. A file object of a text would take four bytes for each character."""
_DELIMITER_LINE = re.compile(r"sep=([,;|\t])\r?\n")
"""A first line that names the delimiter for Excel."""


@dataclass(frozen=True)
class Layout:
    """Where the table is in its file, if the file has more than the table."""

    sheet: str | int | None = None
    """Name of a sheet of a workbook, or its number from 1. None: the first visible one."""
    header_row: int | None = None
    """From 1. None: the first row with column names."""
    comment: str | None = None
    """Start of lines of a CSV that are not rows."""
    skip: int = 0
    """Lines of a CSV above the column names."""


def read_table_file(
    path: Path,
    format_name: str | None,
    encoding: str | None,
    layout: Layout | None = None,
    *,
    keep_malformed: bool = False,
) -> Table:
    """format_name None: the suffix of the name determines it. `encoding` is that of a CSV; None: as in
    `read_csv`. keep_malformed: see `read_csv`; also of Excel.

    FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, and CSV_MALFORMED (CSV), DATASET_INVALID (others)
    naming the place.
    """
    layout = layout or Layout()
    packed = path.suffix.lower() == ".gz"
    suffix = Path(path.stem).suffix.lower() if packed else path.suffix.lower()
    kind = format_name or _FORMAT_OF_SUFFIX.get(suffix)
    if kind is None:
        message = phrase("extension_unsupported", extension=suffix[:20])
        raise TrainerError("DATASET_INVALID", message)
    content = _read(path, is_csv=kind == "CSV" and not packed)
    if packed:
        content = _unpack(content, path.name)
    if kind == "Excel":
        return read_excel(content, path.name, layout.sheet, layout.header_row, keep_malformed=keep_malformed)
    if kind == "JSON":
        return read_json(content, path.name)
    if kind == "MedMNIST":
        return read_medmnist(content, path.name, path.name)
    if kind != "CSV":
        return read_typed(content, path, kind)
    source = _decode(content, path.name) if encoding is None else _decode_as(content, path.name, encoding)
    digest = hashlib.sha256(content).hexdigest()
    return read_text(_only_table(source, layout), path.name, digest, keep_malformed=keep_malformed)


def sheets_of(path: Path) -> list[str]:
    """Visible sheets of a workbook that have cells; none of other files. Errors as in `read_table_file`."""
    if _FORMAT_OF_SUFFIX.get(path.suffix.lower()) != "Excel":
        return []
    return sheet_names(_read(path, is_csv=False), path.name)


def _unpack(content: bytes, name: str) -> bytes:
    """The content of a gzip file, up to the limit of a table."""
    limit = limit_bytes() // _BYTES_PER_BYTE
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        message = phrase("not_decompressed", table=name, error=type(error).__name__)
        raise TrainerError("CSV_MALFORMED", message) from None
    _refuse_large(len(unpacked), name)
    return unpacked


def _only_table(source: SourceText, layout: Layout) -> SourceText:
    """The text with empty lines instead of comments and of lines above the column names, so that rows keep
    their numbers."""
    above = layout.skip if layout.header_row is None else layout.header_row - 1
    if not above and layout.comment is None:
        return source
    lines = source.text.splitlines(keepends=True)
    kept = [
        "\n" if number < above or (layout.comment is not None and line.startswith(layout.comment)) else line
        for number, line in enumerate(lines)
    ]
    return SourceText("".join(kept), source.encoding)


def _decode_as(content: bytes, name: str, encoding: str) -> SourceText:
    """auto: the byte-order mark, else UTF-8; other encodings are refused, not guessed."""
    _refuse_other_formats(content, name)
    marked = next(((mark, codec) for mark, codec in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
    codec = (marked[1] if marked else "utf-8") if encoding == "auto" else encoding
    if codec == "utf-8" and marked is not None and marked[1] == "utf-8":
        codec = "utf-8-sig"
    try:
        text = content.decode(codec)
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        message = phrase("not_in_encoding", table=name, row=str(row), encoding=codec)
        raise TrainerError("CSV_MALFORMED", message, phrase("set_encoding")) from None
    if (place := text.find("\0")) >= 0:
        row = text.count("\n", 0, place) + 1
        message = phrase("nul_character", table=name, row=str(row))
        raise TrainerError("CSV_MALFORMED", message, _SAVE_AS_UTF8)
    return SourceText(text, codec, content)


def _refuse_other_formats(content: bytes, name: str) -> None:
    """CSV_MALFORMED that names the format of a file that is not text."""
    for start, (description, hint) in _OTHER_FORMATS.items():
        if content.startswith(start):
            raise TrainerError("CSV_MALFORMED", phrase("not_a_csv", table=name, format=description), hint)
    if _MARKUP.match(content):
        message = phrase("not_a_csv", table=name, format=phrase("format_markup"))
        raise TrainerError("CSV_MALFORMED", message, phrase("download_table"))


def _read(path: Path, *, is_csv: bool) -> bytes:
    """The content of a table. FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE."""
    if "\0" in str(path):
        raise TrainerError("FILE_NOT_FOUND", phrase("file_name_has_nul"), phrase("correct_path"))
    try:
        with open_regular(path) as file:
            _refuse_large(os.fstat(file.fileno()).st_size, path.name)
            if is_csv:
                refuse_wide_header(file, path.name, _DELIMITERS)
                file.seek(0)
            return file.read()
    except NotRegularError as error:
        raise TrainerError("FILE_NOT_REGULAR", join(path.name, error.reason, mark="space")) from None
    except FileNotFoundError as error:
        raise TrainerError("FILE_NOT_FOUND", phrase("file_absent", file=path.name)) from error
    except OSError as error:
        message = phrase("file_unreadable", file=path.name, error=str(error.strerror))
        raise TrainerError("FILE_NOT_FOUND", message) from error


def _refuse_large(size: int, name: str) -> None:
    limit = limit_bytes() // _BYTES_PER_BYTE
    if size > limit:
        message = phrase("table_above_memory", table=name, size=size, limit=limit)
        raise TrainerError("TABLE_TOO_LARGE", message)


def read_csv(path: Path, *, keep_malformed: bool = False) -> Table:
    """Read a CSV with a header. Encodings: UTF-8 with or without BOM, Windows-1252. Delimiters: comma,
    semicolon, tab. keep_malformed: rows of another width than the header and rows that are not cases become
    rows without values, which `Table.malformed` names.

    FILE_NOT_FOUND, FILE_NOT_REGULAR, TABLE_TOO_LARGE, or CSV_MALFORMED naming row and place: a width other
    than that of the header, an open quote, a NUL byte, no header, an empty or repeated column name, an
    ambiguous encoding or delimiter.
    """
    content = _read(path, is_csv=True)
    digest = hashlib.sha256(content).hexdigest()
    return read_text(_decode(content, path.name), path.name, digest, keep_malformed=keep_malformed)


def read_text(source: SourceText, name: str, digest: str, *, keep_malformed: bool = False) -> Table:
    """The table in a text, `digest` being that of its file. CSV_MALFORMED as in `read_csv`.

    A table that Medloom wrote is named after the files from which its rows come (data/tables/origin.py).
    """
    stated = _DELIMITER_LINE.match(source.text)
    delimiter = stated[1] if stated else _detect_delimiter(source.text, name)
    above = 1 if stated else 0
    header_line, header = next(islice(_parse(source.text, delimiter, name), above, None), (1, []))
    open_end = len(header) > 2 and not plain_text(header[-1])  # a delimiter at the end of every line
    columns = check_header(header[:-1] if open_end else header, header_line, name)
    malformed: dict[int, Phrased] | None = {} if keep_malformed else None
    quick = None if stated or header_line > 1 else read_plain_rows(source, delimiter, len(header))
    if quick is not None:
        cells, lines = quick, np.arange(2, len(quick[0]) + 2, dtype=np.int64)
    else:
        rows = islice(_parse(source.text, delimiter, name), above + 1, None)
        cells, lines = _read_rows(rows, len(header), name, delimiter, malformed)
    if not len(lines):
        raise TrainerError("CSV_MALFORMED", phrase("header_without_rows", table=name), phrase("add_rows"))
    if open_end and any(map(plain_text, dict.fromkeys(cells.pop()))):
        check_header(header, header_line, name)  # values without a column name
    plain, warnings = plain_cells(dict(zip(columns, cells, strict=True)), name)
    if malformed is None:
        refuse_other_rows(plain, lines, name, "CSV_MALFORMED")
    else:
        plain = without_other_rows(plain, lines, malformed)
    if source.encoding == "cp1252":
        warnings.append(warning("CSV_ENCODING_ASSUMED", phrase("encoding_assumed", table=name)))
    known, origin = split_origin(plain)
    return Table(
        name if origin is None else origin.in_words(),
        tuple(known),
        known,
        lines,
        delimiter,
        source.encoding,
        digest,
        warnings,
        origin,
        malformed=malformed or {},
    )


def _read_rows(
    records: Iterator[tuple[int, list[str]]],
    width: int,
    name: str,
    delimiter: str,
    malformed: dict[int, Phrased] | None,
) -> tuple[list[list[str]], npt.NDArray[np.int64]]:
    """(columns, line of each row). Rows of another width are added to `malformed` and empty; CSV_MALFORMED if
    it is None."""
    lines: list[int] = []
    cells: list[list[str]] = [[] for _ in range(width)]
    memory: list[dict[str, str]] = [{} for _ in range(width)]  # equal texts of a column are stored once
    for line, record in records:
        if len(record) != width:
            message = _width_differs(name, line, len(record), width, delimiter)
            if malformed is None:
                raise _ragged(message, _other_widths(records, width))
            malformed[line] = message
            record = [""] * width
        lines.append(line)
        for interned, column, cell in zip(memory, cells, record, strict=True):
            column.append(interned.setdefault(cell, cell))
    return cells, np.asarray(lines, dtype=np.int64)


def _decode(content: bytes, name: str) -> SourceText:
    """The text in the encoding of `read_csv`."""
    _refuse_other_formats(content, name)
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise TrainerError("CSV_MALFORMED", phrase("is_utf16", table=name), _SAVE_AS_UTF8)
    if (place := content.find(b"\0")) >= 0:
        row = content.count(b"\n", 0, place) + 1
        message = phrase("nul_byte", table=name, row=str(row))
        raise TrainerError("CSV_MALFORMED", message, _SAVE_AS_UTF8)
    if content.startswith(b"\xef\xbb\xbf"):
        content, marked = content[3:], "utf-8-sig"
    else:
        marked = "utf-8"
    try:
        return SourceText(content.decode("utf-8"), marked, content)
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        if marked == "utf-8-sig":
            raise TrainerError(
                "CSV_MALFORMED",
                phrase("not_utf8_despite_mark", table=name, row=str(row)),
                _SAVE_AS_UTF8,
            ) from None
    try:
        return SourceText(content.decode("cp1252"), "cp1252", content)
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        message = phrase("neither_encoding", table=name, row=str(row))
        raise TrainerError("CSV_MALFORMED", message, _SAVE_AS_UTF8) from None


def _detect_delimiter(text: str, name: str) -> str:
    """The delimiter that gives every row the width of the header; the widest if several do."""
    widths = {delimiter: len(_first_record(text, delimiter)) for delimiter in _DELIMITERS}
    candidates = [delimiter for delimiter in _DELIMITERS if widths[delimiter] > 1]
    if len(candidates) <= 1:
        return candidates[0] if candidates else ","
    even = [delimiter for delimiter in candidates if _has_one_width(text, delimiter)]
    if not even:  # no choice fits: report the first row that does not fit the most likely one
        return max(candidates, key=lambda delimiter: widths[delimiter])
    best = max(widths[delimiter] for delimiter in even)
    winners = [delimiter for delimiter in even if widths[delimiter] == best]
    if len(winners) > 1:
        first, second, *_ = (_DELIMITER_NAMES[delimiter] for delimiter in winners)
        message = phrase("ambiguous_delimiters", table=name, first=first, second=second)
        raise TrainerError("CSV_MALFORMED", message, phrase("quote_delimiters"))
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
    """(line, record) of every row that is not blank; CSV_MALFORMED if quotes are not closed correctly."""
    line = 1
    try:
        for line, record in _records_of(text, delimiter):
            yield line, record
    except csv.Error as error:
        message = phrase("quotes_wrong", table=name, row=str(line), error=str(error))
        raise TrainerError("CSV_MALFORMED", message) from None


def _records_of(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((line[0] for line in _LINE.finditer(text)), delimiter=delimiter, strict=True)
    start = 1
    for record in reader:
        if record:  # a blank line is not a row
            yield start, record
        start = reader.line_num + 1


def _other_widths(records: Iterator[tuple[int, list[str]]], width: int) -> list[int]:
    """Lines of the further rows that do not have this width."""
    lines = []
    with suppress(TrainerError):  # quotes that are not closed, reported once the rows before are correct
        for line, record in records:
            if len(record) != width:
                lines.append(line)
    return lines


def _width_differs(name: str, line: int, found: int, expected: int, delimiter: str) -> Phrased:
    facts = {"table": name, "row": str(line), "found": str(found), "expected": str(expected)}
    if found > expected:
        quoted = _DELIMITER_NAMES[delimiter]
        return phrase("too_many_fields", field=str(expected + 1), delimiter=quoted, **facts)
    return phrase("too_few_fields", field=str(found + 1), **facts)


def _ragged(message: Phrased, others: Sequence[int]) -> TrainerError:
    """others: further lines of another width than the header, so that all are corrected at once."""
    if others:
        rows = listing([str(line) for line in others], _MOST_LINES)
        message = join(message, phrase("other_ragged_rows", rows=rows), mark="semicolon")
    return TrainerError("CSV_MALFORMED", message)
