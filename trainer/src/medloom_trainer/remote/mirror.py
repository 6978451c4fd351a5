"""Sends the files of an attempt while its trainer writes them, and passes requests of the service on to
it."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.durations import MIRROR_HEARTBEAT_INTERVAL, MIRROR_INTERVAL, SILENCE_LIMIT
from medloom_trainer.files import write_json
from medloom_trainer.remote.client import AttemptEndedError, Client, RefusedError
from medloom_trainer.remote.order import Order
from medloom_trainer.remote.run_files import RunFiles
from medloom_trainer.remote.streams import Events, Log, Resources


class Mirror:
    """Uses several threads, so that a large checkpoint delays neither the heartbeat nor a stop request."""

    def __init__(self, order: Order, run_dir: Path, log_start: int) -> None:
        self._order = order
        self._run = RunDirectory(run_dir)
        self.failed: BaseException | None = None
        """Reason why nothing is sent any more."""
        self.failure = threading.Event()
        self._over, self._finished = threading.Event(), threading.Event()
        self._answered_at = time.monotonic()
        self._files = RunFiles(self._client(), run_dir, order.attempt)
        client = self._client()
        self._streams = (
            Log(client, run_dir, log_start),
            Resources(client, self._run.resources(order.attempt)),
            Events(client, self._run.events(order.attempt), self._files),
        )
        self._beat_client = self._client()
        self._threads = [
            threading.Thread(target=self._guarded, args=(work,), name=name, daemon=True)
            for name, work in (("beat", self._beat), ("streams", self._send), ("files", self._files.watch))
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def finish(self, has_to_end: Callable[[], bool] = lambda: False) -> None:
        """Return once everything that the trainer has written is at the service, or can never be: `failed`.
        While the attempt `has_to_end`, an unreachable service is given up.
        """
        self._over.set()
        _, streams, files = self._threads
        self._join(streams, has_to_end)
        if self.failed is None:  # a trainer that was killed may have left a result without its event
            self._files.release_result()
        self._files.request()
        self._files.end()
        self._join(files, has_to_end)
        self._finished.set()

    def beat(self) -> None:
        """Report the steps of the trainer, and receive requests for it."""
        request = self._beat_client.post_json("/heartbeat", {"heartbeat": self._heartbeat()})["request"]
        if request is not None and request != self.latest_request():
            write_json(self._run.control(self._order.attempt), {"request": request})

    def latest_request(self) -> str | None:
        """The latest request of the service."""
        with suppress(OSError, ValueError, KeyError):
            request: str = json.loads(self._run.control(self._order.attempt).read_text())["request"]
            return request
        return None

    def _join(self, thread: threading.Thread, has_to_end: Callable[[], bool]) -> None:
        """Wait for a thread. One that waits for a response is abandoned: it ends with the process."""
        while thread.is_alive():
            thread.join(MIRROR_INTERVAL)
            if has_to_end() and time.monotonic() - self._answered_at >= SILENCE_LIMIT:
                self.failed = self.failed or RefusedError("WORKER_LOST", "the service does not answer")
                self.failure.set()
                return

    def _client(self) -> Client:
        return Client(self._order, self._check, self._answered)

    def _answered(self) -> None:
        self._answered_at = time.monotonic()

    def _check(self) -> None:
        if self.failed is not None:
            raise self.failed

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            if self.failed is None:
                self.failed = error
                if not isinstance(error, AttemptEndedError | RefusedError):
                    sys.excepthook(type(error), error, error.__traceback__)
            self.failure.set()
            self._finished.set()

    def _send(self) -> None:
        """Send until nothing is left after the end of the trainer."""
        while True:
            self._check()
            over = self._over.is_set()
            nothing_left = all([stream.send(final=over) for stream in self._streams])
            if over and nothing_left:
                return
            if nothing_left or not over:
                self._over.wait(MIRROR_INTERVAL)
            else:
                self.failure.wait(MIRROR_INTERVAL / 4)

    def _beat(self) -> None:
        while not self._finished.is_set():
            self.beat()
            self._finished.wait(MIRROR_HEARTBEAT_INTERVAL)

    def _heartbeat(self) -> dict[str, Any] | None:
        with suppress(OSError, ValueError):
            heartbeat: dict[str, Any] = json.loads(
                self._run.heartbeat(self._order.attempt).read_text(encoding="utf-8")
            )
            return heartbeat
        return None
