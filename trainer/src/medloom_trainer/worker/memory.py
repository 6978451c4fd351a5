"""A memory limit for workers: a worker above it reports this and ends before the system kills a process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psutil

_POLL_SECONDS = 0.1


def watch_memory(limit: int, exceeded: Callable[[int], None]) -> None:
    """Call `exceeded` once, from a separate thread, with the bytes used when they exceed `limit`.

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
