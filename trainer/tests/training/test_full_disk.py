"""A disk that becomes full while a job runs, whichever of its writers is affected first."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

from medloom_trainer.data import splits
from medloom_trainer.data.cache import store
from medloom_trainer.exchange.events import Events
from medloom_trainer.jobs import job
from medloom_trainer.jobs.job import run_job
from medloom_trainer.training import loop
from testing.trainer_process import terminal, write_spec

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("quick_networks", "signals"),
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs to mount a small disk"),
]


@pytest.fixture
def disk(tmp_path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", folder]
    if subprocess.run(mounting, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path, left: int) -> None:
    room = os.statvfs(folder)
    with open(folder / "filler", "ab", buffering=0) as file:
        file.write(bytes(room.f_bavail * room.f_frsize - left))
    assert os.statvfs(folder).f_bavail * room.f_frsize == left


def filling(disk: Path, work: Callable, left: int = 0) -> Callable:
    """`work`, with the disk filled up to `left` bytes before its first call."""

    def call(*arguments, **named):
        if not (disk / "filler").exists():
            fill(disk, left)
        return work(*arguments, **named)

    return call


@pytest.mark.parametrize(
    ("owner", "writer", "what"),
    [
        (Events, "keep_room", "to start the job"),
        (store, "decode_all", "for the prepared images"),
        (splits, "write_known_cases", "to write known-cases.safetensors"),
        (Events, "epoch_end", "to "),  # any write
        (loop, "save_run", "to save checkpoint "),
        (loop, "append_epoch", "to "),  # a line may still fit into the last block of the file
        (loop, "publish_history", "to write metrics.json"),
        (job, "write_results", "to write validation-predictions.csv"),
        (Events, "completed", None),
    ],
)
def test_ends_it_with_one_terminal_event_that_says_what_was_written(
    tmp_path, disk, study, monkeypatch, owner, writer, what
):
    spec = write_spec(disk / "run", study, epochs=200 if writer == "epoch_end" else 1)
    on_the_disk = {**json.loads(spec.read_text()), "cache_dir": str(disk / "cache")}
    spec.write_text(json.dumps(on_the_disk))
    # Before the reserve exists, some room is needed to report the error.
    left = 16_384 if writer == "keep_room" else 0
    monkeypatch.setattr(owner, writer, filling(disk, getattr(owner, writer), left))
    status = run_job(spec)
    end = terminal(disk / "run")
    assert not (disk / "run" / "reserve.1.bin").exists()
    if what is None:  # the end itself has room
        assert (status, end["type"]) == (0, "completed")
        return
    assert (status, end["type"], end["code"]) == (1, "error", "DISK_FULL")
    assert end["message"].startswith(f"no space left {what}")
    assert "Free disk space" in end["details"]


def test_ends_it_too_where_only_the_log_does_not_fit(tmp_path, study):
    spec = write_spec(tmp_path / "run", study)
    log = open("/dev/full", "w")  # noqa: SIM115
    with redirect_stdout(log), redirect_stderr(log):
        status = run_job(spec)
    with suppress(OSError):  # the rejected output is refused again
        log.close()
    end = terminal(tmp_path / "run")
    assert (status, end["code"], end["message"]) == (1, "DISK_FULL", "no space left to write the log")
