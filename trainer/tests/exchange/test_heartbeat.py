"""The heartbeat of a training: steps are reported, and a long step gets enough time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medloom_trainer.exchange import heartbeat
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.heartbeat import Heartbeat
from testing.contracts import require_contract


class Clock:
    """A clock that a test advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 1000.0
        monkeypatch.setattr(heartbeat.time, "monotonic", lambda: self.seconds)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    return Clock(monkeypatch)


def written(path: Path) -> dict:
    record = json.loads(path.read_text())
    require_contract(record, "heartbeat")
    return record


def test_every_activity_is_written_at_once_and_its_steps_once_a_second(tmp_path, clock):
    path = tmp_path / "heartbeat.1.json"
    beat = Heartbeat(path)
    beat.begin("training", "training, epoch 2")
    assert (written(path)["steps"], written(path)["doing"]) == (1, "training, epoch 2")
    for batch in range(1, 31):
        clock.seconds += 0.1
        beat.step(f"batch {batch} of 30")
    assert 29 <= written(path)["steps"] <= 31
    assert written(path)["doing"].startswith("training, epoch 2, batch ")
    clock.seconds += 5000  # a step that hangs: no heartbeat
    assert 29 <= written(path)["steps"] <= 31


def test_a_step_may_take_ten_times_the_longest_of_its_kind_and_ten_minutes_before_one_was_measured(
    tmp_path, clock
):
    path = tmp_path / "heartbeat.1.json"
    beat = Heartbeat(path)

    def patience_after(*seconds: float) -> float:
        for taken in seconds:
            clock.seconds += taken
            beat.step()
        return written(path)["patience_seconds"]

    beat.begin("training", "training, epoch 1")
    assert written(path)["patience_seconds"] == 600
    assert patience_after(300) == 600  # the first batch compiles and warms up; it is not measured
    assert patience_after(2, 2) == 60
    assert patience_after(45, 3) == 450  # one huge batch among others
    beat.begin("checkpointing", "checkpointing, epoch 1")
    assert written(path)["patience_seconds"] == 600
    beat.begin("training", "training, epoch 2")
    assert written(path)["patience_seconds"] == 450


def test_a_heartbeat_that_cannot_be_written_fails_nothing(tmp_path):
    beat = Heartbeat(tmp_path / "no such folder" / "heartbeat.1.json")
    beat.begin("training", "training, epoch 1")
    beat.step()
    beat.close()


def test_the_phases_of_a_training_are_its_activities(tmp_path):
    with Events(tmp_path, 3) as events:
        events.phase("preparing", 0)
        path = events.directory.heartbeat(3)
        assert written(path)["doing"] == "preparing"
        events.phase("training", 4)
        assert written(path)["doing"] == "training, epoch 4"
        codes = [phrase["code"] for phrase in written(path)["doing_phrases"]]
        assert codes == ["doing_training", "epoch_number"]
        events.doing("computing the metrics of the best epoch")
        assert written(path)["doing"] == "computing the metrics of the best epoch"
    assert path.stat().st_size == 1024
