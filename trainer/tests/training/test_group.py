"""Several processes that train together: they compute what one does, and end as one, with the code of the
first that fails.
"""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from testing.synthetic import epochs_of, events_of
from testing.trainer_process import start, terminal, train, wait_for, write_spec

TABLE_ONLY = {"vision_backbone": "none", "dropout": 0.0, "batch_size": 8, "device": "cpu:2"}

FAULTS = '''
"""Loaded by Python when it starts: makes one process of the group fail in its third batch."""
import os

RANK, FAULT = os.environ.get("RANK"), os.environ.get("FAULT", "")
if RANK is not None and FAULT.startswith(RANK + " "):
    import signal

    import medloom_trainer.training.epoch as epoch
    from medloom_trainer.errors import TrainerError

    def fail(batch):
        match FAULT[2:]:
            case "nan":
                batch.values.fill_(float("nan"))
                batch.present.fill_(True)
            case "memory":
                raise MemoryError("cannot allocate 17 GB")
            case "image":
                raise TrainerError("IMAGES_UNREADABLE", "train.csv row 7 (image): is missing")
            case "defect":
                raise ValueError("Jane Roe")
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)

    read_ahead = epoch.read_ahead

    def faulty(*arguments, **options):
        for index, batch in enumerate(read_ahead(*arguments, **options)):
            if index == 2:
                fail(batch)
            yield batch

    epoch.read_ahead = faulty
'''


def test_two_processes_train_one_model(tmp_path, study):
    code, errors = train(write_spec(tmp_path / "two", study, device="cpu:2", batch_size=7))
    assert code == 0, errors
    end = terminal(tmp_path / "two")
    assert (end["status"], len(epochs_of(tmp_path / "two"))) == ("completed", 2)
    assert events_of(tmp_path / "two", "prepared")[0]["prepared"]["device"] == "cpu:2"


def test_two_processes_compute_what_one_does(tmp_path, study):
    """Without BatchNorm and dropout the same numbers come out: a batch is shared, not multiplied."""
    same = {"vision_backbone": "none", "dropout": 0.0, "batch_size": 8}
    for name, device in (("one", "cpu"), ("two", "cpu:2")):
        code, errors = train(write_spec(tmp_path / name, study, device=device, **same))
        assert code == 0, errors
    for one, two in zip(epochs_of(tmp_path / "one"), epochs_of(tmp_path / "two"), strict=True):
        assert two["metrics"] == pytest.approx(one["metrics"], rel=1e-4)


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        ("1 nan", "LOSS_NOT_FINITE", "the loss is not finite in epoch 1, batch "),
        ("1 memory", "OUT_OF_MEMORY", "(MemoryError)"),
        ("1 image", "IMAGES_UNREADABLE", "train.csv row 7"),
        ("1 defect", "TRAINER_FAILED", "(ValueError)"),
        ("1 kill", "WORKER_LOST", "process 2 of 2 was killed (SIGKILL)"),
        ("0 kill", "WORKER_LOST", "process 1 of 2 was killed (SIGKILL)"),
    ],
)
def test_a_failure_of_one_process_ends_all_of_them_with_its_code(tmp_path, study, fault, code, said):
    (tmp_path / "sitecustomize.py").write_text(FAULTS)
    spec = write_spec(tmp_path / "run", study, **TABLE_ONLY)
    mark = str(tmp_path)
    status, errors = train(spec, {"PYTHONPATH": mark, "FAULT": fault})
    end = terminal(tmp_path / "run")
    assert (status, end["code"]) == (1, code), errors
    assert said in end["message"]
    assert end["details"]
    assert end["epoch"] == (0 if "kill" in fault else 1)
    assert ("ValueError" in (end["trace"] or "")) == (fault == "1 defect")
    assert "Jane Roe" not in (tmp_path / "run" / "events.1.jsonl").read_text()
    assert not alive_with("PYTHONPATH", mark)


def alive_with(variable: str, value: str) -> list[int]:
    """Processes that have this in their environment."""
    entry, found = f"{variable}={value}".encode(), []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_what_is_wrong_before_the_first_batch_is_told_by_the_group_too(tmp_path, study):
    spec = write_spec(tmp_path / "run", study, **{**TABLE_ONLY, "class_weights": {"no": 1, "perhaps": 2}})
    assert train(spec)[0] == 1
    end = terminal(tmp_path / "run")
    assert (end["code"], end["details"]) == ("INVALID_CONFIG", "The classes are: no, yes.")


@pytest.mark.parametrize("way", ["control", "signal"])
def test_a_stop_reaches_every_process_and_saves_one_checkpoint(tmp_path, study, way):
    run_dir = tmp_path / "run"
    spec = write_spec(run_dir, study, **{**TABLE_ONLY, "epochs": 100_000})
    process = start("train", str(spec), stdout=subprocess.DEVNULL, start_new_session=True)
    wait_for(run_dir, "epoch_end")
    if way == "control":
        (run_dir / "control.1.json").write_text('{"request": "stop"}')
    else:
        os.killpg(process.pid, signal.SIGTERM)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    end = terminal(run_dir)
    assert (end["status"], end["best_checkpoint"]) == ("stopped", "checkpoints/best")
    assert (run_dir / "checkpoints" / "last" / "checkpoint.json").exists()
