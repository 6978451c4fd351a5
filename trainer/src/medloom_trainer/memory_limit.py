"""Memory that this process may use."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import psutil

_MAX_SHARE = 0.75
"""Share of the memory that one worker may use. MEDLOOM_WORKER_MEMORY sets a number of bytes instead."""
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files in which Linux states the limit of a container: it is below the memory of the machine, and the system
kills processes above it."""


def limit_bytes() -> int:
    given = os.environ.get("MEDLOOM_WORKER_MEMORY")
    return int(given) if given else int(_MAX_SHARE * _memory_bytes())


@cache
def _memory_bytes() -> int:
    """Memory of the machine, or of the container, when this process first requested it."""
    allowed = [path.read_text().strip() for path in _CONTAINER_LIMITS if path.is_file()]
    machine: int = psutil.virtual_memory().total
    return min([machine, *(int(text) for text in allowed if text.isdigit())])
