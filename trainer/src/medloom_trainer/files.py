"""Files that are complete or absent: written beside the target, flushed, renamed, the folder flushed too."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from medloom_trainer.errors import TrainerError


def write_atomically(target: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let `write` fill a temporary file in the folder of `target`, then make it `target`.

    A crash at any moment leaves the old file or the new one. DISK_FULL when there is no room; the old file
    stays.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        sync_folder(target.parent)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise TrainerError("DISK_FULL", f"no space left to write {target.name}") from error
        raise
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_json(target: Path, value: Any) -> None:
    """Write `value` as JSON, atomically. NaN and infinity are refused: JSON has neither."""
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    write_atomically(target, lambda file: file.write(text.encode("utf-8")))


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
