"""Work that a separate thread repeats at an interval."""

from __future__ import annotations

import threading
from collections.abc import Callable


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
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def end(self, timeout: float | None = None) -> None:
        """End the repetition, and wait for the current call, at most `timeout` seconds."""
        self._ended.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        if not self._at_end and self._work():
            return
        while not self._ended.wait(self._interval):
            if self._work():
                return
        if self._at_end:
            self._work()
