"""The attempts on this node: each holds a lock while its process runs."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from medloom_trainer.remote.layout import Layout


def take(layout: Layout) -> BinaryIO:
    """Create the empty folder of the attempt, which is valid until the returned file is closed. Files that
    ended processes have left on this node are removed. SystemExit if another process uses the folder.
    """
    layout.lock.parent.mkdir(parents=True, exist_ok=True)
    with _one_at_a_time(layout.node):
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


def those_that_run(node: Path, names: set[str]) -> set[str]:
    """Return which of the attempts have a process on this node."""
    running = set()
    with _one_at_a_time(node):
        for name in names:
            lock = Layout(node, name).lock
            held = _lock(lock) if lock.exists() else None
            if held is not None:
                held.close()
            elif lock.exists():
                running.add(name)
    return running


@contextmanager
def _one_at_a_time(node: Path) -> Iterator[None]:
    """Serialize checks, since a check of a lock holds it for a moment."""
    with (node / "attempts.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _lock(path: Path) -> BinaryIO | None:
    file = path.open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file
    except OSError:
        file.close()
        return None
