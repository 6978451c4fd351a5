"""Resource usage of a training, measured every few seconds: resources.<attempt>.jsonl (contract
TrainerResources).
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil

from medloom_trainer.concurrency.repetition import Repetition
from medloom_trainer.durations import RESOURCES_INTERVAL
from medloom_trainer.exchange.gpu_usage import GpuUsage
from medloom_trainer.files import write_all

Values = dict[str, float | None]
Reasons = dict[str, str]


@contextmanager
def measured(path: Path, root: int, gpus: GpuUsage, step: Callable[[], int]) -> Iterator[None]:
    """Measure the process `root` and its descendants from a separate thread while the block runs, and once at
    its end.

    step: batches since the start of the training. A value that cannot be measured is null with a reason, and
    one that cannot be written is left out: neither ends a training.
    """
    usage = ProcessUsage(root)

    def measure() -> None:
        with suppress(OSError), open(path, "ab", buffering=0) as file:
            write_all(file.fileno(), _line(step(), usage, gpus, path.parent))

    repetition = Repetition("resources", measure, interval=RESOURCES_INTERVAL, at_end=True)
    try:
        yield
    finally:
        repetition.end(timeout=RESOURCES_INTERVAL)


def _line(step: int, usage: ProcessUsage, gpus: GpuUsage, folder: Path) -> bytes:
    values: Values = {}
    reasons: Reasons = {}
    for measure in (usage.measure, gpus.measure):
        measured, why = measure()
        values.update(measured)
        reasons.update(why)
    try:
        values["disk_free_bytes"] = shutil.disk_usage(folder).free
    except OSError as error:
        values["disk_free_bytes"] = None
        reasons["disk_free_bytes"] = f"the file system does not report it: {error.strerror}"
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"at": now, "step": step, "values": values, "reasons": reasons}).encode() + b"\n"


@dataclass(frozen=True)
class _Counted:
    """Resources that a process has used since its start; None if the system does not report them."""

    cpu_seconds: float | None = None
    memory_bytes: float | None = None
    read_bytes: float | None = None
    written_bytes: float | None = None


class ProcessUsage:
    """Processor, memory and disk of a process and its descendants."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._measured_at = time.monotonic()
        self._known = self._count()

    def measure(self) -> tuple[Values, Reasons]:
        """Processor usage in percent of a core, and bytes per second written to and read from disks, both
        since the last call; resident memory, in which pages shared by several processes count for each.
        """
        now = time.monotonic()
        seconds = max(1e-3, now - self._measured_at)
        before, self._known, self._measured_at = self._known, self._count(), now

        def rate(name: str) -> float | None:
            grown = [
                max(0.0, used - (getattr(before.get(pid, _Counted()), name) or 0.0))
                for pid, counted in self._known.items()
                if (used := getattr(counted, name)) is not None
            ]
            return sum(grown) / seconds if grown else None

        cpu = rate("cpu_seconds")
        memory = [counted.memory_bytes for counted in self._known.values() if counted.memory_bytes]
        values = {
            "cpu_percent": None if cpu is None else round(100 * cpu, 1),
            "memory_bytes": sum(memory) if memory else None,
            "disk_read_bytes_per_second": rate("read_bytes"),
            "disk_written_bytes_per_second": rate("written_bytes"),
        }
        why = "this system does not report it for a process"
        return values, {name: why for name, value in values.items() if value is None}

    def _count(self) -> dict[int, _Counted]:
        return {pid: counted for pid in _with_descendants(self._root) if (counted := _counted(pid))}


def _counted(pid: int) -> _Counted | None:
    """None if the process has ended."""
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            times, memory = process.cpu_times(), process.memory_info().rss
            disk = _disk(process)
    except psutil.NoSuchProcess:
        return None
    except psutil.Error:
        return _Counted()
    return _Counted(times.user + times.system, memory, *disk)


def _disk(process: psutil.Process) -> tuple[float | None, float | None]:
    """Bytes read and written; macOS does not count them."""
    try:
        counters = process.io_counters()
    except (AttributeError, psutil.AccessDenied):
        return None, None
    return counters.read_bytes, counters.write_bytes


def _with_descendants(root: int) -> Iterable[int]:
    """Linux lists the children of a thread; on other systems every process of the machine is searched."""
    tasks = Path(f"/proc/{root}/task")
    try:
        if not any(tasks.glob("*/children")):
            children = psutil.Process(root).children(recursive=True)
            return [root, *(child.pid for child in children)]
    except (OSError, psutil.Error):
        return [root]
    found = [root]
    for pid in found:  # grows during the iteration
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                found.extend(int(child) for child in task.read_text().split())
    return found
