"""Image files → scans: a flat image, a volume, or a series of DICOM files in the order of their positions.

A series consists of the files of one folder with one SeriesInstanceUID and positions in space. It is divided
into volumes if slices have several sizes or orientations, or if several files have the same position (time
points, phases, echoes). A localizer, which plans the acquisition of a volume, is not a volume. If a folder
contains only one volume, the folder names it; one of several is named by a digest.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import NoImage, UnreadableImage
from medloom_trainer.data.images.decoders import kind_of
from medloom_trainer.data.images.slice_positions import count_repeated, places_along, refuse_gaps
from medloom_trainer.data.tables import name_series, series_key
from medloom_trainer.regular_files import read_regular


@dataclass(frozen=True)
class Scan:
    """One case."""

    name: Path
    """File, or folder of the series, that gives it its name."""
    cell: str
    """Cell of an image column (data/tables/cells.py): `name`, and the series if a folder has several."""
    patient: str = ""
    """PatientID, which is never stored unchanged."""
    burned_in: bool = False
    names_person: bool = False
    is_image: bool = True
    """False for a report, a plan or a segmentation, and for a picture of the screen or a localizer next to a
    volume."""
    is_localizer: bool = False
    is_damaged: bool = False
    """A DICOM file whose tags or pixels are incomplete."""
    series: str = ""
    """The series of a volume, which may be divided into several; empty for a file."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Tags of the first file, by name (`TAGS`)."""


@dataclass(frozen=True)
class _DicomFile:
    path: Path
    tags: Any
    """None if the file cannot be read, or is not a DICOM file with an image."""
    is_damaged: bool = False
    is_other: bool = False
    """A DICOM file without an image, such as a report."""
    values: Mapping[str, str] = field(default_factory=dict)
    """Texts of `TAGS`."""

    @property
    def is_localizer(self) -> bool:
        """The file is marked as a localizer."""
        return "LOCALIZER" in self.values["ImageType"]


def divided_series(scans: Sequence[Scan]) -> tuple[int, int]:
    """(number of series that were divided into several volumes, number of these volumes)."""
    volumes = Counter(scan.series for scan in scans if scan.series and scan.is_image)
    several = [count for count in volumes.values() if count > 1]
    return len(several), sum(several)


def group_scans(files: Sequence[tuple[Path, str]]) -> list[Scan]:
    """(file, kind) → scans, in the order of their first files."""
    dicom = {path: _read_file(path) for path, kind in files if kind == "DICOM"}
    everything = _series_of_folders(list(dicom.values()))
    in_folder = {folder: _volumes_of_folder(found) for folder, found in everything.items()}
    localizers = {
        file.path
        for folder, found in everything.items()
        for name, several in found.items()
        if name not in in_folder[folder]
        for file in several
    }
    series_of = {
        file.path: (folder, uid)
        for folder, found in in_folder.items()
        for uid, several in found.items()
        for file in several
        if len(several) > 1
    }
    scans: list[Scan] = []
    done: set[tuple[Path, str]] = set()
    for path, _ in files:
        key, file = series_of.get(path), dicom.get(path)
        if path in localizers:
            scans.append(Scan(path, str(path), is_image=False, is_localizer=True))
        elif file is not None and (file.is_other or _is_capture(file, in_folder, series_of)):
            scans.append(Scan(path, str(path), is_image=False))
        elif key is None:
            scans.append(Scan(path, str(path)) if file is None else _scan_of(file, path, str(path)))
        elif key not in done:
            done.add(key)
            folder, uid = key
            alone = len(in_folder[folder]) == 1
            cell = str(folder) if alone else name_series(folder, series_key(uid))
            first = in_folder[folder][uid][0]
            series = f"{folder} {first.values['SeriesInstanceUID']}"
            scans.append(replace(_scan_of(first, folder, cell), series=series))
    return scans


def _scan_of(file: _DicomFile, name: Path, cell: str) -> Scan:
    return Scan(name, cell, **_identity(file.tags), is_damaged=file.is_damaged, values=file.values)


def series_files(folder: Path) -> list[Path]:
    """The files of a folder that may belong to a series, by name; links out of the folder are not read."""
    real = os.path.realpath(folder)
    files = [
        Path(entry.path) for entry in os.scandir(folder) if not entry.name.startswith(".") and entry.is_file()
    ]
    return sorted(file for file in files if Path(os.path.realpath(file)).is_relative_to(real))


def read_series(folder: Path, key: str | None) -> tuple[bytes, ...]:
    """The files of one series of a folder, in order. key: one of several series; UnreadableImage if the
    series is ambiguous or missing.
    """
    contents = {path: read_regular(path) for path in series_files(folder)}
    files = [_read_content(path, content) for path, content in contents.items()]
    if damaged := sum(file.is_damaged for file in files):
        raise UnreadableImage(phrase("image_series_damaged", count=damaged))
    found = _series_of_folders(files).get(folder, {})
    chosen = [several for uid, several in found.items() if key in (None, series_key(uid))]
    if not chosen:
        raise UnreadableImage(phrase("image_no_series"))
    volumes = _without_localizers(chosen)
    if len(volumes) > 1:
        raise UnreadableImage(phrase("image_several_volumes", number=str(len(volumes))))
    if repeated := _repeated_positions(volumes[0]):
        raise UnreadableImage(phrase("image_repeated_positions", count=repeated))
    places = _places_of(volumes[0])
    order = sorted(range(len(places)), key=lambda file: (places[file], str(volumes[0][file].path)))
    refuse_gaps([places[file] for file in order])
    return tuple(contents[volumes[0][file].path] for file in order)


def _volumes_of_folder(found: Mapping[str, list[_DicomFile]]) -> dict[str, list[_DicomFile]]:
    """The volumes of a folder without localizers, which belong to the series or the study of another one."""
    by_series: dict[str, list[list[_DicomFile]]] = {}
    for files in found.values():
        by_series.setdefault(files[0].values["SeriesInstanceUID"], []).append(files)
    kept = [volume for volumes in by_series.values() for volume in _without_localizers(volumes)]
    studies = {
        files[0].values["StudyInstanceUID"]
        for files in kept
        if len(files) > _MOST_LOCALIZERS and not files[0].is_localizer
    }
    return {
        name: files
        for name, files in found.items()
        if any(files is one for one in kept)
        and not (files[0].is_localizer and files[0].values["StudyInstanceUID"] in studies)
    }


def _without_localizers(volumes: Sequence[list[_DicomFile]]) -> list[list[_DicomFile]]:
    """Leave out a few slices in another orientation than the largest volume, and those that are marked as
    localizers next to one that is not: they plan the acquisition."""
    largest = max(volumes, key=lambda files: (not files[0].is_localizer, len(files)))
    direction = _direction_of(largest[0].tags)
    return [
        files
        for files in volumes
        if files is largest
        or not _plans(files, direction, len(largest), next_to_image=not largest[0].is_localizer)
    ]


def _plans(files: Sequence[_DicomFile], direction: list[float], size: int, *, next_to_image: bool) -> bool:
    """Return whether slices plan a volume of this direction and number of slices."""
    if files[0].is_localizer and next_to_image:
        return True
    few = len(files) <= _MOST_LOCALIZERS and 3 * len(files) <= size
    return few and _direction_of(files[0].tags) != direction


def _series_of_folders(files: Sequence[_DicomFile]) -> dict[Path, dict[str, list[_DicomFile]]]:
    """Folder → name of a volume → its slices. A series with one geometry and one file at each position is one
    volume, named by its SeriesInstanceUID."""
    found: dict[Path, dict[str, list[_DicomFile]]] = {}
    for file in files:
        if file.tags is not None and _frames_of(file.tags) == 1 and _position_of(file.tags) is not None:
            uid = file.values["SeriesInstanceUID"]
            if uid:
                found.setdefault(file.path.parent, {}).setdefault(uid, []).append(file)
    return {
        folder: {
            name: volume
            for uid, several in of_uid.items()
            for name, volume in _volumes_of(uid, several).items()
        }
        for folder, of_uid in found.items()
    }


def _volumes_of(uid: str, files: list[_DicomFile]) -> dict[str, list[_DicomFile]]:
    """Name → the files of one volume of a series, divided by size and orientation, and by the first tag that
    leaves one file at each position: time points, phases and echoes often share a series."""
    by_plane: dict[str, list[_DicomFile]] = {}
    for file in files:
        by_plane.setdefault(_plane_of(file.tags), []).append(file)
    volumes: dict[str, list[_DicomFile]] = {}
    for plane, several in by_plane.items():
        name = uid if len(by_plane) == 1 else f"{uid} {plane}"
        volumes |= {f"{name}{part}": part_files for part, part_files in _parts_of(several).items()}
    return volumes


def _parts_of(files: list[_DicomFile]) -> dict[str, list[_DicomFile]]:
    if _has_distinct_positions(files):
        return {"": files}
    for tag in _TAGS_OF_PARTS:
        parts: dict[str, list[_DicomFile]] = {}
        for file in files:
            parts.setdefault(f" {tag}={file.tags.get(tag)}", []).append(file)
        if len(parts) > 1 and all(map(_has_distinct_positions, parts.values())):
            return parts
    return {"": files}


def _has_distinct_positions(files: Sequence[_DicomFile]) -> bool:
    return _repeated_positions(files) == 0


def _repeated_positions(files: Sequence[_DicomFile]) -> int:
    """Number of files at the position of another one."""
    return count_repeated(_positions_of(files), _orientation_of(files[0].tags))


def _places_of(files: Sequence[_DicomFile]) -> list[float]:
    """Positions along the normal of the slices, since instance numbers and names are not reliable."""
    places: list[float] = places_along(_positions_of(files), _orientation_of(files[0].tags)).tolist()
    return places


def _positions_of(files: Sequence[_DicomFile]) -> npt.NDArray[np.float64]:
    """(N, 3) in mm"""
    return np.asarray([_position_of(file.tags) or (0.0, 0.0, 0.0) for file in files], dtype=np.float64)


def _plane_of(tags: Any) -> str:
    """Size and orientation of a slice."""
    return f"{tags.get('Rows')}x{tags.get('Columns')} {_direction_of(tags)}"


def _direction_of(tags: Any) -> list[float]:
    return [float(value) for value in np.round(_orientation_of(tags), 2) + 0.0]


TAGS = (
    "PatientID", "StudyInstanceUID", "SeriesInstanceUID", "Modality", "Laterality", "ImageLaterality",
    "ViewPosition", "SeriesDescription", "EchoTime", "AcquisitionNumber",
)  # fmt: skip
"""Tags by which people recognize an image."""
_TAGS_OF_PARTS = (
    "TemporalPositionIdentifier", "AcquisitionNumber", "EchoTime", "EchoNumbers", "InversionTime",
    "DiffusionBValue", "TriggerTime", "ImageType", "AcquisitionTime", "ContentTime",
)  # fmt: skip
"""Tags that differ between the time points, phases or echoes of a series."""
_SECONDARY_CAPTURE = "1.2.840.10008.5.1.4.1.1.7"
_MOST_LOCALIZERS = 3


def _is_capture(
    file: _DicomFile,
    in_folder: Mapping[Path, Mapping[str, Sequence[_DicomFile]]],
    series_of: Mapping[Path, tuple[Path, str]],
) -> bool:
    """Return whether a file is a picture of the screen, such as a dose report, next to a volume."""
    if file.tags is None or file.path in series_of or file.values["SOPClassUID"] != _SECONDARY_CAPTURE:
        return False
    volumes = in_folder.get(file.path.parent, {}).values()
    return any(len(slices) > _MOST_LOCALIZERS for slices in volumes)


def _read_file(path: Path) -> _DicomFile:
    try:
        return _read_content(path, read_regular(path))
    except OSError:
        return _DicomFile(path, None, is_damaged=True)


def _read_content(path: Path, content: bytes) -> _DicomFile:
    """A problem is reported where the pixels of the file are read."""
    if kind_of(content) != "DICOM":
        return _DicomFile(path, None)
    from medloom_trainer.data.images.dicom import read_tags  # imports pydicom at the first DICOM file

    try:
        tags = read_tags(content)
        for look in (_frames_of, _position_of, _orientation_of, _identity):
            look(tags)  # a damaged tag raises an error when it is read
        values = {name: _text_of(tags, name) for name in (*TAGS, "SOPClassUID", "ImageType")}
    except NoImage:
        return _DicomFile(path, None, is_other=True)
    except Exception:
        return _DicomFile(path, None, is_damaged=True)
    return _DicomFile(path, tags, values=values)


def _text_of(tags: Any, name: str) -> str:
    return str("" if (value := tags.get(name)) is None else value).strip()


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
