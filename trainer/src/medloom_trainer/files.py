"""Files that are complete or absent: written to the folder of the target, flushed and renamed, with the
folder flushed too."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.errors import TrainerError


def write_atomically(target: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let `write` fill a temporary file in the folder of `target`, then rename it to `target`.

    A crash at any moment leaves the old file or the new one. DISK_FULL if there is no room; the old file is
    kept. Other errors of the system name `target`, not the temporary file.
    """
    with full_disk_named(phrase("to_write", file=target.name)), _faults_of(target):
        make_folder(target.parent)
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
            sync_folder(target.parent)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


_needed: set[Path] = set()
_service_folders: dict[Path, Path] = {}


def need_folder(folder: Path) -> None:
    """Once this folder has disappeared, create nothing in it: new files would hide its content when it is
    back."""
    _needed.add(folder)


@contextmanager
def need_service_folders(folders: Mapping[Path, Path]) -> Iterator[None]:
    """Create nothing in the data folder meanwhile if a folder that the service made in it has disappeared.

    folders: folder that the service made → its data folder, which can remain as an empty mount point.
    """
    _service_folders.update(folders)
    try:
        yield
    finally:
        for folder in folders:
            _service_folders.pop(folder, None)


def make_folder(folder: Path) -> None:
    """Create the folder and its parents, but no needed folder that has disappeared.

    RUN_DIRECTORY_MISSING, DATA_FOLDER_MISSING
    """
    for needed in _needed:
        if folder.is_relative_to(needed) and (loss := loss_of(needed)):
            raise loss
    for made, data_folder in _service_folders.items():
        if folder.is_relative_to(data_folder) and not made.is_dir():
            raise TrainerError("DATA_FOLDER_MISSING", phrase("service_folder_missing", folder=made.name))
    folder.mkdir(parents=True, exist_ok=True)


def loss_of(run_dir: Path) -> TrainerError | None:
    """RUN_DIRECTORY_MISSING if a run directory has disappeared, DATA_FOLDER_MISSING if all runs have."""
    if run_dir.is_dir():
        return None
    if run_dir.parent.is_dir():
        return TrainerError("RUN_DIRECTORY_MISSING", phrase("run_folder_deleted", folder=run_dir.name))
    return TrainerError("DATA_FOLDER_MISSING", phrase("runs_folder_deleted"))


def write_json(target: Path, value: Any) -> None:
    """Write `value` as JSON, atomically. NaN and infinity are refused: JSON has neither."""
    write_atomically(target, lambda file: file.write(json_bytes(value)))


def json_bytes(value: Any) -> bytes:
    """A JSON document in its stored form."""
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode("utf-8")


def write_all(descriptor: int, content: bytes) -> None:
    """Write all bytes: a disk that becomes full accepts part of a write without an error."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def is_full(error: BaseException) -> bool:
    """No space, or no quota."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def full_disk_named(what: Phrased) -> Iterator[None]:
    """A full disk is DISK_FULL: "no space left" and `what`, such as "to write result.json"."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise TrainerError("DISK_FULL", join(phrase("no_space_left"), what, mark="space")) from error
        raise


@contextmanager
def _faults_of(target: Path) -> Iterator[None]:
    """Name the target in the error: a write error contains no file, and the name of a temporary one is
    meaningless."""
    try:
        yield
    except OSError as error:
        error.filename = str(target)
        raise


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
