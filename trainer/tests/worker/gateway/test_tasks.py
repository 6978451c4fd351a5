"""The gateway's tasks, with workers in this process instead of actors: the choice of workers, and the
messages sent."""

from __future__ import annotations

import json
import queue
import stat
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.worker.gateway.cluster import WorkerLost
from medloom_trainer.worker.gateway.node_worker import NodeWorker, Part
from medloom_trainer.worker.gateway.tasks import Tasks
from medloom_trainer.worker.gateway.workers import Workers
from testing.contracts import require_contract
from testing.eventually import limit

pytestmark = pytest.mark.slow  # each test starts processes

PROGRAM = f"""#!{sys.executable}
import json, os, sys, time
for line in sys.stdin:
    request = json.loads(line)
    params = request["params"]
    reply = lambda message: print(json.dumps({{"id": request["id"], **message}}), flush=True)
    reply({{"type": "progress", "fraction": 0.5, "message": f"pid {{os.getpid()}}"}})
    if params.get("crash"):
        print("it went wrong", file=sys.stderr, flush=True)
        os._exit(7)
    while params.get("forever"):
        time.sleep(1)
    reply({{"type": "result", "result": {{"outputs": params.get("outputs")}}}})
    if "afterwards" in params:  # as the watch of the memory does, whose process takes a moment to end
        print("printed by a library")
        reply({{"type": "activity", "id": "", "active": True, "file": None}})
        reply({{"type": "error", "id": params["afterwards"], "code": "OUT_OF_MEMORY"}})
        time.sleep(1)
        os._exit(1)
"""


@dataclass(frozen=True)
class Machine:
    id: str
    address: str
    cpus: int


class Local:
    """A worker on a machine that can be lost."""

    def __init__(self, program: str, machine: str, room: threading.Event) -> None:
        self.machine = machine
        self._room = room
        self.lost = False
        self._worker = NodeWorker(program, {})

    def where(self) -> str:
        self._room.wait()
        if self.lost:
            raise WorkerLost("its machine is gone")
        return self.machine

    def run(self, request: bytes) -> Iterator[Part]:
        for part in self._worker.run(request):
            if self.lost:
                raise WorkerLost("its machine is gone")
            yield part

    def end(self) -> None:
        self.lost = True
        self._worker.close()


class Machines:
    def __init__(self, program: str, *cpus: int) -> None:
        self._program = program
        self._nodes = [Machine(f"n{number}", "127.0.0.1", count) for number, count in enumerate(cpus)]
        self.started: list[Local] = []
        self.room = threading.Event()
        self.room.set()

    def nodes(self) -> list[Machine]:
        return self._nodes

    def start(self, node: str) -> Local:
        self.started.append(Local(self._program, node, self.room))
        return self.started[-1]


class Gateway:
    """The gateway from the view of the service."""

    def __init__(self, folder: Path, *cpus: int, limit: int | None = None, idle_seconds: float = 60) -> None:
        program = folder / "worker"
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.machines = Machines(str(program), *cpus)
        self.workers = Workers(self.machines, limit, idle_seconds)
        self._lines: queue.Queue[dict[str, Any]] = queue.Queue()
        self.tasks = Tasks(self.workers, lambda line: self._lines.put(json.loads(line)))

    def run(self, task_id: str, **params: Any) -> None:
        self.tasks.run({"type": "run", "id": task_id, "task": "node", "params": params})

    def next(self) -> dict[str, Any]:
        message: dict[str, Any] = self._lines.get(timeout=limit())
        require_contract(message, "gateway-message")
        return message

    def until(self, kind: str, task_id: str) -> dict[str, Any]:
        while True:
            message = self.next()
            if (message["type"], message["id"]) == (kind, task_id):
                return message

    def done(self, task_id: str, **params: Any) -> dict[str, Any]:
        self.run(task_id, **params)
        place = self.until("placed", task_id)
        self.until("result", task_id)
        return place

    def close(self) -> None:
        for worker in self.machines.started:
            worker.end()


@pytest.fixture
def gateway(tmp_path):
    made = []

    def make(*cpus: int, **options: Any) -> Gateway:
        made.append(Gateway(tmp_path, *cpus, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


def table(digest: str, size: int) -> dict[str, Any]:
    return {"table": {"sha256": digest, "suffix": ".csv", "size_bytes": size}}


def test_a_task_runs_where_what_it_reads_was_written(gateway):
    service = gateway(1, 1)
    first = service.done("first", inputs={}, outputs=table("x", 70))
    service.run("long", inputs={}, forever=True)
    long = service.until("placed", "long")
    service.run("second", inputs={"dataset": [table("x", 70)]})
    # The task without inputs takes a warm worker; the other machine has room.
    second = service.until("placed", "second")
    assert {long["node"], second["node"]} == {"n0", "n1"}
    service.tasks.cancel("long")
    service.until("result", "second")
    third = service.done("third", inputs={"dataset": [table("x", 70), table("y", 30)]})
    assert (third["input_bytes"], third["local_bytes"]) == (100, 70)
    assert third["node"] in (first["node"], second["node"])


def test_a_worker_is_used_again_and_one_that_is_lost_is_replaced_once(gateway):
    service = gateway(1)
    service.done("a", inputs={})
    service.done("b", inputs={})
    assert len(service.machines.started) == 1

    service.run("c", inputs={}, forever=True)
    for number in (0, 1):
        service.until("progress", "c")
        service.machines.started[number].end()
    lost = service.until("lost", "c")
    assert "its machine is gone" in lost["message"]
    assert len(service.machines.started) == 2


def test_a_task_whose_worker_was_lost_says_that_it_waits_for_another_one(gateway):
    service = gateway(1)
    service.run("a", inputs={}, forever=True)
    service.until("progress", "a")
    service.machines.room.clear()
    service.machines.started[0].end()
    # The next one does not exist yet.
    assert service.next() == {"type": "waiting", "id": "a"}
    service.machines.room.set()
    service.until("placed", "a")
    service.until("progress", "a")
    service.machines.started[1].end()
    # There is no third one to wait for.
    assert service.next()["type"] == "lost"


def test_a_process_that_ends_by_itself_is_told_as_it_ended_and_not_repeated(gateway):
    service = gateway(1)
    service.run("a", inputs={}, crash=True)
    ended = service.until("ended", "a")
    assert (ended["code"], ended["signal"]) == (7, None)
    assert "it went wrong" in ended["stderr"]
    service.done("b", inputs={})
    assert len(service.machines.started) == 2


def test_a_process_that_was_killed_without_a_task_costs_the_next_one_no_attempt(gateway):
    service = gateway(1, 1)
    place = service.done("a", inputs={}, outputs=table("x", 70))
    killed = service.machines.started[0]._worker._process
    killed.kill()
    killed.wait()
    service.run("b", inputs={"dataset": [table("x", 70)]}, forever=True)
    told = [service.next() for _ in range(4)]
    assert [message["type"] for message in told] == ["placed", "waiting", "placed", "progress"]
    # The machine works as before.
    assert told[2]["node"] == place["node"]
    service.machines.started[1].end()
    service.until("progress", "b")
    service.machines.started[2].end()
    service.until("lost", "b")
    assert len(service.machines.started) == 3


@pytest.mark.parametrize("told_of", ["", "a"])
def test_what_a_process_says_after_its_task_is_no_answer_to_the_next(gateway, told_of):
    service = gateway(1)
    service.done("a", inputs={}, afterwards=told_of)
    service.run("b", inputs={})
    kinds = []
    while "result" not in kinds:
        message = service.next()
        assert message["id"] == "b"
        kinds.append(message["type"])
    assert kinds == ["placed", "waiting", "placed", "progress", "result"]


@pytest.mark.parametrize("finds_it_ended", [True, False])
def test_an_interpreter_that_is_broken_is_told_with_the_first_task(tmp_path, finds_it_ended):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no module >&2\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    worker = NodeWorker(str(program), {})
    if finds_it_ended:
        worker._process.wait()
    *logged, (kind, how) = worker.run(b'{"id": "a"}')
    assert logged == [("log", b"no module\n")]
    assert kind == "ended"
    assert json.loads(how) == {"code": 3, "signal": None, "stderr": "no module\n"}


def test_a_cancelled_task_gives_its_place_to_one_that_waits(gateway):
    service = gateway(1)
    service.run("a", inputs={}, forever=True)
    service.until("progress", "a")
    service.run("b", inputs={})
    service.run("c", inputs={})
    service.tasks.cancel("c")
    service.tasks.cancel("a")
    service.until("result", "b")
    assert service.machines.started[0].lost


def test_no_request_waits_for_the_end_of_a_worker(gateway):
    service = gateway(2)
    service.run("a", inputs={}, forever=True)
    service.until("progress", "a")
    worker = service.machines.started[0]
    end, may_end, ended = worker.end, threading.Event(), threading.Event()

    def end_late() -> None:
        may_end.wait(limit())
        end()
        ended.set()

    worker.end = end_late
    service.tasks.cancel("a")
    service.done("b", inputs={})
    assert not ended.is_set()
    may_end.set()
    assert ended.wait(limit())


def test_no_more_workers_than_allowed_and_none_without_a_task_for_long(gateway):
    service = gateway(1, 1, limit=1, idle_seconds=0)
    first = service.done("a", inputs={}, outputs=table("x", 70))
    service.done("b", inputs={})
    other = next(machine.id for machine in service.machines.nodes() if machine.id != first["node"])
    service.tasks._locations.note(other, ["z"])
    assert service.done("c", inputs={"dataset": [table("z", 9)]})["node"] == other
    assert [worker.lost for worker in service.machines.started] == [True, False]
    service.workers.cool_down()
    assert [worker.lost for worker in service.machines.started] == [True, True]
