"""Checkpoints are written concurrently with the training; events and their order are the same as if it
waited."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.events import Events
from medloom_trainer.failure import Failure
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.training import loop, resume
from medloom_trainer.training.checkpoint_saver import CheckpointSaver
from testing.synthetic import configuration, epochs_of, events_of, prepared, run

SETTINGS = {"epochs": 3, "checkpoint_interval": 1, "dropout": 0.3}


def full() -> None:
    raise TrainerError("DISK_FULL", "no space left")


def test_nothing_is_told_before_it_is_durable_and_nothing_later_before_that(tmp_path):
    durable, began = threading.Event(), threading.Event()

    def write() -> None:
        began.set()
        assert durable.wait(30)

    with Events(tmp_path, 1) as events:
        saver = CheckpointSaver(events)
        events.phase("checkpointing", 1)
        saver.save(write, lambda: events.checkpoint(1, "last"))
        assert began.wait(30)
        events.phase("training", 2)
        assert [event["type"] for event in events_of(tmp_path)] == ["phase"]
        assert events.epoch == 1
        durable.set()
        saver.wait()
        told = [(event["type"], event["epoch"]) for event in events_of(tmp_path)]
        assert told == [("phase", 1), ("checkpoint", 1), ("phase", 2)]
        assert events.epoch == 2


def test_a_save_that_fails_is_raised_and_what_builds_upon_it_is_not_told(tmp_path):
    with Events(tmp_path, 1) as events:
        saver = CheckpointSaver(events)
        saver.save(full, lambda: events.checkpoint(1, "last"))
        saver.settle()
        events.phase("training", 2)
        with pytest.raises(TrainerError, match="no space left"):
            saver.check()
        saver.check()  # raised once
        events.error(Failure("DISK_FULL", "", "", None), epoch=1)
    assert [event["type"] for event in events_of(tmp_path)] == ["error"]


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks")
@pytest.mark.parametrize("members", [1, 2])
def test_the_next_epoch_learns_meanwhile_and_what_is_saved_does_not_change(tmp_path, monkeypatch, members):
    settings = {**SETTINGS, "members": members, **({"vision_backbone": "none"} if members > 1 else {})}
    data = prepared(train_cases=26)
    run(tmp_path / "undisturbed", configuration(**settings), data)
    trained = threading.Event()
    train_epoch: Callable = loop._train_epoch
    save: Callable = resume.save_checkpoint

    def train_and_say(run, model, epoch: int) -> bool:
        done = train_epoch(run, model, epoch)
        if epoch == 2:
            trained.set()
        return done

    def save_late(*arguments, **named) -> None:
        assert trained.wait(60), "the second epoch waits for the checkpoint of the first"
        save(*arguments, **named)

    monkeypatch.setattr(loop, "_train_epoch", train_and_say)
    monkeypatch.setattr(resume, "save_checkpoint", save_late)
    run(tmp_path / "late", configuration(**settings), data)
    assert epochs_of(tmp_path / "late") == epochs_of(tmp_path / "undisturbed")
    kinds = [
        [(event["type"], event.get("epoch")) for event in events_of(folder) if event["type"] != "progress"]
        for folder in (tmp_path / "late", tmp_path / "undisturbed")
    ]
    assert kinds[0][1:] == kinds[1][1:]
    for name in ("epoch-0001", "best", "last"):
        one, other = (
            load_checkpoint(tmp_path / folder / "checkpoints" / name).manifest["files"]
            for folder in ("late", "undisturbed")
        )
        assert [one[part]["sha256"] for part in ("model", "optimizer")] == [
            other[part]["sha256"] for part in ("model", "optimizer")
        ]


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks")
def test_a_training_whose_checkpoint_is_not_saved_ends_in_the_next_epoch(tmp_path, monkeypatch):
    monkeypatch.setattr(resume, "save_checkpoint", lambda *arguments, **named: full())
    with pytest.raises(TrainerError, match="no space left"):
        run(tmp_path, configuration(**SETTINGS), prepared(train_cases=26))
    ends = [
        event for event in events_of(tmp_path) if event.get("epoch", 0) > 1 or event["type"] == "epoch_end"
    ]
    assert ends == []
