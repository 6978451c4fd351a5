"""An abandoned trainer that still runs replaces nothing of the following attempt."""

from __future__ import annotations

import fcntl
import json
import threading
from pathlib import Path

import pytest

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.inference.checkpoint import load_checkpoint
from testing.contracts import require_contract
from testing.eventually import limit
from testing.synthetic import configuration, prepared, run

pytestmark = pytest.mark.slow

END = {"status": "completed", "reason": "", "epoch": 1, "metrics": {}, "best": None, "best_checkpoint": None}


def attempt_in(file: Path) -> int:
    return json.loads(file.read_text(encoding="utf-8"))["attempt"]


def test_result_checkpoints_and_metrics_name_the_attempt(tmp_path):
    run(tmp_path, configuration(epochs=1, vision_backbone="none"), prepared(num_views=0), attempt=3)
    directory = RunDirectory(tmp_path)
    for name in ("best", "last"):
        manifest = load_checkpoint(directory.checkpoint(name)).manifest
        require_contract(manifest, "checkpoint")
        assert manifest["attempt"] == 3
    require_contract(json.loads(directory.metrics.read_text(encoding="utf-8")), "metrics")
    assert attempt_in(directory.metrics) == 3


@pytest.mark.parametrize("known_by", ["spec", "files"])
def test_an_older_attempt_leaves_checkpoints_and_metrics_as_they_are(tmp_path, known_by):
    config, data = configuration(epochs=1, vision_backbone="none"), prepared(num_views=0)
    run(tmp_path, config, data, attempt=2)
    if known_by == "spec":
        (tmp_path / "spec.json").write_text('{"attempt": 2}')
        (tmp_path / "checkpoints" / "last" / "checkpoint.json").unlink()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(TrainerError) as caught:
        run(tmp_path, config, data, attempt=1)
    assert caught.value.code == "WORKER_LOST"
    assert "attempt 1" in caught.value.message
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for own in ("events.1.jsonl", "heartbeat.1.json"):
        after.pop(tmp_path / own)
    assert after == before


def test_an_attempt_that_is_overtaken_while_it_saves_sweeps_nothing_away(tmp_path, monkeypatch):
    config, data = configuration(epochs=1, vision_backbone="none"), prepared(num_views=0)
    directory = RunDirectory(tmp_path)
    folder = directory.checkpoint("last")
    folder.mkdir(parents=True)

    def overtaken(self: AttemptFence, file: Path) -> bool:
        admitted = not directory.spec.exists()
        directory.spec.write_text('{"attempt": 2}')
        (folder / ".model.of-the-newer-attempt").touch()
        return admitted

    monkeypatch.setattr(AttemptFence, "admits", overtaken)
    with pytest.raises(TrainerError, match="attempt 1"):
        run(tmp_path, config, data)
    assert (folder / ".model.of-the-newer-attempt").exists()
    assert not (folder / "checkpoint.json").exists()


@pytest.mark.parametrize("newer", [True, False])
def test_the_result_is_that_of_the_newest_attempt(tmp_path, newer):
    (tmp_path / "spec.json").write_text(json.dumps({"attempt": 2 if newer else 1}))
    with Events(tmp_path, 1) as events:
        events.completed(**END, duration_seconds=1.0)
    assert RunDirectory(tmp_path).result.exists() == (not newer)
    lines = RunDirectory(tmp_path).events(1).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["completed"]


def test_a_newer_attempt_replaces_the_result_of_an_older_one(tmp_path):
    for attempt in (1, 2):
        with Events(tmp_path, attempt) as events:
            events.completed(**END, duration_seconds=1.0)
    assert attempt_in(RunDirectory(tmp_path).result) == 2


def test_an_attempt_replaces_nothing_while_another_one_does(tmp_path, monkeypatch):
    """A suspended attempt cannot overwrite after a newer one has begun: the newer one waits, and writes
    last."""
    older, newer = (AttemptFence(RunDirectory(tmp_path), attempt) for attempt in (1, 2))
    order: list[str] = []
    waits = threading.Event()
    flock = fcntl.flock

    def noted(descriptor: int, operation: int) -> None:
        try:
            flock(descriptor, operation | fcntl.LOCK_NB)
        except BlockingIOError:
            waits.set()
            flock(descriptor, operation)

    def take_turn() -> None:
        with newer.exclusive():
            order.append("newer")

    monkeypatch.setattr(fcntl, "flock", noted)
    with older.exclusive():
        waiting = threading.Thread(target=take_turn)
        waiting.start()
        assert waits.wait(limit())
        order.append("older")
    waiting.join(timeout=limit())
    assert order == ["older", "newer"]


@pytest.mark.parametrize("content", [None, "{", "[]", '{"epochs": []}', '{"attempt": "newest"}'])
def test_files_of_older_versions_and_damaged_ones_name_no_attempt(tmp_path, content):
    file = tmp_path / "metrics.json"
    if content is not None:
        file.write_text(content)
    assert AttemptFence(RunDirectory(tmp_path), 1).admits(file)


def test_requests_to_another_attempt_do_not_count(tmp_path):
    RunDirectory(tmp_path).control(2).write_text('{"request": "stop"}')
    assert not Control(tmp_path, 1).stops()
    assert Control(tmp_path, 2).stops()
