"""Large CSVs without quotes, read by Polars: four times as fast as the strict reader, with the same cells.

Whatever the strict reader would refuse, or number otherwise, is left to it: quotes, blank lines, line ends of
several kinds, and rows of another width than the header.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from medloom_trainer.data.tables.column_texts import ColumnTexts
from medloom_trainer.data.tables.source_text import SourceText

_FEWEST_CHARACTERS = 4_000_000
"""Below, importing Polars takes longer than it saves."""
_BLOCK_BYTES = 1 << 24


def read_plain_rows(source: SourceText, delimiter: str, width: int) -> list[list[str]] | None:
    """Columns of the rows below the header, which is line 1; row N is line N + 2. None for a text that is
    left to the strict reader."""
    if not _is_plain(source.text, delimiter, width):
        return None
    return _columns(source.take_utf8(), delimiter, width)


def _is_plain(text: str, delimiter: str, width: int) -> bool:
    if len(text) < _FEWEST_CHARACTERS or '"' in text:
        return False
    returns = text.count("\r")
    if returns and returns != text.count("\r\n"):
        return False
    if text.startswith(("\n", "\r")) or "\n\n" in text or "\n\r" in text:
        return False
    records = text.count("\n") + (not text.endswith("\n"))
    return text.count(delimiter) == records * (width - 1)


def _columns(content: bytes, delimiter: str, width: int) -> list[list[str]] | None:
    """None if a row has more fields than the header. A row with fewer ones would need another with more,
    since the delimiters are as many as in rows of equal width."""
    start = content.find(b"\n") + 1
    rows = content.count(b"\n", start) + (not content.endswith(b"\n"))
    columns = [_GrowingColumn(rows) for _ in range(width)]
    for block in _blocks(content, start):
        frame = _frame(block, delimiter)
        if frame is None or frame.width != width:
            return None
        for column, name in zip(columns, frame.columns, strict=True):
            column.add(frame.drop_in_place(name))
    return [column.take_texts() for column in columns]


def _blocks(content: bytes, start: int) -> Iterator[bytes]:
    """Whole lines from `start` on, so few at a time that no cell is in memory twice for long."""
    while start < len(content):
        last = content.find(b"\n", start + _BLOCK_BYTES)
        end = len(content) if last < 0 else last + 1
        yield content[start:end]
        start = end


def _frame(block: bytes, delimiter: str) -> Any:
    """A Polars frame of texts; None for rows of different widths."""
    import polars

    try:
        return polars.read_csv(
            io.BytesIO(block), has_header=False, separator=delimiter, quote_char=None,
            infer_schema=False, truncate_ragged_lines=False,
        )  # fmt: skip
    except polars.exceptions.PolarsError:
        return None


class _GrowingColumn:
    """The texts of a column, block by block. Equal texts are stored once."""

    def __init__(self, rows: int) -> None:
        self._positions: dict[str, int] = {}
        self._codes = np.empty(rows, dtype=np.int32)
        self._filled = 0

    def add(self, column: Any) -> None:
        import polars

        texts = column.fill_null("")
        distinct = texts.unique(maintain_order=True)
        codes = texts.cast(polars.Enum(distinct)).to_physical().to_numpy()
        known = self._positions
        positions = [known.setdefault(text, len(known)) for text in distinct.to_list()]
        self._codes[self._filled : self._filled + len(texts)] = np.array(positions, dtype=np.int32)[codes]
        self._filled += len(texts)

    def take_texts(self) -> ColumnTexts:
        """The texts, which this object then no longer has."""
        distinct = list(self._positions)
        self._positions = {}
        return ColumnTexts.from_codes(distinct, self._codes)
