"""The attempts on this node: each holds a lock while its process runs."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO

from medloom_trainer.concurrency.file_locks import one_at_a_time, try_lock
from medloom_trainer.remote.layout import Layout


def take(layout: Layout) -> BinaryIO:
    """Create the empty folder of the attempt, which is valid until the returned file is closed. Files that
    ended processes have left on this node are removed. SystemExit if another process uses the folder.
    """
    layout.lock.parent.mkdir(parents=True, exist_ok=True)
    with _checks(layout.node):
        own = _lock(layout.lock)
        if own is None:
            raise SystemExit("another process of this attempt is running on this node")
        for other in layout.lock.parent.glob("*.lock"):
            held = own if other == layout.lock else _lock(other)
            if held is None:
                continue
            shutil.rmtree(other.with_suffix(""), ignore_errors=True)
            if held is not own:
                other.unlink(missing_ok=True)
                held.close()
        layout.attempt.mkdir()
        return own


def running_attempts(node: Path, names: set[str]) -> set[str]:
    """Return which of the attempts have a process on this node."""
    running = set()
    with _checks(node):
        for name in names:
            lock = Layout(node, name).lock
            held = _lock(lock) if lock.exists() else None
            if held is not None:
                held.close()
            elif lock.exists():
                running.add(name)
    return running


def _checks(node: Path) -> AbstractContextManager[object]:
    """One process at a time checks locks, since a check holds a lock for a moment."""
    return one_at_a_time(node / "attempts.lock")


def _lock(path: Path) -> BinaryIO | None:
    file = path.open("wb")
    with suppress(OSError):
        if try_lock(file):
            return file
    file.close()
    return None
