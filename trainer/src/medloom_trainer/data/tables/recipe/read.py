"""Step "read": each source of a recipe → a table whose rows know their file and row."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.dataset_source import read_source
from medloom_trainer.data.tables.masks import without_masks
from medloom_trainer.data.tables.numbers import with_decimal_point
from medloom_trainer.data.tables.recipe.dicom_series import list_series
from medloom_trainer.data.tables.recipe.patterns import Pattern
from medloom_trainer.data.tables.recipe.places import Found, Places, is_folder_entry
from medloom_trainer.data.tables.table import Table, make_table, stack, with_columns
from medloom_trainer.data.tables.table_files import TABLE_SUFFIXES, Layout, read_table_file
from medloom_trainer.errors import TrainerError

IMAGE = "image"
"""Column of the files in a table of the files of a folder."""
_THE_SOURCE: Mapping[str, Any] = {"name": "table"}


def read_tables(recipe: Mapping[str, Any], places: Places) -> dict[str, Table]:
    """Name → table; the main table comes first."""
    first, others = _main_file(recipe, places), recipe.get("files", ())[1:]
    keeps = places.of_new_cases and not _needs_every_row(recipe)
    main = _read(first, places, keep_malformed=keeps).with_origin()
    return {first["name"]: main, **{file["name"]: _read(file, places).with_origin() for file in others}}


def _needs_every_row(recipe: Mapping[str, Any]) -> bool:
    """Return whether a row without values could not be kept as a separate case."""
    joins = recipe.get("join", ())
    return "rows" in recipe or "views" in recipe or any(join["keep"] != "all" for join in joins)


def main_table(recipe: Mapping[str, Any], places: Places) -> Table:
    """The main table as its file has it, with the origin of its rows."""
    return _read(_main_file(recipe, places), places).with_origin()


def with_decimal_points(recipe: Mapping[str, Any], tables: Mapping[str, Table]) -> dict[str, Table]:
    """The tables whose decimal mark is declared, with decimal points. Codes for missing values are those of
    the file, so they are cleared before."""
    declared = {file["name"]: file["decimal"] for file in recipe.get("files", ()) if "decimal" in file}
    return {
        name: with_columns(
            table,
            {column: with_decimal_point(texts, declared[name]) for column, texts in table.cells.items()},
        )
        if name in declared
        else table
        for name, table in tables.items()
    }


def _main_file(recipe: Mapping[str, Any], places: Places) -> Mapping[str, Any]:
    """How the main table is read. A source that is a file is itself the main table, so that the recipe of a
    training also reads the table of another split. DATASET_INVALID if a file cannot be the main table."""
    first: Mapping[str, Any] = (recipe.get("files") or [_THE_SOURCE])[0]
    if places.source.is_dir():
        return first
    if "pattern" in first or first.get("dicom") or Pattern(first.get("path", "")).is_open:
        message = phrase("main_table_needs_folder", table=first["name"], file=places.source.name)
        remedy = phrase("select_folder_or_file")
        raise TrainerError("DATASET_INVALID", message, remedy)
    return {key: value for key, value in first.items() if key != "path"}


def lists_images(recipe: Mapping[str, Any], places: Places) -> bool:
    """Return whether the main table is made of images, so that it has a column of them."""
    first = _main_file(recipe, places)
    return "pattern" in first or bool(first.get("dicom")) or _is_archive(first, places.source)


def _is_archive(file: Mapping[str, Any], source: Path) -> bool:
    name: str = file.get("path", source.name)
    return name.endswith(".npz") and file.get("format", "MedMNIST") == "MedMNIST"


def _read(file: Mapping[str, Any], places: Places, *, keep_malformed: bool = False) -> Table:
    if "pattern" in file:
        return _files_of_folder(file["name"], Pattern(file["pattern"]), places)
    if file.get("dicom"):
        return list_series(file["name"], file.get("path"), places)
    if "path" not in file:
        return _read_source(file, places, keep_malformed=keep_malformed)
    pattern = Pattern(file["path"])
    if not pattern.is_open:
        return _read_file(places.file(file["path"]), file, places, keep_malformed=keep_malformed)
    return _stacked(file, pattern, places)


def _read_source(file: Mapping[str, Any], places: Places, *, keep_malformed: bool) -> Table:
    source = places.source
    if source.is_dir():
        _note_folder(places)
        return read_source(source, "all")
    return _read_file(places.note(source), file, places, keep_malformed=keep_malformed)


def _note_folder(places: Places) -> None:
    """The folder, its tables and its subfolders, of which one for each class is a dataset."""
    for entry, name in places.entries(places.source):
        if is_folder_entry(entry):
            for inner, _ in places.entries(Path(entry.path)):
                if is_folder_entry(inner):
                    places.note(Path(inner.path))
        elif name.lower().endswith(TABLE_SUFFIXES):
            places.note(Path(entry.path))


def _read_file(path: Path, file: Mapping[str, Any], places: Places, *, keep_malformed: bool = False) -> Table:
    layout = Layout(
        file.get("sheet"),
        file.get("header_row"),
        file.get("comment"),
        file.get("skip", 0),
    )
    table = read_table_file(
        path, file.get("format"), file.get("encoding"), layout, keep_malformed=keep_malformed
    )
    above = os.path.relpath(os.path.realpath(path.parent), os.path.realpath(places.image_root))
    if above == "." or not _is_archive(file, path):
        return table
    images = [f"{above}/{cell}" for cell in table.cells[IMAGE]]  # the cells name the archive
    return with_columns(table, table.cells | {IMAGE: images})


def _stacked(file: Mapping[str, Any], pattern: Pattern, places: Places) -> Table:
    """Every file that matches, one below the other, with a column for each placeholder."""
    found = places.files(places.folder, pattern)
    if not found:
        raise nothing_matches(file["name"], pattern, places.folder)
    parts = []
    for match in found:
        table = replace(_read_file(places.note(match.path), file, places), name=match.name)
        if taken := [name for name in pattern.names if name in table.cells]:
            message = phrase("path_defines_column", file=match.name, column=taken[0][:80])
            raise TrainerError("DATASET_INVALID", message, phrase("other_placeholder_name", any="{_}"))
        constant = {name: [value] * len(table) for name, value in match.values.items()}
        parts.append(with_columns(table, table.cells | constant))
    return stack(parts, name=file["name"])


def _files_of_folder(name: str, pattern: Pattern, places: Places) -> Table:
    found = _without_masks(places.files(places.image_root, pattern))
    if not found:
        raise nothing_matches(name, pattern, places.image_root)
    return make_table(name, columns_of(found, pattern))


def _without_masks(found: Sequence[Found]) -> list[Found]:
    """The files without masks of other files among them: `a.png`, not `a_mask.png`. A pattern of masks alone
    lists them."""
    names: dict[str, list[str]] = {}
    for match in found:
        above, _, last = match.name.rpartition("/")
        names.setdefault(above, []).append(last)
    kept = {f"{above}/{name}" for above, several in names.items() for name in without_masks(several)}
    return [match for match in found if "/".join(match.name.rpartition("/")[::2]) in kept]


def columns_of(found: Sequence[Found], pattern: Pattern) -> dict[str, list[str]]:
    """Placeholders and files as columns."""
    columns = {column: [match.values[column] for match in found] for column in pattern.names}
    return {**columns, IMAGE: [match.name for match in found]}


def nothing_matches(name: str, pattern: Pattern, folder: Path) -> TrainerError:
    message = phrase("pattern_matches_no_file", pattern=pattern.text, table=name, folder=folder.name)
    return TrainerError("DATASET_INVALID", message, phrase("correct_pattern_or_folder"))
