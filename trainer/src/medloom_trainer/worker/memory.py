"""A worker that uses too much memory reports it and ends, before the system ends some process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

_MAX_SHARE = 0.75
"""Share of the memory that one worker may use. MEDLOOM_WORKER_MEMORY sets a number of bytes instead."""
_POLL_SECONDS = 0.1
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Where Linux states how much a container may use: less than the machine has, and the system kills beyond."""


def limit_bytes() -> int:
    given = os.environ.get("MEDLOOM_WORKER_MEMORY")
    return int(given) if given else int(_MAX_SHARE * _memory_bytes())


def _memory_bytes() -> int:
    """Of the machine, or of the container."""
    allowed = [path.read_text().strip() for path in _CONTAINER_LIMITS if path.is_file()]
    machine: int = psutil.virtual_memory().total
    return min([machine, *(int(text) for text in allowed if text.isdigit())])


def watch_memory(limit: int, exceeded: Callable[[int], None]) -> None:
    """Call `exceeded` with the bytes used, once, from a thread of its own, when they are more than `limit`.

    Pages that this process shares do not count: those of mapped files can be freed at any time.
    """

    def watch() -> None:
        process = psutil.Process()
        while True:
            used = process.memory_info()
            own = used.rss - getattr(used, "shared", 0)
            if own > limit:
                exceeded(own)
                return
            time.sleep(_POLL_SECONDS)

    threading.Thread(target=watch, name="memory", daemon=True).start()
