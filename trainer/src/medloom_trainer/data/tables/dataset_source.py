"""The rows of a data set, wherever they lie: in one CSV; in a folder with the CSVs train, val and test, or
with one CSV; or in a folder of images per class.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from medloom_trainer.data.splits.divide import SPLIT_WORDS, split_name
from medloom_trainer.data.tables.class_folders import class_files, tables_in
from medloom_trainer.data.tables.formats.csv_reader import Table, read_csv
from medloom_trainer.data.tables.roles import SPLIT_NAMES
from medloom_trainer.data.tables.table_ops import make_table, stack, with_columns
from medloom_trainer.errors import TrainerError

SPLITS = ("train", "val", "test")


def read_source(path: Path, split: str) -> Table:
    """One table of all rows, or of as many files as it takes to find those of `split`. Where several sources
    meet, a column `split` says where a row is from.
    """
    if path.is_file():
        table = read_csv(path)
        own = SPLIT_WORDS.get(path.stem.casefold())
        column = split_column(table)
        words = {split_name(text) for text in table.cells[column]} if column is not None else set()
        if split == "all" or split in words or own is None:
            return table
        if own == split:
            return with_split(table, own)
        path = path.parent
    table_of_folder = read_folder(path)
    return read_class_folders(path) if table_of_folder is None else table_of_folder


def read_folder(folder: Path) -> Table | None:
    """The CSVs named as splits, as one table; else the one CSV. None: the folder holds images per class.

    DATASET_INVALID when it cannot be told which of several CSVs is meant.
    """
    tables = tables_in(folder)
    found: dict[str, Path] = {}
    for file in tables:
        name = SPLIT_WORDS.get(file.stem.casefold())
        if name is not None and name in found:
            message = f"{folder.name}: both {found[name].name} and {file.name} are named as the {name} split"
            raise TrainerError("DATASET_INVALID", message, "Move or rename one of them.")
        if name is not None:
            found[name] = file
    if found:
        parts = [with_split(read_csv(found[name]), name) for name in SPLITS if name in found]
        files = tuple((part.name, part.lines) for part in parts)
        return replace(stack(parts, name=folder.name), files=files)
    if not tables or has_classes(folder):
        return None
    if len(tables) > 1:
        names = ", ".join(table.name for table in tables[:10])
        more = f" and {len(tables) - 10} more" if len(tables) > 10 else ""
        message = f"{folder.name} holds several tables, none of which is named as a split: {names}{more}"
        hint = "Name one of them instead of the folder, or call them train.csv, val.csv and test.csv."
        raise TrainerError("DATASET_INVALID", message, hint)
    return read_csv(tables[0])


def has_classes(folder: Path) -> bool:
    """One sub-folder with images beside a table holds the images of that table; several are classes."""
    try:
        return len({name for _, name, _ in class_files(folder)}) > 1
    except TrainerError:
        return False


def with_split(table: Table, name: str) -> Table:
    """Rows are of this split, but for those that say themselves that they are of another."""
    column = split_column(table) or "split"
    words = [split_name(text) for text in table.cells.get(column, [""] * len(table))]
    return with_columns(table, {**table.cells, column: [word if word in SPLITS else name for word in words]})


def split_column(table: Table) -> str | None:
    return next((column for column in table.columns if column.casefold() in SPLIT_NAMES), None)


def read_class_folders(folder: Path) -> Table:
    """DATASET_INVALID when no sub-folder has images."""
    rows = class_files(folder)
    names = [file.relative_to(folder).as_posix() for _, _, file in rows]
    columns = {
        "case_id": [name.rsplit(".", 1)[0] for name in names],
        "image": names,
        "label": [label for _, label, _ in rows],
    }
    if any(split for split, _, _ in rows):
        columns["split"] = [split for split, _, _ in rows]
    return make_table(folder.name, columns)
