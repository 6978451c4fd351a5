"""The log of a run: limited in size, with constant positions, and complete whenever its process is killed."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from medloom_trainer.__main__ import main
from medloom_trainer.contract.run_directory import RunDirectory, run_path
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange import run_log
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.run_log import RunLog, held
from medloom_trainer.failure import failure_of
from medloom_trainer.jobs.job import _fail
from testing.forked import forked

PART = 1000


def line(number: int) -> bytes:
    return b"line %06d\n" % number  # 12 bytes


def kept(run_dir: Path) -> dict[int, bytes]:
    """Parts of the log, by the byte at which they start, as the service reads them."""
    log = RunDirectory(run_dir).log
    size = log.stat().st_size
    found = {}
    for path in log.parent.iterdir():
        match = re.fullmatch(r"training\.log\.(\d+)(?:-(\d+)\.pending)?", path.name)
        if match and (match[2] is None or size < int(match[2])):
            found[int(match[1])] = path.read_bytes()
    end = max((start + len(content) for start, content in found.items()), default=0)
    return {**found, end: log.read_bytes()} if size else found


def assert_true(run_dir: Path, *, lines: int) -> None:
    """Every byte is at its original position, the first and the last exist, and the size is within the
    limit."""
    printed = b"".join(map(line, range(lines)))
    parts = kept(run_dir)
    for start, content in parts.items():
        assert printed[start : start + len(content)] == content
    assert min(parts) == 0
    assert max(start + len(content) for start, content in parts.items()) == len(printed)
    assert sum(map(len, parts.values())) <= 10 * PART


def append(run_dir: Path, content: bytes) -> None:
    with RunDirectory(run_dir).log.open("ab") as file:
        file.write(content)


def test_keeps_the_beginning_and_the_newest_at_their_places(tmp_path: Path) -> None:
    log = RunLog(tmp_path, PART)
    for number in range(3000):
        append(tmp_path, line(number))
        log.shorten()
        if number % 83 == 0:
            assert_true(tmp_path, lines=number + 1)
    assert_true(tmp_path, lines=3000)
    assert len(kept(tmp_path)) == 5


@pytest.mark.parametrize("before", [0, 100, 700])
def test_of_much_between_two_looks_whole_lines_are_kept(tmp_path: Path, before: int) -> None:
    log = RunLog(tmp_path, PART)
    for number in range(before):
        append(tmp_path, line(number))
        log.shorten()
    append(tmp_path, b"".join(line(number) for number in range(before, 5000)))
    log.shorten()
    assert_true(tmp_path, lines=5000)
    assert RunDirectory(tmp_path).log.stat().st_size == 0
    newest = kept(tmp_path)[max(kept(tmp_path))]
    assert newest.startswith(b"line ") and newest.endswith(line(4999))
    assert len(newest) > PART


def test_who_holds_the_log_open_goes_on_after_what_was_cut_off(tmp_path: Path) -> None:
    log = RunLog(tmp_path, PART)
    other = os.open(RunDirectory(tmp_path).log, os.O_WRONLY | os.O_APPEND)
    for number in range(500):
        os.write(other, line(number))
        log.shorten()
    os.close(other)
    assert_true(tmp_path, lines=500)


def test_what_is_printed_while_it_is_copied_is_copied_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = RunLog(tmp_path, PART)
    append(tmp_path, b"".join(map(line, range(100))))
    later = iter(range(100, 103))
    copy = RunLog._copy

    def copy_while_printing(self: RunLog, target: int, begin: int, end: int) -> None:
        copy(self, target, begin, end)
        for number in later:
            append(tmp_path, line(number))
            break

    monkeypatch.setattr(RunLog, "_copy", copy_while_printing)
    log.shorten()
    assert_true(tmp_path, lines=103)
    assert len(kept(tmp_path)) == 1


_WRITER = """
import os, sys
from pathlib import Path
from medloom_trainer.exchange.run_log import RunLog
log = RunLog(Path(sys.argv[1]), 1000)
printed = os.dup(1)
log.take_output()
for number in range(10**9):
    os.write(1, b"line %06d\\n" % number)
    os.write(printed, b"line %06d\\n" % number)
    log.shorten()
"""


@pytest.mark.parametrize("lines", [200, 391, 777])
def test_a_process_that_is_killed_loses_nothing(tmp_path: Path, lines: int) -> None:
    with subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(lines):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        told = lines + len(writer.stdout.readlines())
    size = max(start + len(content) for start, content in kept(tmp_path).items())
    assert size in (told * 12, (told + 1) * 12)
    assert_true(tmp_path, lines=size // 12)
    log = RunLog(tmp_path, PART)  # the next attempt
    for number in range(size // 12, size // 12 + 300):
        append(tmp_path, line(number))
        log.shorten()
    assert_true(tmp_path, lines=size // 12 + 300)
    assert not [path for path in RunDirectory(tmp_path).log.parent.iterdir() if "pending" in path.name]


@pytest.mark.parametrize("cut", [False, True])
def test_a_copy_counts_from_the_cut_on(tmp_path: Path, cut: bool) -> None:
    """Files after a kill: a copy that may be incomplete before the truncation, a complete one after it."""
    content = b"".join(map(line, range(100)))
    log = RunLog(tmp_path, PART)
    append(tmp_path, b"" if cut else content)
    run_path(tmp_path, "log_pending", start=0, size=1200).write_bytes(content if cut else content[:700])
    assert_true(tmp_path, lines=100)
    for number in range(100, 300):
        append(tmp_path, line(number))
        log.shorten()
    assert_true(tmp_path, lines=300)


def test_the_line_that_says_why_is_printed_while_nothing_is_cut(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_log, "LOG_LOCK_TIMEOUT", 0.05)
    log = RunLog(tmp_path, PART)
    append(tmp_path, b"".join(map(line, range(100))))
    with held(tmp_path) as alone:
        assert alone
        log.shorten()  # another process holds it: try at the next check
    assert RunDirectory(tmp_path).log.stat().st_size == 1200
    with RunDirectory(tmp_path).log.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        # Not even a suspended process prevents a job from ending.
        with Events(tmp_path, 1) as events:
            _fail(events, failure_of(TrainerError("TRAINER_FAILED", "no rows")), epoch=0)
    assert "TRAINER_FAILED: no rows" in capfd.readouterr().err


_PRINTER = """
import sys
from pathlib import Path
from medloom_trainer.exchange import run_log
run_log.LOG_CHECK_INTERVAL = 0.01
log = run_log.RunLog(Path(sys.argv[1]), 1000)
log.take_output()
log.watch()
while not (Path(sys.argv[1]) / "logs" / "training.log.0").exists():
    print("a warning of a library", flush=True)
print("the last line", flush=True)
"""


def test_what_a_process_prints_becomes_parts_while_it_runs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", _PRINTER, str(tmp_path)], check=True, timeout=120)
    parts = kept(tmp_path)
    assert parts[0].startswith(b"a warning of a library\n")
    assert parts[max(parts)].endswith(b"the last line\n")


def test_a_flood_after_the_truncation_removes_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = RunLog(tmp_path, PART)
    cut = RunLog._cut

    def flooded(self: RunLog, copy: int, copied: int) -> None:
        cut(self, copy, copied)
        append(tmp_path, b"".join(map(line, range(100, 300))))

    monkeypatch.setattr(RunLog, "_cut", flooded)
    append(tmp_path, b"".join(map(line, range(100))))
    log.shorten()
    assert_true(tmp_path, lines=300)


@pytest.mark.slow
def test_a_trainer_that_is_told_to_logs_to_its_run(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text("{", encoding="utf-8")
    printed = [tmp_path / name for name in ("stdout", "stderr")]

    def train() -> int:
        for descriptor, file in enumerate(printed, start=1):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), descriptor)
        sys.stdout, sys.stderr = (open(descriptor, "w", buffering=1) for descriptor in (1, 2))  # noqa: SIM115
        return main(["train", "--log", str(tmp_path / "spec.json")])

    assert forked(train).exit_code() == 1
    assert [file.read_bytes() for file in printed] == [b"", b""]
    assert "INVALID_JSON" in RunDirectory(tmp_path).log.read_text(encoding="utf-8")
