"""Any exception → a code of the catalog and a text without patient values and folders of the machine."""

from __future__ import annotations

import errno
import os
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from medloom_trainer.contract.codes import ErrorCode
from medloom_trainer.contract.phrases import join
from medloom_trainer.errors import TrainerError, catalog, system_faults

_OUT_OF_MEMORY_TEXTS = ("out of memory", "not enough memory", "can't allocate memory")


@dataclass(frozen=True)
class Failure:
    """Error of a job as the contract describes it."""

    code: str
    message: str
    details: str
    trace: str | None
    """Location of the error; None if no code has to be read to correct it."""
    file: str | None = None
    """Absolute path of the file that the machine refused; `placed` and the service convert it to a
    description."""


def failure_of(error: BaseException) -> Failure:
    """A TrainerError has its own message. The message of any other exception may quote a cell of a table, so
    only its type and location are kept.
    """
    if isinstance(error, TrainerError):
        return Failure(error.code, error.message, error.details, error.trace)
    code = _code_of(error)
    entry = catalog()[code]
    message = f"{str(entry['meaning']).rstrip('.')} ({_name_of(error)})"
    return Failure(code, message, str(entry["remedy"]), _trace(error), _file_of(error))


def placed(failure: Failure, folders: Mapping[Path, str]) -> Failure:
    """Add the file to the message, as a path in the nearest of these folders. Other files are not named.

    folders: path → its name in messages, such as "the run directory".
    """
    if failure.file is None:
        return failure
    file = Path(failure.file)
    around = [folder for folder in folders if file.is_relative_to(folder)]
    if not around:
        return replace(failure, file=None)
    nearest = max(around, key=lambda folder: len(folder.parts))
    inner = file.relative_to(nearest).as_posix()
    place = folders[nearest] if inner == "." else f"{inner} in {folders[nearest]}"
    return replace(failure, message=join(place, failure.message, mark="colon"), file=None)


def _code_of(error: BaseException) -> ErrorCode:
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return "OUT_OF_MEMORY"
    if isinstance(error, RuntimeError) and any(text in str(error).lower() for text in _OUT_OF_MEMORY_TEXTS):
        return "OUT_OF_MEMORY"
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return "OUT_OF_MEMORY"
    return _machine_fault(error) or "TRAINER_FAILED"


def _machine_fault(error: BaseException) -> ErrorCode | None:
    """The code if the machine is at fault, not the trainer."""
    if not isinstance(error, OSError) or error.errno is None:
        return None
    return system_faults().get(errno.errorcode.get(error.errno, ""))


def _file_of(error: BaseException) -> str | None:
    """The file of a fault of the machine."""
    if _machine_fault(error) is None or not isinstance(error, OSError):
        return None
    return os.path.abspath(error.filename) if isinstance(error.filename, str) else None


def _name_of(error: BaseException) -> str:
    """Type of the error, with the name of the system error if it is one."""
    name = errno.errorcode.get(error.errno or 0) if isinstance(error, OSError) else None
    return f"{type(error).__name__} {name}" if name else type(error).__name__


def _trace(error: BaseException) -> str:
    """One line for each frame, with files named relative to their package, and the type of the exception."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"{_from_package(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames]
    return "\n".join([*lines, type(error).__name__])


def _from_package(filename: str) -> str:
    parts = Path(filename).parts
    for root, skip in (("site-packages", 1), ("medloom_trainer", 0)):
        if root in parts:
            return "/".join(parts[parts.index(root) + skip :])
    return parts[-1]
