"""Work that a separate thread repeats, with an interval of nothing or of forever."""

from __future__ import annotations

import threading

from medloom_trainer.concurrency.repetition import Repetition

_FOREVER = threading.TIMEOUT_MAX


def test_the_first_call_comes_at_once_and_none_after_the_end() -> None:
    called = threading.Event()
    calls: list[int] = []

    def work() -> None:
        calls.append(1)
        called.set()

    repetition = Repetition("test", work, interval=_FOREVER)
    called.wait()
    repetition.end()
    assert calls == [1]


def test_work_that_returns_true_ends_the_repetition() -> None:
    results = iter([None, False, True])
    repetition = Repetition("test", lambda: next(results), interval=0)
    repetition._thread.join()
    assert next(results, "used up") == "used up"


def test_at_the_end_the_last_call_comes_when_the_repetition_ends() -> None:
    calls: list[int] = []
    repetition = Repetition("test", lambda: calls.append(1), interval=_FOREVER, at_end=True)
    assert calls == []
    repetition.end()
    assert calls == [1]
