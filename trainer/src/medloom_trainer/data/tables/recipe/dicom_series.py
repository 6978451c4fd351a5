"""A table of the DICOM images of a folder: identifiers, modality, side, view, and the cell of the image.
Volumes are those of LoadImage. Files without a position in space, such as the views of a mammography, are
images of their own; files that are not images are counted."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.tables.recipe.places import Places, is_folder_entry
from medloom_trainer.data.tables.table import Table, make_table
from medloom_trainer.errors import TrainerError
from medloom_trainer.regular_files import open_regular
from medloom_trainer.unicode_text import existing_path, plain_text
from medloom_trainer.warnings import warning

_COLUMNS = (
    "PatientID", "StudyInstanceUID", "SeriesInstanceUID", "Modality", "Laterality", "ViewPosition",
    "SeriesDescription", "EchoTime", "AcquisitionNumber",
)  # fmt: skip
_HEAD_BYTES = 4096


def list_series(name: str, below: str | None, places: Places) -> Table:
    """A row for each volume, or each file without a position. The files that are not rows are counted in
    `places`. DATASET_INVALID if there is none."""
    start = places.image_root if below is None else existing_path(places.image_root / below)
    start = places.inside(start, below or ".")
    files = list(_files(start, places, {start}))
    dicom = [(path, "DICOM") for path in files if _is_dicom(path)]
    scans = _images("series").group_scans(dicom)
    rows = [scan for scan in scans if scan.is_image and scan.values]
    if not rows:
        message = phrase("no_dicom_series", folder=start.name)
        raise TrainerError("DATASET_INVALID", message, phrase("correct_files_path"))
    divided, volumes = _images("series").divided_series(rows)
    places.left_out[name] = {
        "damaged": sum(scan.is_image and not scan.values for scan in scans),
        "without_image": sum(not scan.is_image and not scan.is_localizer for scan in scans),
        "localizers": sum(scan.is_localizer for scan in scans),
        "other_files": len(files) - len(dicom),
        "divided": divided,
    }
    root = os.path.realpath(places.image_root)
    columns = {column: [_text(scan.values, column) for scan in rows] for column in _COLUMNS}
    table = make_table(name, {**columns, "image": [_cell(scan, root) for scan in rows]})
    if divided:
        message = phrase("series_divided", count=divided, volumes=volumes)
        table.warnings.append(warning("SERIES_DIVIDED", message))
    return table


def describe_left_out(counts: Mapping[str, int]) -> Phrased:
    """counts: of `list_series`."""
    return phrase("step_dicom", **counts)


def _images(module: str) -> Any:
    """A module of the readers of images, which import those of tables."""
    return importlib.import_module(f"medloom_trainer.data.images.{module}")


def _is_dicom(path: Path) -> bool:
    try:
        with open_regular(path) as file:
            return bool(_images("decoders").kind_of(file.read(_HEAD_BYTES)) == "DICOM")
    except OSError:
        return False


def _text(values: Mapping[str, str], column: str) -> str:
    if column == "Laterality":
        return plain_text(values["ImageLaterality"] or values[column])
    return plain_text(values[column])


def _cell(scan: Any, root: str) -> str:
    """The file, or the folder of the series, as an image column names it."""
    series = scan.cell.removeprefix(str(scan.name))
    return f"{plain_text(os.path.relpath(scan.name, root))}{series}"


def _files(folder: Path, places: Places, visited: set[Path]) -> Iterator[Path]:
    """The files below a folder, by name. visited: real paths of folders; a link may lead back to one."""
    entries: Sequence[tuple[os.DirEntry[str], str]] = places.entries(folder)
    for entry, name in sorted(entries, key=lambda found: found[1]):
        path = places.inside(Path(entry.path), name) if entry.is_symlink() else Path(entry.path)
        if not is_folder_entry(entry):
            if name != "DICOMDIR":
                yield places.note(path)
        elif path not in visited:
            visited.add(path)
            yield from _files(path, places, visited)
