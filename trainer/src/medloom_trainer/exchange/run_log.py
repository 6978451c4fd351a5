"""The log of a run. Its size is limited: its beginning and its newest parts are kept.

All output of the processes of a run is appended to training.log through descriptors that they share, so this
file must stay in place. When it is long, its content is copied to a part next to it, named by the byte of the
whole log at which the part begins, and the file is truncated: positions in the log do not change, and a gap
between two parts was removed. A process that is killed at any moment loses nothing: the copy is complete
before the truncation, and its name shows whether that has happened.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from medloom_trainer.concurrency.file_locks import try_lock
from medloom_trainer.concurrency.repetition import Repetition
from medloom_trainer.concurrency.waiting import wait_until
from medloom_trainer.contract.run_directory import RunDirectory, file_name, run_path
from medloom_trainer.durations import LOG_CHECK_INTERVAL, LOG_LOCK_INTERVAL, LOG_LOCK_TIMEOUT
from medloom_trainer.files import write_all

_PART_BYTES = 1 << 20
"""A longer training.log becomes a part."""
_KEPT_PARTS = 4
"""The first and the newest parts."""
_MOST_LOOKS = 1000
_BLOCK = 1 << 16

_libc = ctypes.PyDLL(None)
"""Its functions are called without releasing the interpreter, so no other thread runs in between."""
_libc.lseek.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int]
_libc.lseek.restype = ctypes.c_int64
_libc.ftruncate.argtypes = [ctypes.c_int, ctypes.c_int64]


_PART, _PENDING = (
    re.compile(re.sub(r"\\{\w+\\}", r"(\\d+)", re.escape(file_name(path))))
    for path in ("log_part", "log_pending")
)


class _Part(NamedTuple):
    start: int
    size: int
    path: Path


class RunLog:
    """The log of the run in `run_dir`. One process of the run limits its size, by `watch`."""

    def __init__(self, run_dir: Path, part_bytes: int = _PART_BYTES) -> None:
        self._run_dir = run_dir
        self._path = RunDirectory(run_dir).log
        self._part_bytes = part_bytes
        self._path.parent.mkdir(exist_ok=True)
        self._file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)

    def take_output(self) -> None:
        """Send the output of this process, and of the processes that it starts, to the log."""
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(self._file, 1)
        os.dup2(self._file, 2)

    def watch(self) -> None:
        """Limit its size until the process ends. After a full disk or any other error it tries again."""

        def shorten() -> None:
            with suppress(OSError):
                self.shorten()

        Repetition("run log", shorten, interval=LOG_CHECK_INTERVAL)

    def shorten(self) -> None:
        """Turn the content of the log into a part if it is long."""
        if os.fstat(self._file).st_size < self._part_bytes:
            return
        with held(self._run_dir) as alone:
            if not alone:
                return
            self._settle()
            size = os.fstat(self._file).st_size
            if size >= self._part_bytes:
                self._make_parts(size)

    def close(self) -> None:
        os.close(self._file)

    def _make_parts(self, size: int) -> None:
        """`size`: bytes of the file, which may have grown since."""
        parts = self._parts()
        start = parts[-1].start + parts[-1].size if parts else 0
        for part in parts[1 : len(parts) + 2 - _KEPT_PARTS]:
            part.path.unlink()
        newest = self._newest(size)
        if parts or newest == 0:
            begins = newest
        else:  # the beginning is kept, whatever follows
            begins = max(self._part_bytes, newest)
            with _appended(self._pending(0, size)) as beginning:
                self._copy(beginning, 0, self._part_bytes)
        with _appended(self._pending(start + begins, size)) as copy:
            self._copy(copy, begins, size)
            os.fsync(copy)
            self._cut(copy, size)
        # Known here, whatever was printed since: the size of the file shows it only to the next process.
        self._keep_copies()

    def _newest(self, size: int) -> int:
        """Return the position of the newest bytes that a part may contain: after a line break, unless all
        bytes fit."""
        oldest = size - 2 * self._part_bytes
        if oldest <= 0:
            return 0
        return oldest + os.pread(self._file, _BLOCK, oldest).find(b"\n") + 1

    def _pending(self, start: int, size: int) -> Path:
        """A copy of the log from byte `start`. It becomes a part once the file is shorter than `size`."""
        return run_path(self._run_dir, "log_pending", start=start, size=size)

    def _copy(self, copy: int, begin: int, end: int) -> None:
        while begin < end:
            block = os.pread(self._file, min(_BLOCK, end - begin), begin)
            write_all(copy, block)
            begin += len(block)

    def _cut(self, copy: int, copied: int) -> None:
        """Truncate the file once all of it is copied. Output that others write between the last check and the
        truncation is lost: of a flood without a pause, some lines in some of the truncations.
        """
        for _ in range(_MOST_LOOKS):
            size = _libc.lseek(self._file, 0, os.SEEK_END)
            if size == copied:
                break
            self._copy(copy, copied, size)
            copied = size
        if _libc.ftruncate(self._file, 0) != 0:
            raise OSError("the log could not be truncated")

    def _parts(self) -> list[_Part]:
        found = []
        for path in self._path.parent.iterdir():
            match = _PART.fullmatch(path.name)
            if match:
                found.append(_Part(int(match[1]), path.stat().st_size, path))
        return sorted(found)

    def _keep_copies(self) -> None:
        """Turn the copies of truncated content into parts."""
        for path in self._path.parent.iterdir():
            if match := _PENDING.fullmatch(path.name):
                path.rename(run_path(self._run_dir, "log_part", start=int(match[1])))

    def _settle(self) -> None:
        """Turn a copy of truncated content into a part. Any other copy was left by a process that was killed,
        and is removed."""
        size = os.fstat(self._file).st_size
        for path in self._path.parent.iterdir():
            match = _PENDING.fullmatch(path.name)
            if match and size < int(match[2]):
                path.rename(run_path(self._run_dir, "log_part", start=int(match[1])))
            elif match:
                path.unlink()


@contextmanager
def _appended(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def log_to_run(run_dir: Path) -> None:
    """Send the output of this process, and of the processes that it starts, to the log of the run, and limit
    its size until it ends."""
    log = RunLog(run_dir)
    log.take_output()
    log.watch()


@contextmanager
def held(run_dir: Path) -> Iterator[bool]:
    """Keep everything that is printed meanwhile: the log is not truncated. Without a log, or if the file
    system cannot lock it, this has no effect. Yield False if another process holds it for too long.
    """
    descriptor = None
    with suppress(OSError):
        descriptor = os.open(RunDirectory(run_dir).log, os.O_RDONLY)
    try:
        yield descriptor is None or _lock(descriptor)
    finally:
        if descriptor is not None:
            # Unlock explicitly, since a process that was forked meanwhile keeps the file open.
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        return wait_until(lambda: try_lock(descriptor), interval=LOG_LOCK_INTERVAL, timeout=LOG_LOCK_TIMEOUT)
    except OSError:  # the file system cannot lock
        return True
