"""Checkpoints are written in a separate thread: the next epoch does not wait for the disk.

No event of an epoch is written before its checkpoint is on the disk, and no event of the next epoch before
those: events have the same order as if the training waited.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from medloom_trainer.exchange.events import Events


class CheckpointSaver:
    """One save at a time, of values that the training no longer changes."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def save(self, write: Callable[[], object], report: Callable[[], object]) -> None:
        """Start `write` after the previous save. `report` writes the events that depend on it. Other events
        wait for them.

        Raises errors of the previous save, like `check` and `wait`.
        """
        self.wait()
        self._events.hold()
        self._thread = threading.Thread(
            target=self._save, args=(write, report), name="checkpoint", daemon=True
        )
        self._thread.start()

    def check(self) -> None:
        """Raise an error of a save. Does not wait."""
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def wait(self) -> None:
        """Wait until the save is durable and its events are written."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.check()

    def settle(self) -> None:
        """Wait for the current save when the training ends, possibly with an error: that error is then
        raised."""
        if self._thread is not None:
            self._thread.join()

    def _save(self, write: Callable[[], object], report: Callable[[], object]) -> None:
        try:
            write()
            self._events.release(report)
        except BaseException as error:
            self._error = error
            self._events.discard()
