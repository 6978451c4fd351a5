"""Of the attempts of a job, only the newest writes the files that they share."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class AttemptFence:
    """A trainer that the service has abandoned may still run, for instance on an unreachable machine. It
    must not replace what a newer attempt has written.
    """

    directory: RunDirectory
    attempt: int

    def admits(self, file: Path) -> bool:
        """Whether this attempt may replace `file`: neither the spec of the run nor the file itself, JSON,
        names a newer attempt. Files of older versions name none.
        """
        return max(_attempt_in(self.directory.spec), _attempt_in(file)) <= self.attempt

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One attempt at a time replaces files of a run: what `admits` says holds until this ends.

        Without it, an attempt that is suspended between the question and the replacement would still
        overwrite. A newer attempt waits for its turn, and writes last. Where the file system cannot lock a
        folder, `admits` alone decides.
        """
        descriptor = os.open(self.directory.path, os.O_RDONLY)
        try:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def check(self, file: Path) -> None:
        """WORKER_LOST when this attempt may not replace `file`."""
        if not self.admits(file):
            raise TrainerError(
                "WORKER_LOST",
                f"a newer attempt of this job has begun: attempt {self.attempt} does not replace {file.name}",
            )


def _attempt_in(file: Path) -> int:
    """0 where the file is absent, names no attempt or cannot be read. JSON Lines: in the first line."""
    try:
        with file.open(encoding="utf-8") as text:
            document = text.readline() if file.suffix == ".jsonl" else text.read()
        return int(json.loads(document)["attempt"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
