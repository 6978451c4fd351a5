"""Processes for jobs are made by forking; a short program replaces the job."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from medloom_trainer.worker.fork_server import Channel, ForkServer
from testing.eventually import eventually
from testing.trainer_process import Prewarmed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux allows a fork here")

_SERVER = """
import os, subprocess, sys, time
from pathlib import Path
from medloom_trainer.worker.fork_server import Channel, ForkServer

def run(spec_path):
    word = spec_path.read_text()
    if word == "fail":
        raise ValueError("this job fails")
    if word == "wait":
        time.sleep(600)
    shown = subprocess.run(["sh", "-c", "echo $MEDLOOM_TRAINER_MARK"], capture_output=True, text=True)
    spec_path.write_text(shown.stdout + sys.stdin.read())
    print("printed")
    return 7

channel = Channel.of_this_process()
channel.send({"type": "ready"})
sys.exit(ForkServer(channel, run).serve())
"""


@pytest.fixture
def server() -> Iterator[Prewarmed]:
    prewarmed = Prewarmed(sys.executable, "-c", _SERVER)
    yield prewarmed
    prewarmed.process.kill()
    prewarmed.process.wait()


def job(folder: Path, word: str) -> Path:
    path = folder / word
    path.write_text(word)
    return path


def test_a_job_runs_in_a_session_of_its_own_and_what_it_starts_carries_its_mark(server, tmp_path):
    spec = job(tmp_path, "run")
    pid = server.fork("this job")
    # Its first step, which it makes while the server answers.
    eventually(lambda: os.getsid(pid), lambda session: session == pid)
    server.send(type="begin", pid=pid, spec=str(spec))
    assert server.ending(pid) == "exit code 7"
    assert spec.read_text() == "this job\n"


def test_jobs_follow_each_other_and_run_side_by_side(server, tmp_path):
    waiting = server.begin(job(tmp_path, "wait"))
    for number in range(3):
        assert server.ending(server.begin(job(tmp_path, f"run {number}"))) == "exit code 7"
    os.kill(waiting, signal.SIGKILL)
    assert server.ending(waiting) == "killed by SIGKILL"
    assert server.close()[0] == 0


def test_a_spare_process_whose_server_has_ended_does_not_fail():
    server = ForkServer(Channel(0, 0), lambda spec: 0, lambda: None)
    server._warm_up_and_report(*os.pipe())  # the only reader is its own, which it closes


def test_a_process_that_is_not_needed_exits_without_a_job(server):
    pid = server.fork()
    server.send(type="dismiss", pid=pid)
    assert server.ending(pid) == "exit code 0"


def test_a_job_that_raises_is_an_exit_code_and_the_next_one_runs(server, tmp_path):
    assert server.ending(server.begin(job(tmp_path, "fail"))) == "exit code 1"
    assert server.ending(server.begin(job(tmp_path, "run"))) == "exit code 7"


def test_when_the_server_is_killed_jobs_continue_and_a_process_without_one_exits(server, tmp_path):
    running, unused = server.begin(job(tmp_path, "wait")), server.fork()
    server.process.kill()
    server.process.wait()
    wait_for_the_end_of(unused)
    assert psutil.Process(running).status() != psutil.STATUS_ZOMBIE
    os.kill(running, signal.SIGKILL)


_WITH_SPARE = _SERVER.replace("ForkServer(channel, run)", "ForkServer(channel, run, warm_up)").replace(
    "channel = Channel", "{warm_up}\nchannel = Channel"
)
_NOTED = """
from medloom_trainer.worker import fork_server
fork_server.SPARE_PROCESS_DELAY = 0

def warm_up():
    files = len(os.listdir("/proc/self/fd")) - 1  # without that of the listing
    Path(os.environ["NOTES"], str(os.getpid())).write_text(str(files))
"""
_FAILING = _NOTED + "    raise ValueError('nothing learned')\n"


def keeping_a_spare(monkeypatch, notes: Path, warm_up: str = _NOTED) -> Prewarmed:
    """A server whose spare process writes its pid to `notes`."""
    notes.mkdir()
    monkeypatch.setenv("NOTES", str(notes))
    return Prewarmed(sys.executable, "-c", _WITH_SPARE.replace("{warm_up}", warm_up))


def spare_in(notes: Path, count: int = 1) -> int:
    """The pid of the newest of `count` spare processes, once they exist and it waits for a job."""

    def written() -> list[Path]:
        made = [path for path in notes.iterdir() if path.read_text()]
        return sorted(made, key=lambda path: path.stat().st_mtime_ns)

    newest = eventually(written, lambda made: len(made) >= count)[-1]
    # It closes the pipe on which it reported that it is ready.
    files = Path("/proc", newest.name, "fd")
    eventually(lambda: len(list(files.iterdir())), lambda left: left < int(newest.read_text()))
    return int(newest.name)


def wait_for_the_end_of(pid: int) -> None:
    def status() -> str:
        try:
            return psutil.Process(pid).status()
        except psutil.NoSuchProcess:
            return "gone"

    eventually(status, lambda found: found in ("gone", psutil.STATUS_ZOMBIE))


@pytest.mark.parametrize("warm_up", [_NOTED, _FAILING])
def test_the_process_that_has_warmed_up_takes_the_next_job_and_others_follow(tmp_path, monkeypatch, warm_up):
    server = keeping_a_spare(monkeypatch, tmp_path / "notes", warm_up)
    spare = spare_in(tmp_path / "notes")
    spec = job(tmp_path, "run")
    assert server.begin(spec, mark="this job") == spare
    assert server.ending(spare) == "exit code 7"
    assert spec.read_text() == "this job\n"
    assert server.begin(job(tmp_path, "fail")) != spare  # the next spare process does not exist at once
    assert server.close()[0] == 0


def test_no_process_warms_up_while_a_job_runs(tmp_path, monkeypatch):
    server = keeping_a_spare(monkeypatch, tmp_path / "notes")
    spare = spare_in(tmp_path / "notes")
    running = server.begin(job(tmp_path, "wait"))
    assert running == spare
    for _ in range(3):  # each makes the server decide whether a spare process is due
        other = server.fork()
        server.send(type="dismiss", pid=other)
        assert server.ending(other) == "exit code 0"
    assert len(list((tmp_path / "notes").iterdir())) == 1
    os.kill(running, signal.SIGKILL)
    assert server.ending(running) == "killed by SIGKILL"
    assert spare_in(tmp_path / "notes", count=2) != running
    server.close()


def test_a_spare_process_that_was_killed_takes_no_job_and_one_that_is_unused_ends(tmp_path, monkeypatch):
    killed = keeping_a_spare(monkeypatch, tmp_path / "killed")
    spare = spare_in(tmp_path / "killed")
    os.kill(spare, signal.SIGKILL)
    wait_for_the_end_of(spare)
    assert killed.ending(killed.begin(job(tmp_path, "run"))) == "exit code 7"
    assert killed.close()[0] == 0
    unused = keeping_a_spare(monkeypatch, tmp_path / "unused")
    spare = spare_in(tmp_path / "unused")
    unused.close()
    wait_for_the_end_of(spare)
