"""The event file: one JSON line per event, appended; the terminal line is on the disk before the
process ends.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.files import write_json
from medloom_trainer.worker.fence import AttemptFence

Metrics = Mapping[str, float | None]


class Events:
    """Writer of events.<attempt>.jsonl (contract TrainerEvent). One process writes it and never waits."""

    def __init__(self, run_dir: Path, attempt: int) -> None:
        run_dir.mkdir(parents=True, exist_ok=True)
        self.directory = RunDirectory(run_dir)
        self.attempt = attempt
        self.ended = False
        self.epoch = 0
        """Of the last event that named one."""
        self._file = self._open(self.directory.events(attempt))

    def phase(self, phase: str, epoch: int) -> None:
        self._append({"type": "phase", "phase": phase, "epoch": epoch})

    def prepared(self, prepared: Mapping[str, Any]) -> None:
        self._append({"type": "prepared", "prepared": dict(prepared)})

    def progress(
        self, *, epoch: int, batch: int, total_batches: int, metrics: Metrics, eta_seconds: float | None
    ) -> None:
        self._append(
            {
                "type": "progress",
                "epoch": epoch,
                "batch": batch,
                "total_batches": total_batches,
                "metrics": finite(metrics),
                "eta_seconds": eta_seconds,
            }
        )

    def validation(self, epoch: int, metrics: Metrics, notes: Mapping[str, str]) -> None:
        self._append({"type": "validation", "epoch": epoch, "metrics": finite(metrics), "notes": dict(notes)})

    def epoch_end(
        self, *, epoch: int, total_epochs: int, metrics: Metrics, duration_seconds: float, is_best: bool
    ) -> None:
        self._append(
            {
                "type": "epoch_end",
                "epoch": epoch,
                "total_epochs": total_epochs,
                "metrics": finite(metrics),
                "duration_seconds": duration_seconds,
                "is_best": is_best,
            }
        )

    def checkpoint(self, epoch: int, name: str) -> None:
        self._append({"type": "checkpoint", "epoch": epoch, "name": name})

    def completed(
        self,
        *,
        status: str,
        reason: str,
        epoch: int,
        metrics: Metrics,
        best: Mapping[str, Any] | None,
        best_checkpoint: str | None,
        duration_seconds: float,
    ) -> None:
        self._end(
            {
                "type": "completed",
                "status": status,
                "reason": reason,
                "epoch": epoch,
                "metrics": finite(metrics),
                "best": None if best is None else dict(best),
                "best_checkpoint": best_checkpoint,
                "duration_seconds": duration_seconds,
            }
        )

    def error(self, *, epoch: int, code: str, message: str, details: str, trace: str | None) -> None:
        self._end(
            {
                "type": "error",
                "epoch": epoch,
                "code": code,
                "message": message,
                "details": details,
                "trace": trace,
            }
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def _open(self, path: Path) -> BinaryIO:
        return cast(BinaryIO, open(path, "ab", buffering=0))

    def _end(self, event: dict[str, Any]) -> None:
        """Exactly one terminal event, which result.json holds already when its line appears, unless a newer
        attempt has begun.
        """
        if self.ended:
            raise RuntimeError("the run has ended already")
        self.ended = True
        event = self._stamped(event)
        try:
            fence = AttemptFence(self.directory, self.attempt)
            with fence.turn():
                if fence.admits(self.directory.result):
                    write_json(self.directory.result, event)
        finally:  # on a full disk a short line may still find room
            self._write(event)
            os.fsync(self._file.fileno())

    def _append(self, event: dict[str, Any]) -> None:
        self.epoch = event.get("epoch", self.epoch)
        self._write(self._stamped(event))

    def _stamped(self, event: dict[str, Any]) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"type": event["type"], "timestamp": now, "attempt": self.attempt, **event}

    def _write(self, event: dict[str, Any]) -> None:
        # Unbuffered append: one line is one write.
        self._file.write(json.dumps(event, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


class SilentEvents(Events):
    """For the processes of a group that are not the first."""

    def _open(self, path: Path) -> BinaryIO:
        return cast(BinaryIO, open(os.devnull, "ab", buffering=0))

    def _end(self, event: dict[str, Any]) -> None:
        self.ended = True


def has_ended(run_dir: Path, attempt: int) -> bool:
    """Whether another process has reported the end of this attempt."""
    try:
        lines = RunDirectory(run_dir).events(attempt).read_bytes().splitlines()
        return bool(lines) and json.loads(lines[-1])["type"] in ("completed", "error")
    except (FileNotFoundError, ValueError):
        return False


def finite(metrics: Metrics) -> dict[str, float | None]:
    """JSON has no NaN and no infinity: such a metric is null."""
    return {
        key: None if value is None or not math.isfinite(value) else value for key, value in metrics.items()
    }
