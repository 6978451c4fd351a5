"""The history of a training is stored once, and an epoch takes the same time whatever its number."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.training import history
from testing.contracts import require_contract
from testing.synthetic import configuration, epochs_of, prepared, run

pytestmark = pytest.mark.slow

STILL = {"learning_rate": 1e-9, "vision_backbone": "none"}
DATA = prepared(num_views=0)


def lines_of(run_dir: Path) -> list[dict]:
    return [json.loads(line) for line in RunDirectory(run_dir).epochs.read_text().splitlines()]


def last_of(run_dir: Path) -> Path:
    return RunDirectory(run_dir).checkpoint("last")


def state_bytes(folder: Path) -> int:
    return load_checkpoint(folder).manifest["files"]["state"]["size_bytes"]


def test_each_epoch_is_one_line_and_checkpoints_do_not_repeat_it(tmp_path):
    run(tmp_path, configuration(epochs=12, checkpoint_interval=1, **STILL), DATA)
    header, *epochs = lines_of(tmp_path)
    require_contract(header, "epochs")
    assert epochs == epochs_of(tmp_path)
    assert [epoch["epoch"] for epoch in epochs] == list(range(1, 13))
    checkpoint = RunDirectory(tmp_path).checkpoint
    longest = max(len(json.dumps(epoch)) for epoch in epochs)
    assert state_bytes(checkpoint("epoch-0012")) - state_bytes(checkpoint("epoch-0001")) < longest


def test_the_line_of_an_epoch_is_written_before_its_checkpoint(tmp_path, monkeypatch):
    saved: list[tuple[int, int]] = []
    before = history.append_epoch

    def append(training, epoch):
        before(training, epoch)
        last = last_of(tmp_path)
        saved.append((epoch["epoch"], load_checkpoint(last).state["epoch"] if last.exists() else 0))

    monkeypatch.setattr("medloom_trainer.training.loop.append_epoch", append)
    run(tmp_path, configuration(epochs=3, **STILL), DATA)
    assert saved == [(1, 0), (2, 1), (3, 2)]


def test_a_resumed_attempt_drops_the_line_of_an_epoch_whose_checkpoint_was_not_saved(tmp_path):
    config = configuration(epochs=3, **STILL)
    run(tmp_path, configuration(epochs=2, **STILL), DATA)
    epochs = RunDirectory(tmp_path).epochs
    with epochs.open("a") as file:  # killed while writing: a complete line, and an incomplete one
        file.write('{"epoch": 3, "metrics": {"train_loss": 7.0}, "notes": {}}\n{"epoch": 4, "met')
    run(tmp_path, config, DATA, attempt=2, resume_from=last_of(tmp_path))
    header, *found = lines_of(tmp_path)
    assert header["attempt"] == 2
    assert [epoch["epoch"] for epoch in found] == [1, 2, 3]
    assert found[2]["metrics"]["train_loss"] != 7.0
    assert found == epochs_of(tmp_path)


def test_a_checkpoint_that_was_copied_alone_is_resumed_with_its_last_epoch(tmp_path):
    run(tmp_path / "first", configuration(epochs=2, **STILL), DATA)
    copied = tmp_path / "copied" / "checkpoints" / "last"
    shutil.copytree(last_of(tmp_path / "first"), copied)
    config = configuration(epochs=3, **STILL)
    run(tmp_path / "second", config, DATA, resume_from=copied)
    assert [epoch["epoch"] for epoch in epochs_of(tmp_path / "second")] == [2, 3]


def test_a_checkpoint_of_an_older_version_has_its_history_in_its_state(tmp_path):
    run(tmp_path / "first", configuration(epochs=2, **STILL), DATA)
    folder = last_of(tmp_path / "first")
    checkpoint, whole = load_checkpoint(folder), epochs_of(tmp_path / "first")
    state = {key: value for key, value in checkpoint.state.items() if key != "last_epoch"}
    save_checkpoint(
        folder,
        job_id=checkpoint.manifest["job_id"],
        epoch=2,
        metrics=checkpoint.manifest["metrics"],
        state={**state, "history": whole},
        tensors={part: checkpoint.tensors(part) for part in ("model", "optimizer")},
    )
    RunDirectory(tmp_path / "first").epochs.unlink()
    run(tmp_path / "second", configuration(epochs=3, **STILL), DATA, resume_from=folder)
    assert epochs_of(tmp_path / "second")[:2] == whole
    assert "history" not in load_checkpoint(last_of(tmp_path / "second")).state


def test_a_failed_training_leaves_its_finished_epochs(tmp_path, monkeypatch):
    def fail(training, epoch):
        raise TrainerError("LOSS_NOT_FINITE", "in the test")

    monkeypatch.setattr("medloom_trainer.training.loop._end_after", fail)
    with pytest.raises(TrainerError):
        run(tmp_path, configuration(epochs=2, **STILL), DATA)
    assert [epoch["epoch"] for epoch in epochs_of(tmp_path)] == [1]
