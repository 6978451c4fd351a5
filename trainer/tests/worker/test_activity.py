"""Activity that a worker reports while a task makes no progress."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow


@contextmanager
def activity_of(task: str) -> Iterator[Iterator[dict[str, Any]]]:
    """The activity lines of a worker whose probe is this function body."""
    program = (
        "import os, sys, time\n"
        "from medloom_trainer.worker import tasks\n"
        f"def probe(params, progress):\n    {task}\n"
        "tasks.TASKS['probe'] = probe\n"
        "sys.exit(tasks.main())\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert worker.stdin is not None and worker.stdout is not None
    try:
        worker.stdin.write(json.dumps({"id": "1", "task": "probe", "params": {}}).encode() + b"\n")
        worker.stdin.flush()
        yield (reply for line in worker.stdout if (reply := json.loads(line))["type"] == "activity")
    finally:
        worker.kill()
        worker.wait()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_tells_the_file_on_which_it_is_stuck(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "never.csv")
    with activity_of(f"open({str(tmp_path / 'never.csv')!r}).read()") as lines:
        line = next(line for line in islice(lines, 20) if not line["active"])
    assert line == {"type": "activity", "id": "1", "active": False, "file": "never.csv"}


def test_is_active_while_it_computes() -> None:
    with activity_of("while True: pass") as lines:
        assert next(lines)["active"] and next(lines)["active"]
