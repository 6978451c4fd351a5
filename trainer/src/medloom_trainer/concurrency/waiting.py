"""Pauses between attempts: at a fixed interval, or longer after each failure."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable


def wait_until(
    condition: Callable[[], bool],
    *,
    interval: float,
    timeout: float = math.inf,
    before_pause: Callable[[], object] = lambda: None,
) -> bool:
    """Check `condition` every `interval` seconds. Return True once it holds, and False if it does not within
    `timeout` seconds. The first check comes at once.
    """
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() >= deadline:
            return False
        before_pause()
        time.sleep(interval)
    return True


class Backoff:
    """Pauses between the attempts of one request: each is twice as long as the one before it, up to
    `longest` seconds. A random part of up to half is left out, so that the processes that a failure affects
    do not repeat their requests at the same moment.
    """

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest = first, longest
        self.reset()

    def reset(self) -> None:
        """Start again with the first pause."""
        self._next, self._since = self._first, time.monotonic()

    @property
    def elapsed(self) -> float:
        """Seconds since the last reset."""
        return time.monotonic() - self._since

    def pause(self) -> None:
        time.sleep(self._next * random.uniform(0.5, 1.0))
        self._next = min(self._longest, 2 * self._next)
