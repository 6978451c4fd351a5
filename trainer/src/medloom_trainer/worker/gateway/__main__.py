"""python -m medloom_trainer.worker.gateway --address HOST:PORT --python FILE [--workers N]

Reads `run` and `cancel` as JSON lines until the input ends. Writes the replies of the workers, `placed`,
`waiting`, `ended` and `lost` for each task, and `cluster` whenever the nodes change.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Mapping
from typing import Any, BinaryIO

from medloom_trainer.concurrency.repetition import Repetition
from medloom_trainer.durations import IDLE_WORKER_LIMIT, NODES_CHECK_INTERVAL
from medloom_trainer.fast_exit import exit_immediately
from medloom_trainer.worker.gateway.tasks import Tasks
from medloom_trainer.worker.gateway.workers import Workers

_UNREACHABLE = 69
"""Exit status EX_UNAVAILABLE of sysexits.h, after the reason was sent."""
_HANDED_ON = ("MEDLOOM_VERSION", "MEDLOOM_WORKER_MEMORY", "PYTHONUNBUFFERED", "PYTHONUTF8")
"""Environment variables that the service sets for its workers."""


def main(arguments: list[str]) -> int:
    options = _parse(arguments)
    requests, replies = _own_pipes()
    lines = _Lines(replies)
    try:
        from medloom_trainer.worker.gateway.cluster import RayCluster

        environment = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
        cluster = RayCluster(options.address, options.python, environment)
    except Exception as error:  # any error of Ray: different versions, a token, an address
        lines.send_message({"type": "unreachable", "message": _reason(error)})
        return _UNREACHABLE
    workers = Workers(cluster, options.workers, options.idle_seconds)
    tasks = Tasks(workers, lines.send)
    watch = Repetition("nodes", _Nodes(workers, lines).check, interval=NODES_CHECK_INTERVAL)
    for line in requests:
        request = json.loads(line)
        if request["type"] == "run":
            tasks.run(request)
        else:
            tasks.cancel(str(request["id"]))
    watch.end()
    cluster.close()
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m medloom_trainer.worker.gateway")
    parser.add_argument("--address", required=True, help="of the head, or auto: the cluster of this machine")
    parser.add_argument("--python", required=True, help="interpreter on the nodes that has the trainer")
    parser.add_argument("--workers", type=int, help="at a time; else one per CPU of the cluster")
    parser.add_argument("--idle-seconds", type=float, default=IDLE_WORKER_LIMIT)
    return parser.parse_args(arguments)


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Pipes for requests and replies. Everything else that is printed, also by Ray, goes to stderr."""
    replies = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests, replies


class _Lines:
    """Sends complete lines to the service, from any thread.

    If no process reads them, this process is no longer needed.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, line: bytes) -> None:
        try:
            with self._lock:
                self._stream.write(line + b"\n")
                self._stream.flush()
        except BrokenPipeError:
            exit_immediately(0)

    def send_message(self, message: Mapping[str, Any]) -> None:
        self.send(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())


class _Nodes:
    """Nodes of the cluster, as last reported to the service."""

    def __init__(self, workers: Workers, lines: _Lines) -> None:
        self._workers, self._lines = workers, lines
        self._reported: list[dict[str, Any]] | None = None

    def check(self) -> None:
        """Report changes of the nodes, and end idle workers."""
        try:
            nodes = [
                {"node": node.id, "address": node.address, "cpus": node.cpus}
                for node in self._workers.nodes()
            ]
        except Exception as error:  # the head node is unreachable, and nothing works without it
            self._lines.send_message({"type": "unreachable", "message": _reason(error)})
            exit_immediately(_UNREACHABLE)
        if nodes != self._reported:
            self._lines.send_message({"type": "cluster", "nodes": nodes})
            self._reported = nodes
        self._workers.cool_down()


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}"[:500]


if __name__ == "__main__":
    exit_immediately(main(sys.argv[1:]))
