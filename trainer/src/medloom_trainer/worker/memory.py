"""A memory limit for workers: a worker above it reports this and ends before the system kills a process."""

from __future__ import annotations

from collections.abc import Callable

import psutil

from medloom_trainer.concurrency.repetition import Repetition
from medloom_trainer.durations import MEMORY_CHECK_INTERVAL


def watch_memory(limit: int, exceeded: Callable[[int], None]) -> None:
    """Call `exceeded` once, from a separate thread, with the bytes used when they exceed `limit`.

    Pages that this process shares do not count: those of mapped files can be freed at any time.
    """

    process = psutil.Process()

    def watch() -> bool:
        used = process.memory_info()
        own = used.rss - getattr(used, "shared", 0)
        if own > limit:
            exceeded(own)
        return bool(own > limit)

    Repetition("memory", watch, interval=MEMORY_CHECK_INTERVAL)
