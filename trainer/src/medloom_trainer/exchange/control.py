"""Requests to a running training, from the service or by a signal."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from types import FrameType
from typing import Literal

from medloom_trainer.contract.run_directory import RunDirectory

ControlRequest = Literal["stop", "finish"]


class Control:
    """Reader of control.<attempt>.json (contract TrainerControl), SIGTERM and SIGINT; both signals mean
    stop."""

    def __init__(self, run_dir: Path, attempt: int) -> None:
        self.path = RunDirectory(run_dir).control(attempt)
        self._requested: ControlRequest | None = None
        self._seen: tuple[int, int] | None = None

    def listen_to_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def request(self) -> ControlRequest | None:
        """The latest request; "stop" is final. Costs one stat call while the file is absent or unchanged."""
        if self._requested == "stop":
            return "stop"
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return self._requested
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp != self._seen:
            try:
                request = json.loads(self.path.read_text(encoding="utf-8"))["request"]
            except (ValueError, KeyError, TypeError, OSError):
                return self._requested  # partly written; read again at the next batch
            self._seen = stamp
            if request in ("stop", "finish"):
                self._requested = request
        return self._requested

    def stops(self) -> bool:
        return self.request() == "stop"

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested = "stop"
