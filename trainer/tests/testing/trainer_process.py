"""The process of a job, started and monitored like by the service."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from testing.contracts import require_contract
from testing.eventually import eventually, limit
from testing.synthetic import configuration, events_of


def write_spec(
    run_dir: Path, study: Path, *, resume_from: Path | None = None, baselines: Sequence[str] = (), **changes
) -> Path:
    run_dir.mkdir(parents=True)
    spec = {
        "schema_version": 1,
        "job_id": str(uuid.uuid4()),
        "job_name": "test",
        "attempt": 1,
        "run_dir": str(run_dir),
        "cache_dir": str(study / "cache"),
        "roots": [str(study)],
        "resume_from": str(resume_from) if resume_from else None,
        "baselines": list(baselines),
        "config": configuration(**{"train_csv": str(study / "train.csv"), "num_workers": 1, **changes}),
    }
    (run_dir / "spec.json").write_text(json.dumps(spec))
    return run_dir / "spec.json"


def start(*arguments: str, environment: dict[str, str] | None = None, **options) -> subprocess.Popen:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})}
    command = [sys.executable, "-m", "medloom_trainer", *arguments]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, **options)


class Prewarmed:
    """The prewarmed trainer with the protocol of the service: JSON lines, checked against the contract."""

    def __init__(self, *command: str) -> None:
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        if command:
            self.process = subprocess.Popen(command, text=True, **options)
        else:
            self.process = start("prewarmed", **options)
        assert self.read() == {"type": "ready"}
        self._ended: dict[int, str] = {}

    def send(self, **request: Any) -> None:
        require_contract(request, "prewarmed-request")
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        require_contract(reply, "prewarmed-reply")
        return reply

    def fork(self, mark: str = "m") -> int:
        self.send(type="fork", mark=mark)
        while (reply := self.read())["type"] == "ended":
            self._ended[reply["pid"]] = reply["ending"]
        return int(reply["pid"])

    def begin(self, spec: Path, mark: str = "m") -> int:
        pid = self.fork(mark)
        self.send(type="begin", pid=pid, spec=str(spec))
        return pid

    def ending(self, pid: int) -> str:
        while pid not in self._ended:
            reply = self.read()
            self._ended[reply["pid"]] = reply["ending"]
        return self._ended[pid]

    def close(self) -> tuple[int, str]:
        """(exit code, output on stderr)"""
        _, errors = self.process.communicate(timeout=limit())
        return self.process.returncode, errors or ""


def train(spec: Path, environment: dict[str, str] | None = None) -> tuple[int, str]:
    """(exit code, stderr)"""
    process = start("train", str(spec), environment=environment, stdout=subprocess.DEVNULL)
    _, errors = process.communicate(timeout=limit())
    return process.returncode, errors


def wait_for(run_dir: Path, kind: str) -> None:
    path = run_dir / "events.1.jsonl"

    def kinds() -> list[str]:
        # A line may be incomplete.
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [json.loads(line)["type"] for line in lines]

    eventually(kinds, lambda found: kind in found)


def terminal(run_dir: Path) -> dict:
    """The only terminal event: the last line, equal to the content of result.json."""
    events = events_of(run_dir)
    for event in events:
        require_contract(event, "event")
    ends = [event for event in events if event["type"] in ("completed", "error")]
    assert ends == events[-1:]
    assert json.loads((run_dir / "result.json").read_text()) == ends[0]
    return ends[0]
