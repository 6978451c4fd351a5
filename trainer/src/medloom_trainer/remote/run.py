"""The process that a launcher starts for an attempt: it fetches the data, runs the trainer, and sends
everything that it writes. It ends once the service has everything; if it dies, the attempt has failed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.durations import FIRST_RESPONSE_LIMIT, PROCESS_CHECK_INTERVAL, STOP_TIMEOUT
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.events import Events
from medloom_trainer.failure import Failure, failure_of
from medloom_trainer.files import write_json
from medloom_trainer.folder_map import map_folders
from medloom_trainer.remote.attempts import take
from medloom_trainer.remote.client import AttemptEndedError, Client, RefusedError
from medloom_trainer.remote.layout import Layout, node_folder
from medloom_trainer.remote.mirror import Mirror
from medloom_trainer.remote.node_cache import limit_in_bytes
from medloom_trainer.remote.order import Order, without_token
from medloom_trainer.worker.parent import PARENT

_MEMORY = "/dev/shm"
"""File system in memory on Linux."""
_WITHOUT_A_DISK = frozenset({"DISK_FULL", "NODE_FOLDER_UNSAFE"})
"""Failures that leave no folder on the disk of the node for a report."""


def run_remote() -> int:
    """The exit code of the trainer. 3: the service accepts nothing from this attempt any more."""
    order = Order.of_environment()
    try:
        return _run(order)
    except (TrainerError, OSError) as error:
        failure = failure_of(error)
        if failure.code not in _WITHOUT_A_DISK:
            raise
        _report_from_memory(order, failure)
        return 1


def _run(order: Order) -> int:
    layout = Layout(node_folder(), order.name)
    lock = take(layout)
    try:
        document = Client(order, patience=FIRST_RESPONSE_LIMIT).get_json("")
    except (AttemptEndedError, RefusedError) as error:
        print(f"attempt {order.attempt} of {order.job_id} was not started: {error}", file=sys.stderr)
        return 3
    write_json(layout.order, document)
    map_folders(layout.places(document))
    spec = layout.write_spec(document)
    # Prepared images have the same limit as the data, in addition to them.
    write_json(
        layout.arrays / "limit.json", {"limit_bytes": limit_in_bytes(document["node_cache"], layout.node)}
    )
    mirror = Mirror(order, layout.run, document["streams"]["log"])
    process = _Process(mirror)
    mirror.start()
    code = process.run(
        "fetch", str(layout.attempt), environment={**os.environ, PARENT: str(os.getpid())}, until_stop=True
    )
    if code == 0 and not process.stopped:
        environment = {**without_token(os.environ), PARENT: str(os.getpid())}
        code = process.run("train", "--log", str(spec), environment=environment)
    elif process.stopped:
        code = _stopped(layout.run, order.attempt)
    mirror.finish(lambda: process.stopped)
    if mirror.failed is not None:
        print(f"attempt {order.attempt} of {order.job_id} was abandoned: {mirror.failed!r}", file=sys.stderr)
        code = 3
    shutil.rmtree(layout.attempt, ignore_errors=True)
    lock.close()
    return code


class _Process:
    """The current child process: the fetching, then the trainer."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._child: subprocess.Popen[bytes] | None = None
        self.stopped = False
        """By a signal, or because the service requested it while the data were fetched."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def run(self, *arguments: str, environment: dict[str, str], until_stop: bool = False) -> int:
        """→ its exit code. until_stop: end it when the service requests a stop."""
        if self.stopped:
            return 0
        command = [sys.executable, "-m", "medloom_trainer", *arguments]
        self._child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
        while (code := _wait(self._child, PROCESS_CHECK_INTERVAL)) is None:
            if self._mirror.failure.is_set():
                return self._end(self._child)
            if until_stop and self._mirror.latest_request() == "stop":
                self.stopped = True
                self._child.terminate()
            elif until_stop and self.stopped:
                self._child.terminate()
        self._child = None
        return code

    def _end(self, child: subprocess.Popen[bytes]) -> int:
        child.terminate()
        if (code := _wait(child, STOP_TIMEOUT)) is not None:
            return code
        child.kill()
        return child.wait()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """The trainer saves a checkpoint and ends; what it has written by then is still sent."""
        self.stopped = True
        if self._child is not None and self._child.poll() is None:
            self._child.terminate()


def _wait(child: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _stopped(run_dir: Path, attempt: int) -> int:
    """Report a stop before the trainer started."""
    with Events(run_dir, attempt) as events:
        events.completed(
            status="stopped",
            reason=phrase("stopped_on_request"),
            epoch=0,
            metrics={},
            best=None,
            best_checkpoint=None,
            duration_seconds=0.0,
        )
    return 0


def _report_from_memory(order: Order, failure: Failure) -> None:
    """Report a failure from memory, since the disk of this node has no room for the report."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)  # no running trainer needs to save anything
    start = Client(order, patience=FIRST_RESPONSE_LIMIT).get_json("")["streams"]["log"]
    with TemporaryDirectory(dir=_MEMORY) as folder:
        run = Path(folder)
        with Events(run, order.attempt) as events:
            events.error(failure)
        mirror = Mirror(order, run, start)
        mirror.start()
        mirror.finish()
