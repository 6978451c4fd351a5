"""Waiting for a state of another process or thread, with one time limit for all tests."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

State = TypeVar("State")

_PATIENCE = float(os.environ.get("MEDLOOM_TEST_PATIENCE", "1"))
"""Factor of every limit: a slow or busy machine needs more."""
_INTERVAL_SECONDS = 0.02


def limit(seconds: float = 120) -> float:
    """Seconds after which a test stops waiting. A state that is reached is never late: the limit is generous
    and only ends a wait without an end.
    """
    return seconds * _PATIENCE


def eventually(
    state: Callable[[], State], reached: Callable[[State], object] = bool, *, seconds: float = 120
) -> State:
    """Poll `state` until `reached` accepts it, and return it. A failure shows the last state."""
    patience = limit(seconds)
    end = time.monotonic() + patience
    while not reached(seen := state()):
        assert time.monotonic() < end, f"not reached within {patience:g} seconds; last seen: {seen!r}"
        time.sleep(_INTERVAL_SECONDS)
    return seen
