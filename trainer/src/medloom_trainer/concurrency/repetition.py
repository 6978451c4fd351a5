"""Work that a separate thread repeats at an interval."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_computed = 0.0
_counting = threading.Lock()


def seconds_of_repetitions() -> float:
    """CPU seconds that all repetitions of this process have used."""
    with _counting:
        return _computed


class Repetition:
    """Calls `work` every `interval` seconds until it returns True, until `end`, or until the process ends.

    The first call comes at once. With `at_end`, it comes after the first interval instead, and `end` lets a
    last one follow.
    """

    def __init__(
        self, name: str, work: Callable[[], bool | None], *, interval: float, at_end: bool = False
    ) -> None:
        self._work, self._interval, self._at_end = work, interval, at_end
        self._ended = threading.Event()
        self._counted = 0.0
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def end(self, timeout: float | None = None) -> None:
        """End the repetition, and wait for the current call, at most `timeout` seconds."""
        self._ended.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        if not self._at_end and self._call():
            return
        while not self._ended.wait(self._interval):
            if self._call():
                return
        if self._at_end:
            self._call()

    def _call(self) -> bool | None:
        try:
            return self._work()
        finally:
            self._count()

    def _count(self) -> None:
        global _computed
        now = time.thread_time()
        with _counting:
            _computed += now - self._counted
        self._counted = now
