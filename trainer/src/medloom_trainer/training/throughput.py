"""Number of cases that a training processes per second, and its remaining time."""

from __future__ import annotations

import time

_PROGRESS_INTERVAL = 0.1
"""Seconds between two progress events: at most ten per second."""
_MIN_BATCHES = 3
"""Minimum number of measured batches for the first estimate; the first batch is slow and is not measured."""
_TRAINING_COST = 3
"""Cost of a training step in forward passes, approximately; used until a validation has been measured."""


class Throughput:
    """Measures batches and the time between epochs. Times are in seconds."""

    def __init__(self, total_epochs: int, train_cases: float, val_cases: int) -> None:
        self.total_epochs = total_epochs
        self.train_cases = train_cases
        self.val_cases = val_cases
        self.seconds_between: float | None = None
        """Time of validation and checkpoint after the last epoch."""
        self._cases = 0.0
        self._seconds = 0.0
        self._batches = -1
        self._last: float | None = None
        self._ticked = 0.0
        self._tick_cases = 0.0
        self._tick_seconds = 0.0

    def start_epoch(self) -> None:
        self._last = time.perf_counter()

    def end_batch(self, cases: float) -> None:
        now = time.perf_counter()
        assert self._last is not None
        spent, self._last = now - self._last, now
        self._batches += 1
        self._tick_cases += cases
        self._tick_seconds += spent
        if self._batches > 0:
            self._cases += cases
            self._seconds += spent

    def is_due(self) -> bool:
        """Return whether a progress event may be written now."""
        return time.perf_counter() - self._ticked >= _PROGRESS_INTERVAL

    def tick(self) -> float | None:
        """Cases per second since the last tick."""
        speed = self._tick_cases / self._tick_seconds if self._tick_seconds > 0 else None
        self._ticked, self._tick_cases, self._tick_seconds = time.perf_counter(), 0.0, 0.0
        return speed

    def eta(self, epoch: int, cases_done: float) -> float | None:
        """Seconds until all epochs are finished; None before anything has been measured. Early stopping may
        end it earlier.
        """
        if self._batches < _MIN_BATCHES:
            return None
        per_case = self._seconds / self._cases
        between = (
            self.val_cases * per_case / _TRAINING_COST
            if self.seconds_between is None
            else self.seconds_between
        )
        epochs = self.total_epochs - epoch
        return (self.train_cases - cases_done + epochs * self.train_cases) * per_case + (epochs + 1) * between
