"""Write access of attempts: only the newest attempt of a job writes the files that its attempts share."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class AttemptFence:
    """Guards files against abandoned attempts. A trainer that the service has abandoned may still run, for
    example on an unreachable machine. It must not replace what a newer attempt has written.
    """

    directory: RunDirectory
    attempt: int

    def admits(self, file: Path) -> bool:
        """Return whether this attempt may replace `file`: neither the spec of the run nor the JSON file
        itself names a newer attempt. Files of older versions name no attempt.
        """
        return max(_attempt_in(self.directory.spec), _attempt_in(file)) <= self.attempt

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let one attempt at a time replace files of a run: the answer of `admits` is valid until this ends.

        Without it, an attempt that is suspended between the check and the replacement could still overwrite.
        A newer attempt waits until this ends, and writes last. If the file system cannot lock a folder, only
        `admits` decides.
        """
        descriptor = os.open(self.directory.path, os.O_RDONLY)
        try:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def check(self, file: Path) -> None:
        """Raise WORKER_LOST if this attempt may not replace `file`."""
        if not self.admits(file):
            raise TrainerError(
                "WORKER_LOST",
                (phrase("newer_attempt", attempt=str(self.attempt), file=file.name)),
            )


def _attempt_in(file: Path) -> int:
    """Return the attempt that a file names; 0 if it is absent, names none or cannot be read. In JSON Lines,
    the first line names it."""
    try:
        with file.open(encoding="utf-8") as text:
            document = text.readline() if file.suffix == ".jsonl" else text.read()
        return int(json.loads(document)["attempt"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0
