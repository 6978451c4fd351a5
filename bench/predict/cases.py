"""The cases that each peer predicts, and the clock."""

from __future__ import annotations

import csv
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Order(NamedTuple):
    folder: Path
    photo: Path
    rounds: int
    side: int

    @staticmethod
    def read() -> Order:
        folder, photo, rounds, side = sys.argv[1:]
        return Order(Path(folder), Path(photo), int(rounds), int(side))

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.folder / name).open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @property
    def image_column(self) -> str:
        (row, *_) = self.rows("train.csv")
        return next(name for name, text in row.items() if text.endswith((".png", ".jpg")))


def times(order: Order, one: Callable[[], object], photo: Callable[[], object], table: Callable[[], object]):
    """Milliseconds by kind of request."""
    return {
        "one case": median_of(order.rounds, one),
        "12 megapixels": median_of(order.rounds, photo),
        "a table": median_of(3, table),
    }


def median_of(count: int, work: Callable[[], object]) -> float:
    """After one call that is not counted."""
    work()
    found = []
    for _ in range(count):
        began = time.perf_counter()
        work()
        found.append((time.perf_counter() - began) * 1000)
    return statistics.median(found)
