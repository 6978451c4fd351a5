"""Reserved disk space for the end of a run: a file that becomes the result."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import reserve_bytes
from medloom_trainer.files import full_disk_named, sync_folder, write_all, write_atomically


class Reserve:
    """Lets a run report its end on a full disk. The result is written into blocks that the run already owns,
    so that no other writer can take them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_own = False

    def keep(self) -> None:
        """Make the reserve, unless the service made it before it started this process. DISK_FULL if there is
        not enough room; an existing part is kept.

        Incompressible bytes are written and flushed, since not every file system allocates the requested
        space.
        """
        self._is_own = True
        if self._is_whole():
            return
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with full_disk_named(phrase("to_start_job")):
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
        """Replace `target`, in the same folder, atomically. Without a reserve there must be room for it."""
        try:
            descriptor = os.open(self._path, os.O_WRONLY)
        except FileNotFoundError:
            write_atomically(target, lambda file: file.write(content))
            return
        try:
            with full_disk_named(phrase("to_write", file=target.name)):
                write_all(descriptor, content)
                os.ftruncate(descriptor, len(content))
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(self._path, target)
        sync_folder(target.parent)

    def release(self) -> None:
        """Remove the reserve in the process that made it. The other processes of its group only write the
        result into it."""
        if self._is_own:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
