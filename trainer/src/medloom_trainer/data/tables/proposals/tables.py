"""Which of several tables has the cases, and which others add columns to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import image_stem, is_missing
from medloom_trainer.data.tables.column_names import SPLIT_WORDS, split_column
from medloom_trainer.data.tables.identifiers import may_identify
from medloom_trainer.data.tables.key_names import is_quantity
from medloom_trainer.data.tables.recipe.patterns import Pattern
from medloom_trainer.data.tables.recipe.places import Places
from medloom_trainer.data.tables.table import Table, stack
from medloom_trainer.data.tables.table_files import Layout, read_table_file, sheets_of
from medloom_trainer.errors import TrainerError

_MOST_TABLES = 20
_SHARE = 0.5
"""Minimum share of the rows of the main table that have the key of a joined one."""
_NAMED = 0.9
"""Minimum share of the values of a column, or of the images, that agree if the column names them."""


class TableFile(NamedTuple):
    """A file, a pattern of files, or a sheet of a workbook."""

    path: str
    sheet: str | None = None
    """None: the file has one table."""

    def __str__(self) -> str:
        return self.path if self.sheet is None else f"{self.path}, {self.sheet}"


@dataclass(frozen=True)
class JoinedRows:
    """A joined table that has several rows for a row of the main table."""

    table: str
    key: str
    """Column of the main table."""
    columns: tuple[str, ...]
    """Columns that the join adds."""


@dataclass
class Found:
    """The tables of a folder as parts of a recipe."""

    files: list[dict[str, Any]] = field(default_factory=list)
    join: list[dict[str, Any]] = field(default_factory=list)
    main: Table | None = None
    splits: dict[str, str] = field(default_factory=dict)
    """Split → its table, if other files prevent that one pattern names them all."""
    several: JoinedRows | None = None
    """The first joined table with several rows for one of the main table."""
    reasons: list[tuple[str, str]] = field(default_factory=list)
    """(key of the recipe, reason)."""


def find_tables(
    places: Places, names: Sequence[str], images: Collection[str], label: str | None = None
) -> Found:
    """names: tables relative to the folder; the files of splits count as one table, and each sheet of a
    workbook is one. label: column that was chosen; the only table that has it is the main one."""
    found = Found()
    tables = _read(places, names, found)
    if not tables:
        return found
    stems = {image_stem(name) for name in images}
    main = _main_of(tables, stems, label)
    found.main = tables[main]
    if Pattern(main.path).is_open and not _is_clear(main.path, names, tables[main]):
        found.splits = _by_split([name for name in names if Pattern(main.path).parse(name) is not None])
    taken: set[str] = set()
    file = _file_of(main, taken)
    found.files.append({"name": file["name"]} if found.splits else file)
    count = _named_images(tables[main], stems)
    reason = (
        phrase("recipe_main_table", table=str(main), count=count)
        if count
        else phrase("recipe_table", table=str(main))
    )
    found.reasons.append(("files[0]", reason))
    for source, table in tables.items():
        if source != main:
            _join(found, source, table, taken)
    return found


def _main_of(tables: Mapping[TableFile, Table], stems: Collection[str], label: str | None) -> TableFile:
    """The table that names most images; with a chosen label the table that has it, unless its rows are those
    of a key in a table that names more images."""

    def rank(source: TableFile) -> tuple[int, int]:
        return _named_images(tables[source], stems), len(tables[source].columns)

    main = max(tables, key=rank)
    labeled = [source for source, table in tables.items() if label in table.columns]
    if not labeled or main in labeled:
        return main
    chosen = max(labeled, key=rank)
    names_less = rank(chosen)[0] < rank(main)[0]
    return main if names_less and _key(tables[main], tables[chosen]) is not None else chosen


def key_of_images(table: Table, stems: Collection[str]) -> tuple[str, int] | None:
    """(column whose texts name most images, different names), if nearly all of its texts or nearly all images
    agree. Numbers such as ages do not name images."""
    best: tuple[str, int] | None = None
    for column in table.columns:
        texts = [text for text in table.cells[column] if not is_missing(text)]
        distinct = set(texts)
        if not may_identify(texts, distinct) or is_quantity(column, distinct):
            continue
        count = len({image_stem(text) for text in distinct} & set(stems))
        agrees = count >= _NAMED * len(distinct) or count >= _NAMED * len(stems)
        if count and agrees and (best is None or count > best[1]):
            best = (column, count)
    return best


def _named_images(table: Table, stems: Collection[str]) -> int:
    key = key_of_images(table, stems) if stems else None
    return 0 if key is None else key[1]


def _read(places: Places, names: Sequence[str], found: Found) -> dict[TableFile, Table]:
    """A file that cannot be read is left out with its reason."""
    tables: dict[TableFile, Table] = {}
    for source in _sources(places, names, found)[:_MOST_TABLES]:
        try:
            layout = Layout(sheet=source.sheet)
            tables[source] = read_table_file(places.file(source.path), None, None, layout)
        except TrainerError as error:
            _leave_out(found, str(source), error)
    files = {source.path: table for source, table in tables.items() if source.sheet is None}
    by_split = _of_splits(files)
    if len(by_split) > 1 and "train" in _by_split(by_split):
        pattern = _pattern_of_splits(next(iter(by_split)))
        parts = [tables.pop(TableFile(name)) for name in by_split]
        found.reasons.append(("files", phrase("recipe_split_tables", count=len(by_split))))
        tables = {TableFile(pattern): stack(parts, name=pattern), **tables}
    return tables


def _sources(places: Places, names: Sequence[str], found: Found) -> list[TableFile]:
    """Files, and the sheets of workbooks that have several."""
    sources: list[TableFile] = []
    for name in names[:_MOST_TABLES]:
        try:
            sheets = sheets_of(places.file(name))
        except TrainerError as error:
            _leave_out(found, name, error)
            continue
        sources += [TableFile(name, sheet) for sheet in sheets] if len(sheets) > 1 else [TableFile(name)]
    return sources


def _leave_out(found: Found, name: str, error: TrainerError) -> None:
    found.reasons.append(("files", phrase("recipe_unreadable", table=name, reason=error.message)))


def _of_splits(tables: Mapping[str, Table]) -> list[str]:
    """Tables of one folder that are named as splits and have the same columns."""
    named = [name for name in tables if _stem(name) in SPLIT_WORDS]
    if not named:
        return []
    first = named[0]
    same = [name for name in named if tables[name].columns == tables[first].columns]
    return [name for name in same if _pattern_of_splits(name) == _pattern_of_splits(first)]


def _by_split(names: Sequence[str]) -> dict[str, str]:
    """Split → the table that is named after it."""
    words = {name: SPLIT_WORDS.get(_stem(name)) for name in names}
    return {split: name for name, split in words.items() if split is not None}


def _is_clear(pattern: str, names: Sequence[str], table: Table) -> bool:
    """Return whether the pattern names tables of splits alone, and adds a column that they do not have."""
    matched = [name for name in names if Pattern(pattern).parse(name) is not None]
    return len(_by_split(matched)) == len(matched) and split_column(table) is None


def _stem(name: str) -> str:
    return Path(name).name.split(".", 1)[0].casefold()


def _pattern_of_splits(name: str) -> str:
    above, _, last = name.rpartition("/")
    return f"{above}/{{split}}.{last.split('.', 1)[1]}" if above else f"{{split}}.{last.split('.', 1)[1]}"


def _join(found: Found, source: TableFile, table: Table, taken: set[str]) -> None:
    main = found.main
    assert main is not None
    if len({*table.columns} & {*main.columns}) >= max(2, _SHARE * len(table.columns)):
        found.reasons.append(("join", phrase("recipe_same_columns", table=str(source))))
        return
    key = _key(main, table)
    if key is None:
        found.reasons.append(("join", phrase("recipe_not_joined", table=str(source))))
        return
    own, other, count = key
    keys = [text for text in table.cells[other] if not is_missing(text)]
    repeats = len({*keys}) < len(keys)
    if repeats and found.several is not None:  # the key would repeat in both tables
        reason = phrase("recipe_second_several", table=str(source), other=found.several.table)
        found.reasons.append(("join", reason))
        return
    file = _file_of(source, taken)
    found.files.append(file)
    found.join.append({"table": file["name"], "on": [own] if own == other else {own: other}, "keep": "all"})
    place = f"join[{len(found.join) - 1}]"
    found.reasons.append((place, phrase("recipe_join", column=other, table=str(source), count=count)))
    if repeats:
        added = [column for column in table.columns if column != other]
        names = tuple(f"{file['name']}.{name}" if name in main.cells else name for name in added)
        found.several = JoinedRows(str(source), own, names)


def _key(main: Table, other: Table) -> tuple[str, str, int] | None:
    """(column of the main table, column of the other one, rows that match). The column identifies the rows of
    one of both; a column with the same name comes first."""
    best: tuple[int, bool, str, str] | None = None
    for column in other.columns:
        texts = [text for text in other.cells[column] if not is_missing(text)]
        distinct = set(texts)
        if not may_identify(texts, distinct) or is_quantity(column, distinct):
            continue
        for own in main.columns:
            mine = [text for text in main.cells[own] if not is_missing(text)]
            if len(distinct) < len(texts) and len({*mine}) < len(mine):
                continue
            count = sum(text in distinct for text in mine)
            same = own.casefold() == column.casefold()
            if count < _SHARE * len(main) or is_quantity(own, set(mine)):
                continue
            if same or may_identify(mine, set(mine)):
                best = max(best or (0, False, "", ""), (count, same, own, column))
    return None if best is None else (best[2], best[3], best[0])


def _file_of(source: TableFile, taken: set[str]) -> dict[str, Any]:
    """A table as an entry of `files`, with a short name."""
    stem = Pattern(source.path).text.rsplit("/", 1)[-1].split(".", 1)[0]
    plain = re.sub(r"\W+", "_", source.sheet or stem).strip("_").lower() or "table"
    name = "cases" if "{" in stem else plain
    while name in taken:
        name += "_2"
    taken.add(name)
    sheet = {} if source.sheet is None else {"sheet": source.sheet}
    return {"name": name, "path": source.path, **sheet}
