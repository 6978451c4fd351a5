"""A worker that takes too much memory ends with a word of its own, before the system ends something."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil

SHARE = 0.75
"""Of the memory there is: the most that one worker may take for itself. MEDLOOM_WORKER_MEMORY sets bytes."""
SECONDS = 0.1
CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Where Linux says what a container may take: less than the machine has, and the system kills beyond it."""


def limit_bytes() -> int:
    given = os.environ.get("MEDLOOM_WORKER_MEMORY")
    return int(given) if given else int(SHARE * memory_bytes())


def memory_bytes() -> int:
    """Of the machine, or of the container."""
    allowed = [path.read_text().strip() for path in CONTAINER_LIMITS if path.is_file()]
    machine: int = psutil.virtual_memory().total
    return min([machine, *(int(text) for text in allowed if text.isdigit())])


def watch_memory(limit: int, exceeded: Callable[[int], None]) -> None:
    """Call `exceeded` with the bytes taken, once, from a thread of its own, when they are more than `limit`.

    Counted is what belongs to this process alone: pages of mapped files can be given back at any time.
    """

    def watch() -> None:
        process = psutil.Process()
        while True:
            taken = process.memory_info()
            own = taken.rss - getattr(taken, "shared", 0)
            if own > limit:
                exceeded(own)
                return
            time.sleep(SECONDS)

    threading.Thread(target=watch, name="memory", daemon=True).start()
