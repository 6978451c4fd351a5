"""Several processes that train together: they compute the same as one, and end together, with the code of the
first that fails.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
import torch

from medloom_trainer.errors import TrainerError
from medloom_trainer.failure import failure_of
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.devices import DeviceRequest
from medloom_trainer.jobs.job import run_job
from medloom_trainer.training import epoch
from medloom_trainer.training.distributed import launch
from medloom_trainer.training.distributed.group import Group
from testing.forked import forked_job, train_together
from testing.forked_group import forked_groups
from testing.synthetic import epochs_of, events_of
from testing.trainer_process import terminal, wait_for, write_spec

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

TABLE_ONLY = {"vision_backbone": "none", "dropout": 0.0, "batch_size": 8, "device": "cpu:2"}


@pytest.fixture
def forked_processes() -> Iterator[None]:
    """`launch` forks this process; in the full run the test with a signal starts programs."""
    with forked_groups():
        yield


def test_two_processes_compute_what_one_does(tmp_path, study, signals, forked_processes):
    """Without BatchNorm and dropout the results are equal: a batch is divided, not multiplied."""
    assert run_job(write_spec(tmp_path / "two", study, **TABLE_ONLY)) == 0
    assert terminal(tmp_path / "two")["status"] == "completed"
    assert run_job(write_spec(tmp_path / "one", study, **{**TABLE_ONLY, "device": "cpu"})) == 0
    for one, two in zip(epochs_of(tmp_path / "one"), epochs_of(tmp_path / "two"), strict=True):
        assert two["metrics"] == pytest.approx(one["metrics"], rel=1e-4)


def test_a_resumed_group_draws_the_dropout_of_an_undisturbed_one(tmp_path, study):
    """Each process continues its own stream of random numbers."""
    settings = {**TABLE_ONLY, "dropout": 0.3, "scheduler": "none", "epochs": 2, "checkpoint_interval": 1}
    after_the_first_epoch = tmp_path / "undisturbed" / "checkpoints" / "epoch-0001"
    for name, before in (("undisturbed", None), ("resumed", after_the_first_epoch)):
        spec = write_spec(tmp_path / name, study, resume_from=before, **settings)
        assert train_together(spec, tmp_path / f"errors of {name}") == [0, 0]
    assert epochs_of(tmp_path / "resumed") == epochs_of(tmp_path / "undisturbed")
    one, other = (load_checkpoint(tmp_path / n / "checkpoints" / "last") for n in ("undisturbed", "resumed"))
    assert one.manifest["files"]["model"]["sha256"] == other.manifest["files"]["model"]["sha256"]
    streams = one.tensors("optimizer")
    assert not torch.equal(streams["random.0.torch"], streams["random.1.torch"])


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("cannot allocate 17 GB"),
        TrainerError("LOSS_NOT_FINITE", "the loss is not finite in epoch 1, batch 3"),
        TrainerError("IMAGES_UNREADABLE", "train.csv row 7 (image): is missing", "Restore the image."),
        ValueError("Jane Roe"),
    ],
    ids=["memory", "nan", "image", "defect"],
)
def test_the_failure_of_a_process_reaches_the_launcher_in_full(tmp_path, monkeypatch, error):
    file, ended = tmp_path / "error.json", []
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(file))
    monkeypatch.setattr(os, "_exit", ended.append)
    launch.exit_failed(failure_of(error), 3)
    assert ended == [1]
    reported = SimpleNamespace(
        error_file_data=json.loads(file.read_text()), exitcode=1, local_rank=1, timestamp=0
    )
    found = launch._process_failure(reported, 2)
    assert (found.failure, found.epoch) == (failure_of(error), 3)
    assert "Jane Roe" not in file.read_text()


def test_the_failure_that_came_first_counts(tmp_path):
    killed = SimpleNamespace(error_file_data={}, exitcode=-9, local_rank=0, timestamp=100)
    ended = SimpleNamespace(error_file_data={}, exitcode=-15, local_rank=1, timestamp=99)
    failures = [launch._process_failure(each, 2) for each in (ended, killed)]
    assert launch._first(failures).failure.message == "process 1 of 2 was killed (SIGKILL)"


def in_its_third_batch(rank: int, do: Callable[[], object]) -> None:
    """Call `do` in the process with this rank of a group when it makes its third batch."""
    read_ahead = epoch.read_ahead

    def reading(*arguments, **options):
        for index, batch in enumerate(read_ahead(*arguments, **options)):
            if index == 2 and os.environ.get("RANK") == str(rank):
                do()
            yield batch

    epoch.read_ahead = reading


def defect() -> None:
    raise ValueError("Jane Roe")


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("rank", "fault", "code", "said"),
    [
        (1, defect, "TRAINER_FAILED", "(ValueError)"),
        (0, killed, "WORKER_LOST", "process 1 of 2 was killed (SIGKILL)"),
    ],
)
def test_a_failure_of_one_process_ends_all_of_them_with_its_code(
    tmp_path, study, monkeypatch, signals, forked_processes, rank, fault, code, said
):
    monkeypatch.setattr(epoch, "read_ahead", epoch.read_ahead)
    in_its_third_batch(rank, fault)
    members = tmp_path / "members"
    members.mkdir()
    monkeypatch.setattr(Group, "join", _noted(Group.join, members))
    status = run_job(write_spec(tmp_path / "run", study, **TABLE_ONLY))
    end = terminal(tmp_path / "run")
    assert (status, end["code"]) == (1, code), end
    assert said in end["message"]
    assert end["details"]
    assert end["epoch"] == (0 if fault is killed else 1)
    assert ("ValueError" in (end["trace"] or "")) == (fault is defect)
    assert "Jane Roe" not in (tmp_path / "run" / "events.1.jsonl").read_text()
    started = [int(path.name) for path in members.iterdir()]
    assert len(started) == 2 and not any(map(psutil.pid_exists, started))


def _noted(join: Callable[[DeviceRequest], Group], members: Path) -> Callable[[DeviceRequest], Group]:
    """`join`, with each process writing its number before."""

    def noted(request: DeviceRequest) -> Group:
        (members / str(os.getpid())).touch()
        return join(request)

    return noted


def test_an_error_before_the_first_batch_is_reported_by_a_group_too(tmp_path, study):
    spec = write_spec(tmp_path / "run", study, **{**TABLE_ONLY, "class_weights": {"no": 1, "perhaps": 2}})
    assert train_together(spec, tmp_path / "errors") == [1, 1]
    failures = [
        launch.failure_of_process("process", json.loads(file.read_text()), 1, killed_ns=0)
        for file in (tmp_path / "errors").iterdir()
    ]
    assert len(failures) == 2
    first = launch._first(failures).failure
    assert (first.code, first.details) == ("INVALID_CONFIG", "The classes are: no, yes.")


@pytest.mark.parametrize("group", [forked_groups, pytest.param(nullcontext, marks=pytest.mark.full)])
def test_a_signal_reaches_every_process_and_saves_one_checkpoint(tmp_path, study, group):
    """With images and BatchNorm. A test below stops the group by a request that only the first process
    reads."""
    run_dir = tmp_path / "run"
    spec = write_spec(run_dir, study, batch_size=7, device="cpu:2", epochs=100_000)
    with group():
        process = forked_job(spec)
    wait_for(run_dir, "epoch_end")
    os.killpg(process.pid, signal.SIGTERM)
    assert process.exit_code() == 0
    end = terminal(run_dir)
    assert (end["status"], end["best_checkpoint"]) == ("stopped", "checkpoints/best")
    assert (run_dir / "checkpoints" / "last" / "checkpoint.json").exists()
    assert events_of(run_dir, "prepared")[0]["prepared"]["device"] == "cpu:2"


def test_gradients_are_averaged_once_a_step_and_kept_in_its_middle(tmp_path, study, signals):
    """Five batches in steps of two: the same numbers as in one process, also if a stop divides a step."""
    settings = {**TABLE_ONLY, "gradient_accumulation": 2, "epochs": 2}
    one = write_spec(tmp_path / "one", study, **{**settings, "device": "cpu"})
    stopped = write_spec(tmp_path / "stopped", study, **settings)
    assert run_job(one) == 0
    control = tmp_path / "stopped" / "control.1.json"
    stop = partial(control.write_text, '{"request": "stop"}')
    assert train_together(
        stopped, tmp_path / "errors of stopped", before=lambda rank: in_its_third_batch(0, stop)
    ) == [0, 0]
    assert terminal(tmp_path / "stopped")["status"] == "stopped"
    last = tmp_path / "stopped" / "checkpoints" / "last"
    position = load_checkpoint(last).state["resume"]["position"]
    assert position["batch"] % 2 == 1  # inside a step
    resumed = write_spec(tmp_path / "resumed", study, resume_from=last, **settings)
    assert train_together(resumed, tmp_path / "errors of resumed") == [0, 0]
    for alone, group in zip(epochs_of(tmp_path / "one"), epochs_of(tmp_path / "resumed"), strict=True):
        assert group["metrics"] == pytest.approx(alone["metrics"], rel=1e-4)
