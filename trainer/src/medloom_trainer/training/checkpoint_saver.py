"""Checkpoints are written beside the training, in a thread: the next epoch does not wait for the disk.

Nothing is told of an epoch before its checkpoint is on the disk, and nothing of the next epoch before that:
events come in the order in which they would come if the training waited.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from medloom_trainer.worker.events import Events


class CheckpointSaver:
    """One save at a time, of values that the training does not change any more."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def save(self, write: Callable[[], object], tell: Callable[[], object]) -> None:
        """Start `write` once the save before is done. `tell` writes the events that depend on it. Other
        events wait for them.

        Raises what the save before raised, as `check` and `wait` do.
        """
        self.wait()
        self._events.hold()
        self._thread = threading.Thread(target=self._save, args=(write, tell), name="checkpoint", daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Raise what a save has raised since. Does not wait."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def wait(self) -> None:
        """Until what was saved is durable and told."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.check()

    def settle(self) -> None:
        """Wait for what is being saved when the training ends, with an error perhaps: that one is raised."""
        if self._thread is not None:
            self._thread.join()

    def _save(self, write: Callable[[], object], tell: Callable[[], object]) -> None:
        try:
            write()
            self._events.release(tell)
        except BaseException as error:
            self._error = error
            self._events.discard()
