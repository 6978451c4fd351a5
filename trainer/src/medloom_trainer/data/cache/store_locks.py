"""Locks of the prepared stores. The system releases them when their process ends, however it ends.

<key>.use    shared by every process that reads or writes the store, as long as it does; exclusive for the
             process that removes the store. Its modification time is that of the last use.
<key>/lock   the only process that writes
tidying      the only process that removes stores
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_POLL_SECONDS = 0.05


def _no_report() -> None:
    """Does nothing while waiting."""


class Use:
    """A store that cannot be removed while this is open."""

    def __init__(self, folder: Path, wait: Callable[[], None] = _no_report) -> None:
        self._file = open(use_file(folder), "ab")  # noqa: SIM115 (closed by close)
        _take(self._file, fcntl.LOCK_SH, wait)
        os.utime(self._file.fileno())

    def alone(self) -> bool:
        """Return whether no other process uses the store, nor can use it until `shared`. Requires
        `exclusive_removal`."""
        if _try(self._file, fcntl.LOCK_EX):
            return True
        self.shared()
        return False

    def shared(self) -> None:
        _take(self._file, fcntl.LOCK_SH, _no_report)

    def close(self) -> None:
        self._file.close()


@contextmanager
def unused(folder: Path) -> Iterator[bool]:
    """Yield whether no process uses the store; then none can use it until this ends. Requires
    `exclusive_removal`."""
    with use_file(folder).open("ab") as file:
        free = _try(file, fcntl.LOCK_EX)
        if not free:
            os.utime(file.fileno())  # it is in use now
        yield free


@contextmanager
def writing(folder: Path, wait: Callable[[], None]) -> Iterator[None]:
    """One writer per store. `wait` is called while another process writes."""
    with (folder / "lock").open("wb") as file:
        _take(file, fcntl.LOCK_EX, wait)
        yield


@contextmanager
def exclusive_removal(prepared: Path) -> Iterator[None]:
    with (prepared / "tidying").open("wb") as file:
        _take(file, fcntl.LOCK_EX, _no_report)
        yield


def use_file(folder: Path) -> Path:
    """Located outside the store, so that it outlives it: a lock on a removed file has no effect."""
    return folder.parent / f"{folder.name}.use"


def _take(file: BinaryIO, kind: int, wait: Callable[[], None]) -> None:
    while not _try(file, kind):
        wait()
        time.sleep(_POLL_SECONDS)


def _try(file: BinaryIO, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
