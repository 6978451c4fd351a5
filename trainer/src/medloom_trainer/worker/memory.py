"""A worker that uses too much memory reports it and ends, before the system ends some process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import psutil

_POLL_SECONDS = 0.1


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
