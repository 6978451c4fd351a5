"""Heartbeat for the service, which shows that the work makes steps: heartbeat.<attempt>.json (contract
TrainerHeartbeat)."""

from __future__ import annotations

import json
import os
import platform
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.durations import HEARTBEAT_INTERVAL, MIN_STEP_LIMIT, UNMEASURED_STEP_LIMIT
from medloom_trainer.files import full_disk_named

_TIMES_LONGEST = 10.0
"""Time limit of the next of many equal steps, as a multiple of the longest so far."""
_EQUAL_STEPS = ("training", "validating")
_BYTES = 1024
"""Fixed size of the record. It is written in place, so that it needs no room on a full disk."""


class Heartbeat:
    """Writes the heartbeat from the working thread only: a separate thread would continue while the work
    hangs. Of its failures only a full disk ends a training, which could not store anything more.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        self._steps = 0
        self._kind = self._doing = ""
        self._longest: dict[str, float] = {}
        self._stepped: float | None = None
        self._written = 0.0

    def begin(self, kind: str, doing: str) -> None:
        """Start work of another kind; `doing` describes it for a reader."""
        self._kind, self._doing, self._stepped = kind, doing, None
        self._steps += 1
        self._write(doing)

    def step(self, detail: str = "") -> None:
        """Record a finished step. Costs one reading of the clock, and at most one write per second."""
        now = time.monotonic()
        if self._stepped is not None:
            self._longest[self._kind] = max(self._longest.get(self._kind, 0.0), now - self._stepped)
        self._stepped = now
        self._steps += 1
        if now - self._written >= HEARTBEAT_INTERVAL:
            self._write(join(self._doing, detail) if detail else self._doing)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @property
    def _patience(self) -> float:
        longest = self._longest.get(self._kind)
        if self._kind not in _EQUAL_STEPS or longest is None:
            return UNMEASURED_STEP_LIMIT
        return max(MIN_STEP_LIMIT, _TIMES_LONGEST * longest)

    def _write(self, doing: str) -> None:
        if self._file is None:
            return
        self._written = time.monotonic()
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record = {
            "process": f"process {os.getpid()} on {platform.node()[:100]}",
            "steps": self._steps,
            "doing": doing[:200],
            "at": now,
            "patience_seconds": round(self._patience, 1),
        }
        line = json.dumps(record).encode()
        if isinstance(doing, Phrased):
            whole = json.dumps({**record, "doing_phrases": doing.phrases}).encode()
            line = whole if len(whole) < _BYTES else line
        with suppress(OSError), full_disk_named(phrase("to_write", file=self._name)):
            os.pwrite(self._file, line.ljust(_BYTES - 1)[: _BYTES - 1] + b"\n", 0)
