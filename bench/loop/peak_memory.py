from __future__ import annotations

import threading

import psutil


class PeakMemory:
    """Largest resident memory while the block ran, with that of child processes, and what the block added."""

    def __enter__(self) -> PeakMemory:
        self.process = psutil.Process()
        self.before = self.largest = self._now()
        self.done = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.watcher.join()

    def peaks(self) -> dict[str, float]:
        return {"peak_mib": self.largest / 2**20, "added_mib": (self.largest - self.before) / 2**20}

    def _watch(self) -> None:
        while not self.done.wait(0.05):
            self.largest = max(self.largest, self._now())

    def _now(self) -> int:
        total = self.process.memory_info().rss
        for child in self.process.children(recursive=True):
            try:
                total += child.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return int(total)
