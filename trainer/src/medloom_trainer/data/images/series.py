"""Image files → scans: a flat image, a volume, or a series of DICOM files in the order of their positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import Slice, name_slice


@dataclass(frozen=True)
class Scan:
    """One case."""

    name: Path
    """What it is named after: its file, or the folder of its series."""
    views: tuple[str, ...]
    """Image cells (data/tables/image_cells.py)."""
    patient: str = ""
    """PatientID, never to be written down as it is."""
    burned_in: bool = False
    names_person: bool = False


@dataclass(frozen=True)
class _DicomFile:
    path: Path
    tags: Any
    """None where the file cannot be read."""


def group_scans(files: Sequence[tuple[Path, str]], views: int) -> list[Scan]:
    """(file, kind) → scans, in the order of their first files. A volume has `views` views, or fewer if it
    has fewer slices.
    """
    dicom = {path: _DicomFile(path, _tags_of(path)) for path, kind in files if kind == "DICOM"}
    members: dict[tuple[Path, str], list[_DicomFile]] = {}
    for path, file in dicom.items():
        if file.tags is not None and _frames_of(file.tags) == 1 and _position_of(file.tags) is not None:
            members.setdefault((path.parent, str(file.tags.get("SeriesInstanceUID", ""))), []).append(file)
    series = {key: several for key, several in members.items() if key[1] and len(several) > 1}
    series_of = {file.path: key for key, several in series.items() for file in several}
    scans: list[Scan] = []
    done: set[tuple[Path, str]] = set()
    for path, kind in files:
        key = series_of.get(path)
        if key is None:
            tags = dicom[path].tags if kind == "DICOM" else None
            depth = _frames_of(tags) if tags is not None else views if kind == "NIfTI" else 1
            scans.append(_scan_of_file(path, tags, min(views, depth)))
        elif key not in done:
            done.add(key)
            scans.append(_scan_of_series(path.parent, series[key], views))
    return scans


def _scan_of_file(path: Path, tags: Any, count: int) -> Scan:
    cells = [name_slice(path, view, count) for view in range(1, count + 1)] if count > 1 else [str(path)]
    return Scan(path, tuple(cells), **_identity(tags))


def _scan_of_series(folder: Path, files: Sequence[_DicomFile], views: int) -> Scan:
    ordered = _in_order(files)
    count = min(views, len(ordered))
    chosen = [ordered[Slice(view, count).index(len(ordered))] for view in range(1, count + 1)]
    return Scan(folder, tuple(str(file.path) for file in chosen), **_identity(ordered[0].tags))


def _in_order(files: Sequence[_DicomFile]) -> list[_DicomFile]:
    """By position along the normal of the slices (PS3.3 C.7.6.2.1.1); instance numbers and names are not
    reliable.
    """

    def place(file: _DicomFile) -> tuple[float, str]:
        return float(np.dot(normal, _position_of(file.tags) or (0.0, 0.0, 0.0))), str(file.path)

    axes = _orientation_of(files[0].tags)
    normal = np.cross(axes[:3], axes[3:])
    return sorted(files, key=place)


def _tags_of(path: Path) -> Any:
    from medloom_trainer.data.images.dicom import read_tags  # and with it pydicom, at the first DICOM file

    try:
        tags = read_tags(path.read_bytes())
        for look in (_frames_of, _position_of, _orientation_of, _identity):
            look(tags)  # a damaged tag shows when it is read
    except Exception:  # what is wrong with it is reported where its pixels are read
        return None
    return tags


def _frames_of(tags: Any) -> int:
    return max(1, int(tags.get("NumberOfFrames", 1) or 1))


def _position_of(tags: Any) -> tuple[float, ...] | None:
    position = tags.get("ImagePositionPatient")
    return tuple(float(value) for value in position) if position and len(position) == 3 else None


def _orientation_of(tags: Any) -> npt.NDArray[np.float64]:
    """(6,) direction of rows, then of columns."""
    given = tags.get("ImageOrientationPatient") or (1, 0, 0, 0, 1, 0)
    return np.asarray([float(value) for value in given], dtype=np.float64).reshape(6)


def _identity(tags: Any) -> dict[str, Any]:
    if tags is None:
        return {}
    return {
        "patient": str(tags.get("PatientID", "") or "").strip(),
        "burned_in": str(tags.get("BurnedInAnnotation", "")).upper() == "YES",
        "names_person": any(
            str(tags.get(name, "") or "").strip() for name in ("PatientName", "PatientBirthDate")
        ),
    }
