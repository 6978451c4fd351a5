"""Signs of activity: whether the process computes or reads, and which file it opened last.

A task that is blocked on an unreachable file reports no progress, and neither does a long computation. These
signs distinguish the two.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

import psutil

from medloom_trainer.concurrency.repetition import Repetition, seconds_of_repetitions
from medloom_trainer.durations import ACTIVITY_INTERVAL

_IDLE_SHARE = 0.01
"""Share of a core that counts as idle: the clocks of threads and process are not read at the same moment."""
_IDLE_BYTES = 64 * 1024
"""Bytes that they may read themselves in one interval."""
_NO_DATA = ("/proc/", "/sys/", "/dev/", os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix))


def watch_activity(report: Callable[[bool, str | None], None]) -> None:
    """Call `report` with (active, name of the last file opened) every few seconds, from a separate thread."""
    opened = _LastOpened()
    process = psutil.Process()

    before: tuple[float, int] | None = None

    def watch() -> None:
        nonlocal before
        seconds, read = _computed(), _bytes_read(process)
        if before is not None:
            computes = seconds - before[0] > _IDLE_SHARE * ACTIVITY_INTERVAL
            report(computes or read - before[1] > _IDLE_BYTES, opened.name)
        before = seconds, read

    Repetition("activity", watch, interval=ACTIVITY_INTERVAL)


def _computed() -> float:
    """CPU seconds of this process without those of the threads that watch it, of which this is one."""
    return time.process_time() - seconds_of_repetitions()


def _bytes_read(process: psutil.Process) -> int:
    """Bytes read, including those from memory and pipes; 0 if the system does not report them."""
    try:
        return int(getattr(process.io_counters(), "read_chars", 0))
    except (AttributeError, OSError, psutil.Error):
        return 0


class _LastOpened:
    """Name of the last file opened. It is recorded before the system opens the file, so that a file whose
    opening never returns counts too."""

    def __init__(self) -> None:
        self.name: str | None = None
        sys.addaudithook(self._record_event)

    def _record_event(self, event: str, args: tuple[Any, ...]) -> None:
        if event != "open" or not args or not isinstance(args[0], str | os.PathLike):
            return
        mode = args[1] if len(args) > 1 else None
        path = os.fspath(args[0])
        if isinstance(path, str) and not path.startswith(_NO_DATA) and (mode is None or "r" in str(mode)):
            self.name = os.path.basename(path)
