"""Locks of the prepared stores. The system releases them when their process ends, however it ends.

<key>.use    shared by every process that reads or writes the store, as long as it does; exclusive for the
             process that removes the store. Its modification time is that of the last use.
<key>/lock   the only process that writes
tidying      the only process that removes stores
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from medloom_trainer.concurrency.file_locks import one_at_a_time, try_lock
from medloom_trainer.concurrency.waiting import wait_until
from medloom_trainer.durations import STORE_LOCK_INTERVAL


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
        if try_lock(self._file):
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
        free = try_lock(file)
        if not free:
            os.utime(file.fileno())  # it is in use now
        yield free


@contextmanager
def writing(folder: Path, wait: Callable[[], None]) -> Iterator[None]:
    """One writer per store. `wait` is called while another process writes."""
    with (folder / "lock").open("wb") as file:
        _take(file, fcntl.LOCK_EX, wait)
        yield


def exclusive_removal(prepared: Path) -> AbstractContextManager[object]:
    return one_at_a_time(prepared / "tidying")


def use_file(folder: Path) -> Path:
    """Located outside the store, so that it outlives it: a lock on a removed file has no effect."""
    return folder.parent / f"{folder.name}.use"


def _take(file: BinaryIO, kind: int, wait: Callable[[], None]) -> None:
    wait_until(lambda: try_lock(file, kind), interval=STORE_LOCK_INTERVAL, before_pause=wait)
