"""Progress of a preparation, and the way to end it."""

from __future__ import annotations

from collections.abc import Callable

from medloom_trainer.data.types import PreparationStopped

Report = Callable[[str, float], None]
"""Takes (message, 0..1); may raise to end the work."""


def reporter(progress: Callable[[str, float], None], should_stop: Callable[[], bool]) -> Report:
    """Progress that ends the work with PreparationStopped when it is to stop."""

    def report(message: str, fraction: float) -> None:
        if should_stop():
            raise PreparationStopped
        progress(message, fraction)

    return report
