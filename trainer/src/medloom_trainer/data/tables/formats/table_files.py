"""A table file of any format → one strict table of texts."""

from __future__ import annotations

from pathlib import Path

from medloom_trainer.data.tables.formats.csv_reader import read_text
from medloom_trainer.data.tables.formats.excel import read_excel
from medloom_trainer.data.tables.formats.json_table import read_json
from medloom_trainer.data.tables.table import Table
from medloom_trainer.errors import TrainerError

_FORMAT_OF_SUFFIX = {
    ".csv": "CSV", ".tsv": "CSV", ".txt": "CSV",
    ".xlsx": "Excel", ".xlsm": "Excel",
    ".json": "JSON",
}  # fmt: skip
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read_table_file(path: Path, format_name: str | None, encoding: str) -> Table:
    """format_name None: the ending of the name says it. `encoding` is that of a CSV.

    FILE_NOT_FOUND, CSV_MALFORMED (CSV), DATASET_INVALID (Excel, JSON) naming the place.
    """
    kind = format_name or _FORMAT_OF_SUFFIX.get(path.suffix.lower())
    if kind is None:
        message = f'the suffix "{path.suffix[:20]}" is not that of a table format; choose CSV, Excel or JSON'
        raise TrainerError("DATASET_INVALID", message)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrainerError("FILE_NOT_FOUND", f"{path.name} is not a file that can be read") from error
    if kind == "Excel":
        return read_excel(content, path.name)
    if kind == "JSON":
        return read_json(content, path.name)
    return read_text(*_decode_text(content, path.name, encoding), content)


def _decode_text(content: bytes, name: str, encoding: str) -> tuple[str, str, str]:
    """(text, name, encoding). auto: the byte-order mark, else UTF-8; the rest is refused, not guessed."""
    marked = next(((mark, codec) for mark, codec in _BYTE_ORDER_MARKS if content.startswith(mark)), None)
    codec = (marked[1] if marked else "utf-8") if encoding == "auto" else encoding
    if codec == "utf-8" and marked is not None and marked[1] == "utf-8":
        codec = "utf-8-sig"
    try:
        text = content.decode(codec)
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        hint = "choose its encoding" if encoding == "auto" else "it is written in another encoding"
        raise TrainerError("CSV_MALFORMED", f"{name}, row {row}: not {codec}; {hint}") from None
    if (place := text.find("\0")) >= 0:
        row = text.count("\n", 0, place) + 1
        message = (
            f"{name}, row {row}: a NUL character; this is not a text file, or is written in another encoding"
        )
        raise TrainerError("CSV_MALFORMED", message)
    return text, name, codec
