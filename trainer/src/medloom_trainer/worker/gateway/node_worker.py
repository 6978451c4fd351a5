"""Runs on a node of the cluster: a worker process, like the one that the service starts on its own machine.

Ray sends this module by value, so it imports nothing from the trainer.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import IO, Any

Part = tuple[str, bytes]
"""`log`: output that the process printed. `reply`: a line for the service. `last`: the line that ends the
task. `ended`: how the process ended without such a line, as JSON. `gone`: the process had ended before this
task, or was about to; another worker can run it."""

_STDERR_TAIL = 2000
_FINAL = ("result", "error")


class NodeWorker:
    """Runs one task at a time in a separate process, so that the memory limit, crashes and the output of
    libraries are handled like those of a local worker. The process ends with this one.
    """

    def __init__(self, python: str, environment: Mapping[str, str]) -> None:
        self._parts: queue.SimpleQueue[Part] = queue.SimpleQueue()
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr_tail = b""
        self._warm = False
        self._started = threading.Event()
        # The process ends with the thread that started it, so this thread waits for its end.
        command = [python, "-m", "medloom_trainer", "worker"]
        threading.Thread(
            target=self._serve, args=(command, dict(environment)), name="worker", daemon=True
        ).start()
        self._started.wait()

    def where(self) -> str:
        """The id of its node."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def run(self, request: bytes) -> Iterator[Part]:
        """Yield the parts of the worker's output until the task has ended. Replies to other tasks are
        skipped."""
        task_id = json.loads(request)["id"]
        # A process that never had a task does not count as gone: with a broken interpreter, another worker
        # would fail too.
        warm, self._warm = self._warm, True
        sent = self._send(request)
        while True:
            kind, data = self._parts.get()
            if kind == "reply":
                reply = _parsed(data)
                final = reply.get("type") in _FINAL
                if reply.get("id") == task_id:
                    kind = "last" if final else "reply"
                elif warm and final:  # after its own last line: it used too much memory, and ends
                    kind = "gone"
                else:
                    continue
            elif kind == "ended" and warm and not sent:
                kind = "gone"
            yield kind, data
            if kind in ("last", "ended", "gone"):
                return

    def close(self) -> None:
        """End the process and everything that it started."""
        if self._process is None or self._process.poll() is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _send(self, request: bytes) -> bool:
        """Send a request. Return False if the process has ended."""
        process = self._process
        if process is None or process.stdin is None or process.poll() is not None:
            return False
        try:
            process.stdin.write(request + b"\n")
            process.stdin.flush()
        except OSError:
            return False
        return True

    def _serve(self, command: list[str], environment: dict[str, str]) -> None:
        try:
            self._process = process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(environment),
                start_new_session=True,
            )
        except OSError as error:
            self._started.set()
            ended = {"code": None, "signal": None, "stderr": f"{command[0]}: {error.strerror}"}
            self._parts.put(("ended", json.dumps(ended).encode()))
            return
        self._started.set()
        assert process.stdout is not None and process.stderr is not None
        errors = threading.Thread(target=self._read_errors, args=(process.stderr,), daemon=True)
        errors.start()
        for line in process.stdout:
            self._parts.put(("reply", line.rstrip(b"\n")))
        status = process.wait()
        errors.join(timeout=1)
        how = {
            "code": status if status >= 0 else None,
            "signal": signal.Signals(-status).name if status < 0 else None,
            "stderr": self._stderr_tail.decode("utf-8", "replace"),
        }
        self._parts.put(("ended", json.dumps(how).encode()))

    def _read_errors(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._stderr_tail = (self._stderr_tail + line)[-_STDERR_TAIL:]
            self._parts.put(("log", line))


def _parsed(line: bytes) -> dict[str, Any]:
    """Parse a reply. Return an empty one for any other output, such as that of a library."""
    try:
        reply = json.loads(line)
    except ValueError:
        return {}
    return reply if isinstance(reply, dict) else {}


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    """The environment of the node without the variables of Ray: code in a task must not see its token."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return {**inherited, **given, "MEDLOOM_PARENT_PID": str(os.getpid())}
