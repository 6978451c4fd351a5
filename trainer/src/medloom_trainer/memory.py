"""A worker that takes too much memory ends with a word of its own, before the system ends something."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import psutil

SHARE = 0.75
"""Of the machine's memory: the most that one worker may take for itself. MEDLOOM_WORKER_MEMORY sets bytes."""
SECONDS = 0.1


def limit_bytes() -> int:
    given = os.environ.get("MEDLOOM_WORKER_MEMORY", "")
    return int(given) if given.isdigit() else int(SHARE * psutil.virtual_memory().total)


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
