"""The event file: one JSON line for each event, appended. The terminal line is on the disk before the process
ends.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import Phrased, join, phrase, with_phrases
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.exchange.heartbeat import Heartbeat
from medloom_trainer.exchange.reserve import Reserve
from medloom_trainer.failure import Failure
from medloom_trainer.files import full_disk_named, json_bytes, loss_of, write_all, write_atomically

Metrics = Mapping[str, float | None]

MAX_LINE_BYTES = 256 * 1024
"""A longer event, such as the columns of a very wide table, is stored in a separate file that its line
names."""
_PHASES: Mapping[str, PhraseCode] = {
    "preparing": "doing_preparing",
    "baselines": "doing_baselines",
    "training": "doing_training",
    "validating": "doing_validating",
    "checkpointing": "doing_checkpointing",
}


def in_epoch(kind: str, epoch: int) -> Phrased:
    """A phase for a reader. epoch: 0 outside of epochs."""
    doing = phrase(_PHASES[kind])
    return join(doing, phrase("epoch_number", epoch=epoch)) if epoch else doing


class Events:
    """Writer of events.<attempt>.jsonl (contract TrainerEvent). Only one process writes it. Events can be
    held back while a thread saves what must be durable before them.
    """

    def __init__(self, run_dir: Path, attempt: int) -> None:
        self.directory = RunDirectory(run_dir)
        self.attempt = attempt
        self.ended = False
        self.epoch = 0
        """Epoch of the last event that contained one."""
        self.training_step = 0
        """Batches since the start of the training, as of the last progress report."""
        self._writing = threading.RLock()
        self._held: list[dict[str, Any]] | None = None
        self._file = self._open(self.directory.events(attempt))
        self._heartbeat = self._open_heartbeat()
        self._reserve = Reserve(self.directory.reserve(attempt))

    def keep_room(self) -> None:
        """Reserve room for the terminal event, so that it can be written on a full disk. DISK_FULL if there
        is too little space."""
        self._reserve.keep()

    def hold(self) -> None:
        """Hold back all following events, except the terminal one, until `release`."""
        with self._writing:
            self._held = []

    def release(self, report: Callable[[], object]) -> None:
        """Let `report` write its events, then write the held events in their order."""
        with self._writing:
            held, self._held = self._held, None
            report()
            for event in held or ():
                self._append_now(event)

    def discard(self) -> None:
        """Drop the held events and all that follow, except the terminal one: what they depend on was not
        saved.
        """
        with self._writing:
            self._held = []

    def phase(self, phase: str, epoch: int) -> None:
        self._heartbeat.begin(phase, in_epoch(phase, epoch))
        self._append({"type": "phase", "phase": phase, "epoch": epoch})

    def doing(self, what: str) -> None:
        """Report work that is not a phase and whose steps are not counted."""
        self._heartbeat.begin(what, what)

    def step(self, detail: str = "") -> None:
        """Report a step of the running phase; without steps the service reports the training as stalled."""
        self._heartbeat.step(detail)

    def prepared(self, prepared: Mapping[str, Any]) -> None:
        self._append({"type": "prepared", "prepared": dict(prepared)})

    def progress(
        self, *, epoch: int, batch: int, total_batches: int, metrics: Metrics, eta_seconds: float | None
    ) -> None:
        self.training_step = (epoch - 1) * total_batches + batch
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
        baseline_verdict: Mapping[str, Any] | None = None,
    ) -> None:
        facts = {
            "type": "completed",
            "status": status,
            "reason": reason,
            "epoch": epoch,
            "metrics": finite(metrics),
            "best": None if best is None else dict(best),
            "best_checkpoint": best_checkpoint,
            "baseline_verdict": None if baseline_verdict is None else dict(baseline_verdict),
            "duration_seconds": duration_seconds,
        }
        self._end(with_phrases(facts))

    def error(self, failure: Failure, *, epoch: int = 0) -> None:
        """epoch: the last complete one."""
        facts = {name: value for name, value in asdict(failure).items() if name != "file"}
        self._end(with_phrases({"type": "error", "epoch": epoch, **facts}))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._reserve.release()
        self._file.close()
        self._heartbeat.close()

    def _open(self, path: Path) -> BinaryIO:
        return cast(BinaryIO, open(path, "ab", buffering=0))

    def _open_heartbeat(self) -> Heartbeat:
        return Heartbeat(self.directory.heartbeat(self.attempt))

    def _end(self, event: dict[str, Any]) -> None:
        """Write exactly one terminal event. When its line appears, result.json already contains it, unless a
        newer attempt has begun.
        """
        if self.ended:
            raise RuntimeError("the run has already ended")
        self.ended = True
        event = self._stamped(event)
        try:
            if loss_of(self.directory.path):
                return  # the line is written to the open file, wherever that is now
            fence = AttemptFence(self.directory, self.attempt)
            with fence.exclusive():
                if fence.admits(self.directory.result):
                    self._reserve.become(self.directory.result, json_bytes(event))
        finally:  # the rest of the reserve is room for the line
            self._reserve.release()
            self._write(event)
            os.fsync(self._file.fileno())

    def _append(self, event: dict[str, Any]) -> None:
        with self._writing:
            event = self._stamped(event)
            if self._held is None:
                self._append_now(event)
            else:
                self._held.append(event)

    def _append_now(self, event: dict[str, Any]) -> None:
        self.epoch = event.get("epoch", self.epoch)
        self._write(event)

    def _stamped(self, event: dict[str, Any]) -> dict[str, Any]:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"type": event["type"], "timestamp": now, "attempt": self.attempt, **event}

    def _write(self, event: dict[str, Any]) -> None:
        line = _bytes_of(event)
        if len(line) > MAX_LINE_BYTES:
            line = _bytes_of(self._set_aside(event, line))
        self._append_whole(line + b"\n")

    def _append_whole(self, line: bytes) -> None:
        """Append one line in one unbuffered write. A line that does not fit is removed completely, so that
        the terminal line, which has its reserve, starts on a new line.
        """
        descriptor = self._file.fileno()
        size = os.fstat(descriptor).st_size
        try:
            with full_disk_named(phrase("to_write", file=self.directory.events(self.attempt).name)):
                write_all(descriptor, line)
        except BaseException:
            os.ftruncate(descriptor, size)
            raise

    def _set_aside(self, event: dict[str, Any], content: bytes) -> dict[str, Any]:
        """Write the event into a file of the run directory and return a line that names it (contract
        EventReference)."""
        sha256 = hashlib.sha256(content).hexdigest()
        path = self.directory.event_payload(self.attempt, sha256)
        write_atomically(path, lambda file: file.write(content))
        payload = {"file": self.directory.relative(path), "sha256": sha256, "size_bytes": len(content)}
        return {**{key: event[key] for key in ("type", "timestamp", "attempt")}, "payload": payload}


class SilentEvents(Events):
    """Events of the processes of a group that are not the first. They are not written."""

    def _open(self, path: Path) -> BinaryIO:
        return cast(BinaryIO, open(os.devnull, "ab", buffering=0))

    def _open_heartbeat(self) -> Heartbeat:
        return Heartbeat(Path(os.devnull))

    def _end(self, event: dict[str, Any]) -> None:
        self.ended = True

    def _write(self, event: dict[str, Any]) -> None:
        pass


def _bytes_of(event: Mapping[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False, allow_nan=False).encode("utf-8")


def has_ended(run_dir: Path, attempt: int) -> bool:
    """Return whether another process has reported the end of this attempt."""
    try:
        lines = RunDirectory(run_dir).events(attempt).read_bytes().splitlines()
        return bool(lines) and json.loads(lines[-1])["type"] in ("completed", "error")
    except (FileNotFoundError, ValueError):
        return False


def finite(metrics: Metrics) -> dict[str, float | None]:
    """Replace NaN and infinity, which JSON does not have, by null."""
    return {
        key: None if value is None or not math.isfinite(value) else value for key, value in metrics.items()
    }
