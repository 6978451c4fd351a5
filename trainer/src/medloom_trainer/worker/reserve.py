"""Room on the disk that a run keeps for its own end: a file of which the result is made."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from medloom_trainer.contract.run_directory import reserve_bytes
from medloom_trainer.files import full_disk_named, sync_folder, write_all, write_atomically


class Reserve:
    """A run that the full disk ends must still say so. What it then writes goes into blocks that it owns
    already, so that no other writer can take them in between.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_own = False

    def keep(self) -> None:
        """The service has made it before it started this process; else it is made now. DISK_FULL when there
        is no room; what there was is kept.

        Bytes that cannot be compressed are written and flushed, since not every file system allocates what
        it is asked to.
        """
        self._is_own = True
        if self._is_whole():
            return
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with full_disk_named("to begin the job"):
                write_all(descriptor, os.urandom(reserve_bytes()))
                os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def _is_whole(self) -> bool:
        try:
            return self._path.stat().st_size == reserve_bytes()
        except FileNotFoundError:
            return False

    def become(self, target: Path, content: bytes) -> None:
        """Atomically replace `target`, in the same folder. Without a reserve there must be room for it."""
        try:
            descriptor = os.open(self._path, os.O_WRONLY)
        except FileNotFoundError:
            write_atomically(target, lambda file: file.write(content))
            return
        try:
            with full_disk_named(f"to write {target.name}"):
                write_all(descriptor, content)
                os.ftruncate(descriptor, len(content))
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(self._path, target)
        sync_folder(target.parent)

    def release(self) -> None:
        """By the process that kept it. One of its group only makes the result of it."""
        if self._is_own:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
