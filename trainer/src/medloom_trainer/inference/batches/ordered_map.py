"""Work in threads whose results are returned in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


def map_in_order(make: Callable[[int], T], total: int, *, threads: int, ahead: int) -> Generator[T]:
    """Yield make(0), make(1), … in this order, whichever ends first. make(n) starts when result n - `ahead`
    is requested, so that at most `ahead` results are waiting or in work. An error of `make` is raised in
    place of its result. Closing ends the threads, each after its current result.
    """
    work = _Work(make, total, ahead)
    readers = [threading.Thread(target=work.run, name="read-ahead", daemon=True) for _ in range(threads)]
    for reader in readers:
        reader.start()
    try:
        for number in range(total):
            yield work.result(number)
    finally:
        work.close()
        for reader in readers:
            reader.join()


@dataclass(frozen=True)
class _Failed:
    error: BaseException


class _Work(Generic[T]):
    """State that the threads share."""

    def __init__(self, make: Callable[[int], T], total: int, ahead: int) -> None:
        self._make, self._total, self._ahead = make, total, ahead
        self._changed = threading.Condition()
        self._begun = self._requested = 0
        """Number of started results, and the number of the result that the consumer waits for or uses."""
        self._ready: dict[int, T | _Failed] = {}
        self._closed = False

    def run(self) -> None:
        while (number := self._next()) is not None:
            try:
                result: T | _Failed = self._make(number)
            except BaseException as error:
                result = _Failed(error)
            with self._changed:
                self._ready[number] = result
                self._changed.notify_all()

    def result(self, number: int) -> T:
        with self._changed:
            self._requested = number
            self._changed.notify_all()
            self._changed.wait_for(lambda: number in self._ready)
            result = self._ready.pop(number)
        if isinstance(result, _Failed):
            raise result.error
        return result

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _next(self) -> int | None:
        """The next number to make; None at the end."""
        with self._changed:
            self._changed.wait_for(self._may_go_on)
            if self._is_over():
                return None
            self._begun += 1
            return self._begun - 1

    def _may_go_on(self) -> bool:
        return self._is_over() or self._begun <= self._requested + self._ahead

    def _is_over(self) -> bool:
        return self._closed or self._begun == self._total
