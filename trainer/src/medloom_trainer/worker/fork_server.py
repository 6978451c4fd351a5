"""Forks a process for each job and reports its end. While no job runs, one spare process is prepared: it has
already executed, in a warm-up step, what the first step of a job does once, and takes the next job.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.durations import SPARE_PROCESS_DELAY
from medloom_trainer.fast_exit import exit_immediately

MARK_VARIABLE = "MEDLOOM_TRAINER_MARK"
"""Environment variable by whose value everything that a job starts is found, also in other sessions."""


@dataclass
class Channel:
    """JSON lines from and to the service, on the pipes that this process was started with."""

    input: int
    output: int
    _unread: bytes = b""

    @classmethod
    def of_this_process(cls) -> Channel:
        """Take over both pipes: everything that is printed goes to stderr, and nothing else reads the
        input."""
        channel = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        return channel

    def send(self, message: dict[str, Any]) -> None:
        """Send a message. A service that has ended does not read it; the end of the input signals that."""
        try:
            os.write(self.output, json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            return

    def read(self) -> list[dict[str, Any]] | None:
        """Wait for input and return the complete lines received; None at the end of the input."""
        data = os.read(self.input, 1 << 16)
        if not data:
            return None
        *lines, self._unread = (self._unread + data).split(b"\n")
        return [json.loads(line) for line in lines if line]

    def requests(self) -> Iterator[dict[str, Any]]:
        while (lines := self.read()) is not None:
            yield from lines

    def close(self) -> None:
        os.close(self.input)
        os.close(self.output)


@dataclass
class _Spare:
    """A prepared process without a job."""

    pid: int
    order: int
    """Pipe on which it receives its job."""
    warmed_up: int
    """Pipe on which it reports that it is ready."""

    def is_ready(self) -> bool:
        with suppress(BlockingIOError):
            return os.read(self.warmed_up, 1) != b""
        return False

    def close(self) -> None:
        os.close(self.order)
        os.close(self.warmed_up)


class ForkServer:
    """Runs only this loop: the process has no other threads, computes nothing and uses no device."""

    def __init__(
        self,
        channel: Channel,
        run: Callable[[Path], int],
        warm_up: Callable[[], object] | None = None,
    ) -> None:
        """`run` runs the job of a spec.json in the process made for it and returns its exit code. `warm_up`
        is called in the spare process before it has a job; None: there is no spare process.
        """
        self._channel = channel
        self._run = run
        self._warm_up = warm_up
        self._spare: _Spare | None = None
        self._rests_since = time.monotonic()
        self._waiting: dict[int, int] = {}
        """pid → the pipe on which it receives its job. The pipe closes when this process ends, and the
        waiting process then exits."""
        self._children: set[int] = set()

    def serve(self) -> int:
        """Serve until the input ends, then return 0. Jobs that have begun continue; processes without a job
        exit."""
        gc.freeze()  # imported objects stay shared: the collector does not write to their pages
        wakeup, wakeup_write = os.pipe2(os.O_NONBLOCK)
        signal.set_wakeup_fd(wakeup_write)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        self._own = [wakeup, wakeup_write, self._channel.input, self._channel.output]
        with selectors.PollSelector() as selector:
            selector.register(self._channel.input, selectors.EVENT_READ)
            selector.register(wakeup, selectors.EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select(self._until_spare())}
                if wakeup in ready:
                    os.read(wakeup, 4096)
                    self._report_ended()
                if self._until_spare() == 0:
                    self._make_spare()
                if self._channel.input not in ready:
                    continue
                requests = self._channel.read()
                if requests is None:
                    return 0
                for request in requests:
                    self._handle(request)

    def _handle(self, request: dict[str, Any]) -> None:
        if request["type"] == "fork":
            self._fork(request["mark"])
            return
        order = self._waiting.pop(request["pid"], None)
        if order is None:
            return
        if request["type"] == "begin":
            _write(order, f"{request['spec']}\n")
        os.close(order)

    def _until_spare(self) -> float | None:
        """Seconds until a spare process is due; None while a job runs or a spare process exists."""
        if self._warm_up is None or self._spare is not None or self._children:
            return None
        return max(0.0, self._rests_since + SPARE_PROCESS_DELAY - time.monotonic())

    def _make_spare(self) -> None:
        warmed_up, warmed_up_write = os.pipe2(os.O_NONBLOCK)
        pid, order = self._make_process(warmed_up, warmed_up_write)
        os.close(warmed_up_write)
        self._spare = _Spare(pid, order, warmed_up)

    def _fork(self, mark: str) -> None:
        self._report_ended()  # a spare process that was killed receives no job
        spare = self._spare
        if spare is not None and spare.is_ready():
            pid, order, self._spare = spare.pid, spare.order, None
            os.close(spare.warmed_up)
        else:
            pid, order = self._make_process()
        _write(order, f"{mark}\n")
        self._waiting[pid] = order
        self._children.add(pid)
        self._channel.send({"type": "forked", "pid": pid})

    def _make_process(self, *warmed_up: int) -> tuple[int, int]:
        """Fork a process and return its pid and the pipe for its job. warmed_up: for a spare process, both
        ends of the pipe on which it reports that it is ready."""
        order, order_write = os.pipe()
        pid = os.fork()
        if pid == 0:
            self._leave()
            os.close(order_write)
            self._run_and_exit(order, warmed_up)
        os.close(order)
        return pid, order_write

    def _run_and_exit(self, order: int, warmed_up: Sequence[int]) -> NoReturn:
        """Run the job and exit. Everything that the job writes is complete when `run` returns."""
        code = 1
        try:
            if warmed_up:
                self._warm_up_and_report(*warmed_up)
            with os.fdopen(order) as lines:
                os.environ[MARK_VARIABLE] = lines.readline().rstrip("\n")
                spec_path = lines.readline().rstrip("\n")
            code = self._run(Path(spec_path)) if spec_path else 0
        except BaseException:
            traceback.print_exc()
        finally:
            exit_immediately(code)

    def _warm_up_and_report(self, read: int, write: int) -> None:
        """Warm up, then report readiness. A process whose warm-up fails works like one without a
        warm-up."""
        assert self._warm_up is not None
        os.close(read)
        try:
            self._warm_up()
        except Exception:
            traceback.print_exc()
        with suppress(BrokenPipeError):  # the server has ended, so this process exits when its pipe closes
            os.write(write, b"\n")
        os.close(write)

    def _leave(self) -> None:
        """Release everything that belongs to the server."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        for descriptor in (*self._own, *self._waiting.values()):
            os.close(descriptor)
        if self._spare is not None:
            self._spare.close()

    def _report_ended(self) -> None:
        for pid in list(self._children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended == 0:
                continue
            self._children.discard(pid)
            self._rests_since = time.monotonic()
            order = self._waiting.pop(pid, None)
            if order is not None:
                os.close(order)
            self._channel.send(with_phrases({"type": "ended", "pid": pid, "ending": _ending(status)}))
        if self._spare is not None and os.waitpid(self._spare.pid, os.WNOHANG)[0] != 0:
            self._spare.close()
            self._spare = self._warm_up = None  # killed, perhaps for its memory use: it is not replaced


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return phrase("exit_code", code=str(code))
    return phrase("killed_by", signal=signal.Signals(-code).name)


def _write(order: int, line: str) -> None:
    try:
        os.write(order, line.encode())
    except BrokenPipeError:
        return  # the process has ended, which is reported separately
