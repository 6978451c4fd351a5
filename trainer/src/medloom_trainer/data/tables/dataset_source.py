"""The rows of a dataset from any source: one CSV; a folder with the CSVs train, val and test, or with one
CSV; or a folder with one folder of images for each class.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from medloom_trainer.contract.phrases import listing, phrase
from medloom_trainer.data.tables.cells import PresentText, image_stem
from medloom_trainer.data.tables.class_folders import class_files, name_of
from medloom_trainer.data.tables.column_names import (
    SPLIT_WORDS,
    SPLITS,
    split_column,
    split_name,
    split_words,
)
from medloom_trainer.data.tables.folder_doubts import doubts_about
from medloom_trainer.data.tables.table import Table, make_table, stack, with_columns
from medloom_trainer.data.tables.table_files import read_csv
from medloom_trainer.errors import TrainerError


def read_source(path: Path, split: str) -> Table:
    """One table of all rows, or of the files needed to find those of `split`. If several files are read, a
    column `split` contains the split of each row.
    """
    if path.is_file():
        table = read_csv(path)
        own = SPLIT_WORDS.get(path.stem.casefold())
        words = split_words(table, split_column(table)) or []
        if split == "all" or split in words or own is None:
            return table
        if own == split:
            return _with_split(table, own)
        path = path.parent
    table_of_folder = read_folder(path)
    return _read_class_folders(path) if table_of_folder is None else table_of_folder


def read_folder(folder: Path) -> Table | None:
    """The CSVs named after splits, as one table; else the only CSV. None: the folder contains images by
    class.

    DATASET_INVALID if it is ambiguous which of several CSVs is meant.
    """
    tables = tables_in(folder)
    named = _named_as_splits(tables, folder)
    if named:
        parts = [_with_split(read_csv(named[split]), split) for split in SPLITS if split in named]
        return stack(parts, name=name_of(folder))
    if not tables or (_has_classes(folder) and not any(_names_images(table, folder) for table in tables)):
        return None
    if len(tables) > 1:
        names = listing([table.name for table in tables], 10)
        message = phrase("several_tables", folder=name_of(folder), tables=names)
        raise TrainerError("DATASET_INVALID", message, phrase("adopt_folder"))
    return read_csv(tables[0])


def _named_as_splits(tables: Sequence[Path], folder: Path) -> dict[str, Path]:
    """Split → the file with its name."""
    named: dict[str, Path] = {}
    for file in tables:
        split = SPLIT_WORDS.get(file.stem.casefold())
        if split is None:
            continue
        if split in named:
            both = {"first": named[split].name, "second": file.name}
            message = phrase("two_tables_of_split", folder=name_of(folder), split=split, **both)
            raise TrainerError("DATASET_INVALID", message, phrase("move_one"))
        named[split] = file
    return named


def _with_split(table: Table, name: str) -> Table:
    """Rows belong to this split unless their own split column names another."""
    column = split_column(table) or "split"
    words = [split_name(text) for text in table.cells.get(column, [""] * len(table))]
    return with_columns(table, {**table.cells, column: [word if word in SPLITS else name for word in words]})


def _read_class_folders(folder: Path) -> Table:
    """DATASET_INVALID if no subfolder has images, or if it is in doubt that the subfolders are classes."""
    rows = class_files(folder)
    for message, remedy in doubts_about(folder, rows):
        raise TrainerError("DATASET_INVALID", message, remedy)
    names = [file.relative_to(folder).as_posix() for _, _, file in rows]
    columns: dict[str, Sequence[str]] = {
        "case_id": [name.rsplit(".", 1)[0] for name in names],
        "image": names,
        "label": [PresentText(label) for _, label, _ in rows],
    }
    if any(split for split, _, _ in rows):
        columns["split"] = [split for split, _, _ in rows]
    return make_table(name_of(folder), columns)


def _has_classes(folder: Path) -> bool:
    """One subfolder with images next to a table contains the images of that table; several are classes."""
    try:
        return len({name for _, name, _ in class_files(folder)}) > 1
    except TrainerError:
        return False


def _names_images(table: Path, folder: Path) -> bool:
    """Return whether a column of the table names most images of the subfolders, with or without their
    suffix: the folders are then not classes."""
    names = {image_stem(file.name) for _, _, file in class_files(folder)}
    try:
        cells = read_csv(table).cells
    except TrainerError:  # reported where the table is read
        return False
    return any(
        len(names & {image_stem(text) for text in dict.fromkeys(texts)}) > len(names) / 2
        for texts in cells.values()
    )


def tables_in(folder: Path) -> list[Path]:
    """The CSV files of a folder, without hidden ones."""
    return sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() == ".csv" and not file.name.startswith(".") and file.is_file()
    )
