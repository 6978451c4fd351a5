"""Rows of a table of the artifact store that may be larger than memory, found by their positions.

Its writer quotes every cell and ends every row with LF (`table_bytes`), so a row ends at an LF after an even
number of quotes. The positions of rows are cached with the indexes of datasets, by the digest of the
table.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.files import write_atomically

_STRIDE = 256
"""Interval of rows whose positions are stored."""
_BYTES_AT_ONCE = 2**20
_MAX_CELL = 2**31 - 1
_MAX_CHARACTERS = 4096
"""Limit for the text of a returned cell: paths are not longer."""
_QUOTE, _LINE_FEED = ord('"'), ord("\n")


@dataclass(frozen=True)
class StoredRows:
    """N rows of a stored table."""

    path: Path
    columns: tuple[str, ...]
    starts: npt.NDArray[np.int64]
    """Positions of rows 0, 256, 512, …, and of the end."""
    count: int

    def __len__(self) -> int:
        return self.count

    def read(self, offset: int, limit: int, columns: Sequence[str]) -> dict[str, list[str]]:
        """Column → texts of at most `limit` rows from `offset`."""
        first = min(offset // _STRIDE, len(self.starts) - 1)
        places = [self.columns.index(name) for name in columns]
        csv.field_size_limit(_MAX_CELL)
        with (
            self.path.open("rb") as file,
            io.TextIOWrapper(file, encoding="utf-8", errors="surrogatepass", newline="") as text,
        ):
            file.seek(int(self.starts[first]))
            skipped = offset - first * _STRIDE
            some = islice(csv.reader(text), skipped, skipped + limit)
            rows = [[row[place][:_MAX_CHARACTERS] for place in places] for row in some]
        return {name: [row[place] for row in rows] for place, name in enumerate(columns)}


def stored_rows(path: Path, blob: Mapping[str, Any], cache_dir: Path) -> StoredRows:
    """The rows of the table at `path`; its columns are those of its first row."""
    remembered = cache_dir / "browse" / "tables" / f"{blob['sha256']}-rows" / "starts.npy"
    try:
        found: npt.NDArray[np.int64] = np.load(remembered, allow_pickle=False)
    except (OSError, ValueError):
        found = _row_starts(path)
        write_atomically(remembered, lambda file: np.save(file, found, allow_pickle=False))
    count, starts = int(found[0]), found[1:]
    with path.open("rb") as file:
        header = file.read(int(starts[0])).decode("utf-8", "surrogatepass")
    (columns,) = csv.reader(io.StringIO(header, newline=""))
    return StoredRows(path, tuple(columns), starts, count)


def _row_starts(path: Path) -> npt.NDArray[np.int64]:
    """[number of rows, position of every 256th row after the header, position of the end]."""
    blocks: list[npt.NDArray[np.int64]] = []
    rows, quotes, place = -1, 0, 0  # the header is row -1
    with path.open("rb") as file:
        while chunk := file.read(_BYTES_AT_ONCE):
            content = np.frombuffer(chunk, dtype=np.uint8)
            inside = np.cumsum(content == _QUOTE, dtype=np.int64) + quotes
            ends = np.flatnonzero((content == _LINE_FEED) & (inside % 2 == 0)) + place + 1
            numbers = np.arange(rows + 1, rows + 1 + len(ends))
            blocks.append(ends[numbers % _STRIDE == 0])
            rows, quotes, place = rows + len(ends), int(inside[-1]), place + len(chunk)
    starts = np.concatenate(blocks)
    ended = starts if rows % _STRIDE == 0 and len(starts) > 1 else np.append(starts, place)
    return np.concatenate([[rows], ended]).astype(np.int64)
