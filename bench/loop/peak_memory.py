from __future__ import annotations

import threading
import time
from types import TracebackType

import psutil
import torch

INTERVAL = 0.1
"""Seconds between two measurements."""


class PeakMemory:
    """Peak resident memory including child processes while it was measured, its increase since the start,
    and the peak memory of a GPU.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def __enter__(self) -> PeakMemory:
        self.process = psutil.Process()
        self.before = self.largest = self._now()
        self.watched = threading.Event()
        self.done = False
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.done = True
        self.watched.set()
        self.watcher.join()

    def watch(self) -> None:
        self.watched.set()

    def rest(self) -> None:
        """Measurement takes time, which now belongs to another contender."""
        self.watched.clear()
        self.largest = max(self.largest, self._now())

    def peaks(self) -> dict[str, float]:
        peaks = {"peak_mib": self.largest / 2**20, "added_mib": (self.largest - self.before) / 2**20}
        if self.device.type == "cuda":
            peaks["gpu_mib"] = torch.cuda.max_memory_allocated(self.device) / 2**20
        return peaks

    def _watch(self) -> None:
        while not self.done:
            self.watched.wait()
            self.largest = max(self.largest, self._now())
            time.sleep(INTERVAL)

    def _now(self) -> int:
        total = self.process.memory_info().rss
        for child in self.process.children(recursive=True):
            try:
                total += child.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return int(total)
