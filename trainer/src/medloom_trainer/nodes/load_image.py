"""LoadImage: an image file, or every image file of a folder.

The first bytes of a file determine its kind, not its name. A flat image is one case named after its file. A
NIfTI volume, a DICOM file of several frames and a series of DICOM files are one case each, from which a
training reads several slices (data.slices). Patients come from the tag PatientID of DICOM files, as a
pseudonym.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

from medloom_trainer.cases.case_set import CASE_ID, CaseSet, describe_cases, write_cases
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.outputs import placed_file
from medloom_trainer.cases.preprocessing import chosen_settings
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images import READABLE_KINDS, Scan, divided_series, group_scans, kind_of
from medloom_trainer.data.tables import image_stem, make_table, masks_among
from medloom_trainer.errors import TrainerError
from medloom_trainer.folder_map import service_path
from medloom_trainer.regular_files import open_regular

_KIND_OF_FORMAT = {"DICOM": "DICOM", "NIfTI": "NIfTI", "PNG": "PNG", "JPG": "JPEG"}
_HEAD_BYTES = 4096
_PATIENT = "patient_id"


def run(task: NodeTask) -> Outputs:
    path = task.readable(task.config["path"])
    folder = service_path(path if path.is_dir() else path.parent)
    files = _without_masks(task, _find_files(task, path, task.config["format"]))
    scans = _images_of(task, [_named_as_by_the_service(scan) for scan in group_scans(files)])
    _warn_identity(task, scans)
    columns = {**_name_cases(scans, folder), "image": [scan.cell for scan in scans]}
    if any(scan.patient for scan in scans):
        columns[_PATIENT] = [_pseudonym(scan.patient) for scan in scans]
    cases = CaseSet(
        make_table(folder.name, columns),
        ("image",),
        patient_column=_PATIENT if _PATIENT in columns else None,
        settings=chosen_settings(task),
        join_by=task.config["join_by"],
    )
    content = write_cases(task, cases)
    listing = "".join(f"{service_path(file)}\n" for file, _ in files).encode("utf-8", "surrogateescape")
    blob = task.put_blob(listing, ".txt")
    entry = placed_file("Paths of the images", blob, f"image-paths-{blob['sha256'][:12]}.txt")
    paths = {"content": "files", "kind": "image_paths", "files": [entry]}
    return {
        "images": (content, describe_cases(content)),
        "paths": (paths, phrase("files", count=len(files))),
    }


def _find_files(task: NodeTask, path: Path, format_name: str | None) -> list[tuple[Path, str]]:
    """(file, kind), sorted by path. DATASET_INVALID if there is none of the format."""
    wanted = None if format_name is None else _KIND_OF_FORMAT[format_name]
    candidates = [path] if path.is_file() else list(_walk(path, recursive=task.config["recursive"]))
    found: list[tuple[Path, str]] = []
    others: Counter[str] = Counter()
    for number, file in enumerate(candidates):
        task.progress(phrase("finding_image_files"), number / len(candidates))
        kind = _kind_of_file(task, file)
        if kind in READABLE_KINDS and wanted in (None, kind):
            found.append((file, kind))
        else:
            others[kind or "other"] += 1
    if not found:
        listed = ", ".join(f"{count} {kind}" for kind, count in sorted(others.items())) or phrase("no_files")
        what = phrase("image_of_format", format=format_name) if format_name else phrase("readable_image")
        raise TrainerError(
            "DATASET_INVALID",
            phrase("no_image_of_format", what=what, folder=service_path(path).name, found=listed),
        )
    if others and path.is_dir():
        task.warn("FILES_LEFT_OUT", phrase("other_formats", count=sum(others.values())))
    return found


def _images_of(task: NodeTask, scans: list[Scan]) -> list[Scan]:
    """Leave out DICOM files without an image. DATASET_INVALID if none has one."""
    images = [scan for scan in scans if scan.is_image]
    if not images:
        raise TrainerError("DATASET_INVALID", phrase("no_dicom_image", count=len(scans)))
    localizers = sum(scan.is_localizer for scan in scans)
    if others := len(scans) - len(images) - localizers:
        task.warn("FILES_LEFT_OUT", phrase("dicom_without_image", count=others))
    if localizers:
        task.warn("FILES_LEFT_OUT", phrase("dicom_localizers", count=localizers))
    divided, volumes = divided_series(images)
    if divided:
        task.warn("SERIES_DIVIDED", phrase("series_divided", count=divided, volumes=volumes))
    return images


def _without_masks(task: NodeTask, files: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Leave out masks of other files, which are not cases."""
    masks = masks_among([file.as_posix() for file, _ in files])
    if not masks:
        return files
    folders = ", ".join(sorted({f'"{PurePosixPath(mask).parent.name}"' for mask in masks})[:20])
    task.warn("MASKS_SET_APART", phrase("mask_files_set_apart", count=len(masks), folders=folders))
    return [(file, kind) for file, kind in files if file.as_posix() not in masks]


def _walk(folder: Path, *, recursive: bool) -> Iterator[Path]:
    """Files in the order of their names, without hidden ones and DICOMDIR, which are not images."""
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if recursive and not name.startswith("."))
        yield from (
            Path(base, name) for name in sorted(names) if not name.startswith(".") and name != "DICOMDIR"
        )


def _kind_of_file(task: NodeTask, file: Path) -> str | None:
    real = Path(os.path.realpath(file))
    if not any(real.is_relative_to(os.path.realpath(root)) for root in task.roots):
        return None
    try:
        with open_regular(real) as opened:
            return kind_of(opened.read(_HEAD_BYTES))
    except OSError:
        return None


def _named_as_by_the_service(scan: Scan) -> Scan:
    """Rename to the path of the service: a mounted folder may have another path and name on this machine."""
    path = service_path(scan.name)
    return replace(scan, name=path, cell=f"{path}{scan.cell.removeprefix(str(scan.name))}")


def _name_cases(scans: list[Scan], folder: Path) -> dict[str, list[str]]:
    """The name of each file, or folder of a series, without its suffix; with folders if names repeat."""
    short = [image_stem(scan.name.name) for scan in scans]
    counts = Counter(short)
    ids = [
        name if counts[name] == 1 else _stem_of_path(scan.name, folder)
        for name, scan in zip(short, scans, strict=True)
    ]
    taken = Counter(ids)
    if max(taken.values()) > 1:  # files that only differ in their suffixes, or several series of a folder
        numbers: Counter[str] = Counter()
        for place, name in enumerate(ids):
            if taken[name] > 1:
                numbers[name] += 1
                ids[place] = f"{name}#{numbers[name]}"
    return {CASE_ID: ids}


def _stem_of_path(path: Path, folder: Path) -> str:
    relative = path.relative_to(folder) if path.is_relative_to(folder) else Path(path.name)
    return (relative.parent / image_stem(relative.name)).as_posix()


def _pseudonym(patient: str) -> str:
    """The same pseudonym for the same PatientID; the id itself is not stored."""
    return f"p-{hashlib.sha256(patient.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}" if patient else ""


def _warn_identity(task: NodeTask, scans: list[Scan]) -> None:
    burned = sum(scan.burned_in for scan in scans)
    named = sum(scan.names_person for scan in scans)
    if burned:
        task.warn("BURNED_IN_IDENTITY", phrase("burned_in", count=burned))
    if named:
        task.warn("TAGGED_IDENTITY", phrase("named_persons", count=named))
