"""Locks of files between processes. The system releases them when their process ends, however it ends."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def try_lock(file: IO[bytes] | int, kind: int = fcntl.LOCK_EX) -> bool:
    """Return False if another process has a lock that excludes this one. OSError if the file system cannot
    lock."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def one_at_a_time(path: Path) -> Iterator[IO[bytes]]:
    """Wait until no other process is in such a block with this file, and open it for appending. It is created
    if it is missing."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
