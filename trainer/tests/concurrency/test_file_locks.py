"""Locks of files between processes, here between two open files."""

from __future__ import annotations

import fcntl
from pathlib import Path

from medloom_trainer.concurrency.file_locks import one_at_a_time, try_lock


def test_an_exclusive_lock_excludes_all_others(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("wb") as one, path.open("rb") as other:
        assert try_lock(one)
        assert not try_lock(other) and not try_lock(other, fcntl.LOCK_SH)
    with path.open("rb") as later:
        assert try_lock(later)


def test_shared_locks_only_exclude_an_exclusive_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with path.open("wb") as one, path.open("rb") as other:
        assert try_lock(one, fcntl.LOCK_SH) and try_lock(other, fcntl.LOCK_SH)
        assert not try_lock(other)


def test_one_block_at_a_time_has_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with one_at_a_time(path) as file:
        file.write(b"a")
        with path.open("rb") as other:
            assert not try_lock(other)
    with path.open("rb") as later:
        assert try_lock(later)
    assert path.read_bytes() == b"a"
