"""What the service, or a signal, asks of a running training."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from types import FrameType
from typing import Literal

from medloom_trainer.worker.run_directory import RunDirectory

Request = Literal["stop", "finish"]


class Control:
    """Reader of control.<attempt>.json (contract TrainerControl), SIGTERM and SIGINT, which mean stop."""

    def __init__(self, run_dir: Path, attempt: int) -> None:
        self.path = RunDirectory(run_dir).control(attempt)
        self._asked: Request | None = None
        self._seen: tuple[int, int] | None = None

    def listen_to_signals(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def request(self) -> Request | None:
        """The latest request; "stop" is final. Costs one stat while the file is absent or unchanged."""
        if self._asked == "stop":
            return "stop"
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return self._asked
        stamp = (status.st_mtime_ns, status.st_ino)
        if stamp != self._seen:
            try:
                asked = json.loads(self.path.read_text(encoding="utf-8"))["request"]
            except (ValueError, KeyError, TypeError, OSError):
                return self._asked  # half written; looked at again at the next batch
            self._seen = stamp
            if asked in ("stop", "finish"):
                self._asked = asked
        return self._asked

    def stops(self) -> bool:
        return self.request() == "stop"

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._asked = "stop"
