"""Tasks of the gateway. One worker runs each task; a second one runs it if the first is lost."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from medloom_trainer.worker.gateway.cluster import WorkerLost
from medloom_trainer.worker.gateway.locations import Locations, blobs_of
from medloom_trainer.worker.gateway.workers import Held, Workers

_ATTEMPTS = 2
"""A task can be repeated without harm, since it writes files that are named by their content."""

Send = Callable[[bytes], None]
"""Sends one line to the service."""


class Tasks:
    """Tasks in progress on the workers of a cluster."""

    def __init__(self, workers: Workers, send: Send) -> None:
        self._workers = workers
        self._send = send
        self._locations = Locations()
        self._running: dict[str, _Task] = {}
        self._lock = threading.Lock()

    def run(self, request: Mapping[str, Any]) -> None:
        """Start a task; its replies are sent."""
        task = _Task(str(request["id"]), request)
        with self._lock:
            self._running[task.id] = task
        threading.Thread(target=self._carry, args=(task,), name=f"task {task.id}", daemon=True).start()

    def cancel(self, task_id: str) -> None:
        """Cancel a task; nothing more is sent for it. Its worker is ended in a separate thread, since a
        worker that waits for a CPU takes seconds to end.
        """
        with self._lock:
            task = self._running.get(task_id)
            held = task.cancel() if task else None
        if held is not None:
            threading.Thread(target=held.worker.end, name=f"end of task {task_id}", daemon=True).start()

    def _carry(self, task: _Task) -> None:
        lost = "no worker was started"
        avoid: set[str] = set()
        attempts = 0
        try:
            while attempts < _ATTEMPTS:
                weights = self._locations.bytes_at(task.inputs)
                held = self._workers.take(weights, avoid, lambda: task.cancelled)
                if held is None:
                    return
                if not task.begin(held):
                    self._workers.drop(held)
                    return
                try:
                    if self._attempt(task, held):
                        return
                except WorkerLost as error:
                    attempts += 1
                    lost = str(error)
                    avoid.add(held.node)
                if attempts < _ATTEMPTS and not task.cancelled:
                    self._send_message({"type": "waiting", "id": task.id})
                self._workers.drop(held)
                if task.cancelled:
                    return
            self._send_message({"type": "lost", "id": task.id, "message": lost})
        except Exception as error:  # the service waits for a reply, whatever the error
            print(f"task {task.id}: {error!r}", file=sys.stderr)
            self._send_message({"type": "lost", "id": task.id, "message": f"{type(error).__name__}: {error}"})
        finally:
            with self._lock:
                self._running.pop(task.id, None)

    def _attempt(self, task: _Task, held: Held) -> bool:
        """Run the task once. Return False if the process of the worker had ended before: this does not count
        as an attempt."""
        held.node = held.worker.where()
        here = self._locations.bytes_at(task.inputs).get(held.node, 0)
        placed = {"type": "placed", "id": task.id, "node": held.node}
        self._send_message({**placed, "input_bytes": sum(task.inputs.values()), "local_bytes": here})
        for kind, data in held.worker.run(task.line):
            if kind == "log":
                sys.stderr.write(data.decode("utf-8", "replace"))
            elif kind == "gone":
                return False
            elif kind == "ended":
                self._workers.drop(held)
                if not task.cancelled:
                    self._send_message({"type": "ended", "id": task.id, **json.loads(data)})
            else:
                if kind == "last":
                    self._finish(task, held, json.loads(data))
                if not task.cancelled:
                    self._send(data)
        return True

    def _finish(self, task: _Task, held: Held, reply: Mapping[str, Any]) -> None:
        """Release the worker before the reply is sent: the next task may come at once and can use it."""
        if not task.let_go() or reply.get("code") == "OUT_OF_MEMORY":  # its process ends
            self._workers.drop(held)
            return
        written = dict(blobs_of(reply.get("result")))
        self._locations.note(held.node, [*task.inputs, *written])
        self._workers.give_back(held)

    def _send_message(self, message: Mapping[str, Any]) -> None:
        self._send(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())


class _Task:
    def __init__(self, task_id: str, request: Mapping[str, Any]) -> None:
        self.id = task_id
        own = {"id": task_id, "task": request["task"], "params": request["params"]}
        line = json.dumps(own, ensure_ascii=False, separators=(",", ":"))
        self.line = line.encode("utf-8", "surrogatepass")
        self.inputs = dict(blobs_of(request["params"].get("inputs")))
        self._held: Held | None = None
        self._cancelled = False
        self._lock = threading.Lock()

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def begin(self, held: Held) -> bool:
        """Return False if the task was canceled before."""
        with self._lock:
            self._held = held
            return not self._cancelled

    def let_go(self) -> bool:
        """Release the worker, so that a cancellation does not end it. Return False if the task was
        canceled."""
        with self._lock:
            self._held = None
            return not self._cancelled

    def cancel(self) -> Held | None:
        """Cancel the task. Return the worker that runs it, which must be ended."""
        with self._lock:
            self._cancelled = True
            return self._held
