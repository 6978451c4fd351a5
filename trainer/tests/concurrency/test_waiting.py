"""Pauses between attempts, with a clock that only they move."""

from __future__ import annotations

import pytest

from medloom_trainer.concurrency import waiting
from medloom_trainer.concurrency.waiting import Backoff, wait_until


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "time", clock)
    return clock


def test_a_condition_that_holds_needs_no_pause(clock: Clock) -> None:
    assert wait_until(lambda: True, interval=1, timeout=0)
    assert clock.pauses == []


def test_a_condition_is_checked_at_the_interval_until_it_holds(clock: Clock) -> None:
    answers = iter([False, False, True])
    reported: list[float] = []
    assert wait_until(lambda: next(answers), interval=2, before_pause=lambda: reported.append(clock.now))
    assert clock.pauses == [2, 2]
    assert reported == [100, 102]


def test_a_timeout_ends_the_wait(clock: Clock) -> None:
    assert not wait_until(lambda: False, interval=2, timeout=5)
    assert clock.now == 106


def test_pauses_of_a_backoff_double_up_to_the_longest(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting.random, "uniform", lambda low, high: high)
    backoff = Backoff(1, 5)
    for _ in range(4):
        backoff.pause()
    assert clock.pauses == [1, 2, 4, 5]
    assert backoff.elapsed == 12
    backoff.reset()
    assert backoff.elapsed == 0
    backoff.pause()
    assert clock.pauses[-1] == 1


def test_a_random_part_of_up_to_half_of_a_pause_is_left_out(clock: Clock) -> None:
    for _ in range(50):
        Backoff(8, 8).pause()
    assert all(4 <= pause <= 8 for pause in clock.pauses)
    assert len(set(clock.pauses)) > 1
