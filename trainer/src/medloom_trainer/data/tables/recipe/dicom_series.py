"""A table of the DICOM series of a folder: identifiers, modality, side, view, and the cell of the image.
Files without a position in space, such as the views of a mammography, are images of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables.cells import name_series, series_key
from medloom_trainer.data.tables.recipe.places import Places, is_folder_entry
from medloom_trainer.data.tables.table import Table, make_table
from medloom_trainer.errors import TrainerError
from medloom_trainer.regular_files import open_regular
from medloom_trainer.unicode_text import existing_path, plain_text

_COLUMNS = (
    "PatientID", "StudyInstanceUID", "SeriesInstanceUID", "Modality", "Laterality", "ViewPosition",
)  # fmt: skip
_TAGS = [*_COLUMNS, "ImageLaterality", "ImagePositionPatient"]


@dataclass
class _Series:
    values: dict[str, str]
    files: list[str] = field(default_factory=list)
    """Names relative to the folder of the images."""


def list_series(name: str, below: str | None, places: Places) -> Table:
    """A row for each series of each folder, or each file without a position. DATASET_INVALID if there is
    none."""
    start = places.image_root if below is None else existing_path(places.image_root / below)
    start = places.inside(start, below or ".")
    found: dict[tuple[str, str], _Series] = {}
    in_folder: dict[str, set[str]] = {}
    for path in _files(start, places, {start}):
        tags = _read_tags(path)
        if tags is None:
            continue
        folder, uid = str(path.parent), tags["SeriesInstanceUID"]
        relative = plain_text(os.path.relpath(path, os.path.realpath(places.image_root)))
        if not tags["ImagePositionPatient"]:
            uid = f"{uid} {relative}"
        found.setdefault((folder, uid), _Series(tags)).files.append(relative)
        in_folder.setdefault(folder, set()).add(uid)
    if not found:
        message = phrase("no_dicom_series", folder=start.name)
        raise TrainerError("DATASET_INVALID", message, phrase("correct_files_path"))
    series = list(found.items())
    columns = {column: [one.values[column] for _, one in series] for column in _COLUMNS}
    cells = [_cell(one, uid, alone=len(in_folder[folder]) == 1) for (folder, uid), one in series]
    return make_table(name, {**columns, "image": cells})


def _cell(series: _Series, uid: str, *, alone: bool) -> str:
    """The file, or the folder of the series, as an image column names it."""
    if len(series.files) == 1:
        return series.files[0]
    folder = os.path.dirname(series.files[0]) or "."
    return folder if alone else name_series(folder, series_key(uid))


def _files(folder: Path, places: Places, visited: set[Path]) -> Iterator[Path]:
    """The files below a folder, by name. visited: real paths of folders; a link may lead back to one."""
    for entry, name in sorted(places.entries(folder), key=lambda found: found[1]):
        path = places.inside(Path(entry.path), name) if entry.is_symlink() else Path(entry.path)
        if not is_folder_entry(entry):
            yield places.note(path)
        elif path not in visited:
            visited.add(path)
            yield from _files(path, places, visited)


def _read_tags(path: Path) -> dict[str, str] | None:
    """None if it is not a DICOM file of a series."""
    import pydicom

    try:
        with open_regular(path) as file:
            tags: Any = pydicom.dcmread(file, stop_before_pixels=True, specific_tags=_TAGS)
        values = {tag: plain_text(str(tags.get(tag, "") or "")) for tag in _TAGS}
    except Exception:  # other files lie next to the images, and a damaged one raises any error
        return None
    values["Laterality"] = values.pop("ImageLaterality") or values["Laterality"]
    return values if values["SeriesInstanceUID"] else None
