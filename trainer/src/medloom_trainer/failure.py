"""Any exception → a code of the catalog and a text that holds no value of a patient."""

from __future__ import annotations

import errno
import traceback
from dataclasses import dataclass

from medloom_trainer.errors import TrainerError, catalog

OUT_OF_MEMORY_TEXTS = ("out of memory", "not enough memory", "can't allocate memory")


@dataclass(frozen=True)
class Failure:
    code: str
    message: str
    details: str
    trace: str | None
    """Where it happened; None for an error that the user can mend."""


def failure_of(error: BaseException) -> Failure:
    """A TrainerError speaks for itself. The text of any other exception may quote a cell of a table, so
    only its type and place are told."""
    if isinstance(error, TrainerError):
        return Failure(error.code, error.message, error.details, None)
    code = _code_of(error)
    message = f"{str(catalog()[code]['meaning']).rstrip('.')} ({type(error).__name__})"
    frames = "".join(traceback.format_tb(error.__traceback__))
    return Failure(code, message, str(catalog()[code]["remedy"]), f"{frames}{type(error).__name__}\n")


def _code_of(error: BaseException) -> str:
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return "OUT_OF_MEMORY"
    if isinstance(error, RuntimeError) and any(text in str(error).lower() for text in OUT_OF_MEMORY_TEXTS):
        return "OUT_OF_MEMORY"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "DISK_FULL"
    if isinstance(error, OSError) and error.errno == errno.ENOMEM:
        return "OUT_OF_MEMORY"
    return "TRAINER_FAILED"
