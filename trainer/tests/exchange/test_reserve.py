"""Disk space that a run reserves for its end."""

from __future__ import annotations

import errno
import json
import os

import pytest

from medloom_trainer.contract.run_directory import reserve_bytes
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.heartbeat import Heartbeat
from medloom_trainer.failure import Failure

END = Failure("DISK_FULL", "no space left", "Free space.", None)


class FullDisk:
    """Refuses writes through os beyond a number of bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._write = os.write
        self._room: int | None = None
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(os, "pwrite", lambda file, content, offset: self.write(file, content))

    def leave(self, room: int | None) -> None:
        self._room = room

    def write(self, file: int, content: bytes) -> int:
        if self._room is None:
            return self._write(file, content)
        if self._room == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._write(file, content[: self._room])
        self._room -= written
        return written


@pytest.fixture
def disk(monkeypatch) -> FullDisk:
    return FullDisk(monkeypatch)


def test_it_is_allocated_and_gone_when_the_run_has_ended(tmp_path):
    with Events(tmp_path, 1) as events:
        events.keep_room()
        kept = (tmp_path / "reserve.1.bin").stat()
        assert kept.st_size == reserve_bytes()
        assert kept.st_blocks * 512 >= reserve_bytes()
        events.error(END, epoch=1)
        assert not (tmp_path / "reserve.1.bin").exists()
    assert json.loads((tmp_path / "result.json").read_text())["code"] == "DISK_FULL"


def test_it_is_gone_after_a_run_without_an_end_and_stays_while_its_group_runs(tmp_path):
    with Events(tmp_path, 1) as launcher:
        launcher.keep_room()
        Events(tmp_path, 1).close()  # a process of the group
        assert (tmp_path / "reserve.1.bin").exists()
    assert not (tmp_path / "reserve.1.bin").exists()


def test_that_of_the_service_is_used_as_it_is_on_a_disk_that_is_full_by_then(tmp_path, disk):
    made = tmp_path / "reserve.1.bin"
    made.write_bytes(os.urandom(reserve_bytes()))
    inode = made.stat().st_ino
    disk.leave(0)
    with Events(tmp_path, 1) as events:
        events.keep_room()
        disk.leave(reserve_bytes())
        events.error(END, epoch=1)
        assert not made.exists()
    assert (tmp_path / "result.json").stat().st_ino == inode


def test_one_that_is_not_whole_is_made_again(tmp_path):
    (tmp_path / "reserve.1.bin").write_bytes(b"the service was killed here")
    with Events(tmp_path, 1) as events:
        events.keep_room()
        assert (tmp_path / "reserve.1.bin").stat().st_size == reserve_bytes()


def test_the_result_takes_the_room_of_the_reserve_itself(tmp_path):
    """Otherwise another writer could use freed room first."""
    with Events(tmp_path, 1) as events:
        events.keep_room()
        kept = (tmp_path / "reserve.1.bin").stat().st_ino
        events.error(END, epoch=1)
    assert (tmp_path / "result.json").stat().st_ino == kept


def test_without_room_for_it_the_job_does_not_begin_and_what_there_was_holds_the_result(tmp_path, disk):
    with Events(tmp_path, 1) as events:
        disk.leave(8192)
        with pytest.raises(TrainerError) as caught:
            events.keep_room()
        disk.leave(None)
        assert (caught.value.code, caught.value.message) == ("DISK_FULL", "no space left to start the job")
        assert (tmp_path / "reserve.1.bin").stat().st_size == 8192
        events.error(END, epoch=1)
    assert (tmp_path / "result.json").exists()


@pytest.mark.parametrize("room", [0, 30])
def test_an_event_that_does_not_fit_leaves_no_piece_of_a_line(tmp_path, disk, room):
    with Events(tmp_path, 1) as events:
        events.keep_room()
        events.phase("preparing", 0)
        before = (tmp_path / "events.1.jsonl").read_bytes()
        disk.leave(room)
        with pytest.raises(TrainerError) as caught:
            events._append({"type": "phase", "phase": "training", "epoch": 1})
        assert (caught.value.code, caught.value.message) == (
            "DISK_FULL",
            "no space left to write events.1.jsonl",
        )
        disk.leave(None)
        assert (tmp_path / "events.1.jsonl").read_bytes() == before
        events.error(END, epoch=1)
    lines = (tmp_path / "events.1.jsonl").read_text().splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["phase", "error"]


def test_a_write_that_is_taken_in_part_goes_on(tmp_path, monkeypatch):
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, content: write(file, content[:7]))
    with Events(tmp_path, 1) as events:
        events.phase("preparing", 0)
    assert json.loads((tmp_path / "events.1.jsonl").read_text())["phase"] == "preparing"


def test_a_heartbeat_that_does_not_fit_ends_the_training(tmp_path, disk):
    beat = Heartbeat(tmp_path / "heartbeat.1.json")
    disk.leave(0)
    with pytest.raises(TrainerError, match=r"no space left to write heartbeat\.1\.json"):
        beat.begin("training", "training, epoch 1")
