"""A folder with one sub-folder of images per class, alone or inside train, val and test, as a table."""

from __future__ import annotations

from pathlib import Path

from medloom_trainer.data.tables.image_cells import IMAGE_SUFFIXES
from medloom_trainer.data.tables.split_names import SPLIT_WORDS, split_name
from medloom_trainer.data.tables.table import Table
from medloom_trainer.data.tables.table_ops import make_table
from medloom_trainer.errors import TrainerError


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


def class_files(folder: Path) -> list[tuple[str, str, Path]]:
    """(split, class, file) of every image in a sub-folder per class; split "" where train, val and test do
    not divide them. DATASET_INVALID when there is none.
    """
    divided = [child for child in _subfolders(folder) if child.name.casefold() in SPLIT_WORDS]
    files = [
        (split, child.name, file)
        for split, place in [(split_name(child.name), child) for child in divided] or [("", folder)]
        for child in _subfolders(place)
        for file in _image_files(child)
    ]
    if not files:
        message = f"{folder.name} holds neither a table (train.csv, val.csv, test.csv, or one CSV) nor images"
        raise TrainerError("DATASET_INVALID", f"{message} in a folder per class")
    return files


def has_classes(folder: Path) -> bool:
    """One sub-folder with images beside a table holds the images of that table; several are classes."""
    try:
        return len({name for _, name, _ in class_files(folder)}) > 1
    except TrainerError:
        return False


def tables_in(folder: Path) -> list[Path]:
    """The CSV files of a folder, hidden ones left out."""
    return sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() == ".csv" and not file.name.startswith(".") and file.is_file()
    )


def _subfolders(folder: Path) -> list[Path]:
    return sorted(child for child in folder.iterdir() if child.is_dir() and not child.name.startswith("."))


def _image_files(folder: Path) -> list[Path]:
    return sorted(
        file for file in folder.iterdir() if file.name.lower().endswith(IMAGE_SUFFIXES) and file.is_file()
    )
