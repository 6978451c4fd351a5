"""The index of a dataset: its table by column, with each value stored once, so that filters and sorting work
on whole numbers. It is built once for the current content of the files, with the reader of a training, and
cached.

The number of a value is its position in the order of the column: by number if it contains numbers, else by
text, with missing values at the end. Identifying columns are in the order in which their values appear, which
reveals nothing about them.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.browse.source import Source
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import (
    IDENTIFYING,
    Table,
    are_codes,
    comparable_name,
    is_missing,
    read_class_names,
    read_numbers,
    split_words,
)
from medloom_trainer.files import full_disk_named, make_folder

Progress = Callable[[str, float], None]
Codes = npt.NDArray[np.int32]
_OPEN = 2
"""Number of indexes that a process keeps open."""


@dataclass(frozen=True)
class Values:
    """The different values of a column, in its order."""

    texts: list[str]
    numbers: list[float] | None
    """Numbers as a training reads them, NaN if a value is not a number; None if there are no numbers."""
    all_numbers: bool
    """True if every value that is not missing is a number."""
    missing_from: int
    """Position from which values are missing."""


class CaseIndex:
    """The index of N cases."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        head = json.loads((folder / "index.json").read_text(encoding="utf-8"))
        self.key: str = head["key"]
        self.delimiter: str = head["delimiter"]
        self.roles: dict[str, str] = head["roles"]
        """Column → role, in the order of the table."""
        self.splits: list[str] = head["splits"]
        self.classes: list[str] = head["classes"]
        self.files: list[str] = head["files"]
        self._places = {name: place for place, name in enumerate(self.roles)}
        self._values: dict[str, Values] = {}

    def __len__(self) -> int:
        return int(self._rows.shape[1])

    def is_identifying(self, column: str) -> bool:
        return self.roles[column] in IDENTIFYING

    def columns_of(self, role: str) -> list[str]:
        return [column for column, known in self.roles.items() if known == role]

    def codes(self, column: str) -> Codes:
        """(N,) positions in the values of the column."""
        codes: Codes = self._codes[self._places[column]]
        return codes

    def values(self, column: str) -> Values:
        if column not in self._values:
            text = (self._folder / f"{self._places[column]}.json").read_text(encoding="utf-8")
            self._values[column] = Values(**json.loads(text))
        return self._values[column]

    def is_missing(self, column: str) -> npt.NDArray[np.bool_]:
        """(N,) True if the value is missing."""
        return np.asarray(self.codes(column) >= self.values(column).missing_from)

    @property
    def split(self) -> Codes:
        """(N,) positions in `splits`, -1 if no split is named."""
        codes: Codes = self._rows[0]
        return codes

    @property
    def label(self) -> Codes:
        """(N,) positions in `classes`, -1 if the case has none of them."""
        codes: Codes = self._rows[1]
        return codes

    @property
    def lines(self) -> Codes:
        """Line of each case in its file."""
        lines: Codes = self._rows[3]
        return lines

    def place(self, row: int) -> tuple[str, int]:
        """(file, line in it)."""
        return self.files[int(self._rows[2, row])], int(self._rows[3, row])

    @cached_property
    def _codes(self) -> npt.NDArray[np.int32]:
        return _mapped(self._folder / "codes.npy")

    @cached_property
    def _rows(self) -> npt.NDArray[np.int32]:
        """(4, N) split, class, file and line of each case."""
        return _mapped(self._folder / "rows.npy")


def _mapped(file: Path) -> Codes:
    array: Codes = np.load(file, mmap_mode="r", allow_pickle=False)
    return array


def open_index(source: Source, progress: Progress) -> CaseIndex:
    """The index of the current content of the files; built and stored if necessary. Errors of reading as in a
    training.
    """
    folder = source.cache_dir / "browse" / "tables" / source.key
    if not (folder / "index.json").exists():
        progress(phrase("reading_table"), 0.0)
        _write(source.read(), source, folder, progress)
    os.utime(folder)  # the last use decides which index is removed first
    return _open(folder)


@lru_cache(maxsize=_OPEN)
def _open(folder: Path) -> CaseIndex:
    return CaseIndex(folder)


def _write(table: Table, source: Source, folder: Path, progress: Progress) -> None:
    """Write it completely or not at all; another process may do the same at the same time."""
    with full_disk_named(phrase("to_store_index")):
        make_folder(folder.parent)
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new-"))
        try:
            _fill(made, table, source, progress)
            made.rename(folder)
        except OSError:
            if not folder.exists():
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _fill(folder: Path, table: Table, source: Source, progress: Progress) -> None:
    roles = {column: source.role_of(column) for column in table.columns}
    codes = np.lib.format.open_memmap(
        folder / "codes.npy", mode="w+", dtype=np.int32, shape=(len(roles), len(table))
    )
    for place, column in enumerate(table.columns):
        progress(phrase("arranging_columns"), place / len(roles))
        values, found = _arrange(table, column, roles[column])
        codes[place] = found
        (folder / f"{place}.json").write_text(json.dumps(vars(values)), encoding="utf-8")
    codes.flush()
    files, rows = _rows_of(table, roles, source)
    np.save(folder / "rows.npy", rows)
    head = {
        "key": source.key,
        "delimiter": table.delimiter,
        "roles": roles,
        "splits": _words(table, roles),
        "classes": source.classes,
        "files": files,
    }
    (folder / "index.json").write_text(json.dumps(head), encoding="utf-8")


def _arrange(table: Table, column: str, role: str) -> tuple[Values, Codes]:
    """The values of a column in its order, and the position of each case's value among them."""
    texts = table.cells[column]
    distinct = list(dict.fromkeys(texts))
    absent = (lambda text: not text) if role in ("patient", "id") else is_missing
    present = [text for text in distinct if not absent(text)]
    numbers, all_numbers = None, False
    if role not in IDENTIFYING:
        present.sort(key=lambda text: (text.casefold(), text))
        read = read_numbers(present, table.delimiter)
        all_numbers = bool(present) and not read.texts and not are_codes(present)
        order = np.argsort(read.values, kind="stable") if all_numbers else np.arange(len(present))
        present = [present[place] for place in order.tolist()]
        numbers = None if are_codes(present) or np.isnan(read.values).all() else read.values[order].tolist()
    missing = [text for text in distinct if absent(text)]
    ordered = [*present, *missing]
    if numbers is not None:
        numbers += [float("nan")] * len(missing)
    place_of = {text: place for place, text in enumerate(ordered)}
    codes = np.fromiter((place_of[text] for text in texts), dtype=np.int32, count=len(texts))
    return Values(ordered, numbers, all_numbers, len(present)), codes


def _words(table: Table, roles: dict[str, str]) -> list[str]:
    return list(dict.fromkeys(_split_words(table, roles)))


def _split_words(table: Table, roles: dict[str, str]) -> list[str]:
    column = next((column for column, role in roles.items() if role == "split"), None)
    return split_words(table, column) or []


def _rows_of(table: Table, roles: dict[str, str], source: Source) -> tuple[list[str], npt.NDArray[np.int32]]:
    """(names of the files, (4, N) split, class, file and line)."""
    rows = np.full((4, len(table)), -1, dtype=np.int32)
    if words := _split_words(table, roles):
        known = {word: place for place, word in enumerate(dict.fromkeys(words))}
        rows[0] = [known[word] for word in words]
    labels = [column for column, role in roles.items() if role == "label"]
    if source.classes and len(labels) == 1:
        of_class = {comparable_name(name): place for place, name in enumerate(source.classes)}
        names = read_class_names(table, labels[0], source.classes)
        rows[1] = [of_class.get(comparable_name(name), -1) for name in names]
    files: dict[str, int] = {}
    for row, (file, line) in enumerate(_places(table)):
        rows[2, row], rows[3, row] = files.setdefault(file, len(files)), line
    return list(files), rows


def _places(table: Table) -> Iterator[tuple[str, int]]:
    return (table.place(row) for row in range(len(table)))


def shown(index: CaseIndex, column: str, code: int, *, identifiers: bool) -> Any:
    """Displayed value of a cell: a number, a text, None if it is missing; for an identifying column the
    number of its value, as "#3", unless `identifiers` are requested.
    """
    values = index.values(column)
    if code >= values.missing_from:
        return None
    if index.is_identifying(column) and not identifiers:
        return f"#{code + 1}"
    if values.numbers is not None and values.all_numbers and np.isfinite(values.numbers[code]):
        return values.numbers[code]
    text = values.texts[code]
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


MOST_CHARACTERS = 200
"""Limit for a cell, which may contain a report of several pages."""
