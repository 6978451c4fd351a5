"""Resource usage of a training is measured concurrently, and never disturbs it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from medloom_trainer.exchange import resources
from medloom_trainer.exchange.gpu_usage import GpuUsage
from medloom_trainer.exchange.resources import ProcessUsage, measured
from testing.contracts import require_contract
from testing.eventually import eventually

NAMES = {
    *("cpu_percent", "memory_bytes", "gpu_percent", "gpu_memory_bytes", "disk_free_bytes"),
    *("disk_read_bytes_per_second", "disk_written_bytes_per_second"),
}


def lines(path: Path) -> list[dict]:
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for line in found:
        require_contract(line, "resources")
    return found


def test_a_line_every_interval_and_one_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "RESOURCES_INTERVAL", 0.05)
    path = tmp_path / "resources.1.jsonl"
    steps = iter(range(1_000_000))
    with measured(path, os.getpid(), GpuUsage("cpu", [0]), lambda: next(steps)):
        eventually(
            lambda: path.read_text().splitlines() if path.exists() else [], lambda found: len(found) >= 3
        )
    found = lines(path)
    assert len(found) >= 4
    assert [line["step"] for line in found] == list(range(len(found)))
    for line in found:
        assert set(line["values"]) == NAMES
        assert line["values"]["memory_bytes"] > 10_000_000
        assert line["values"]["disk_free_bytes"] > 0
        nulls = {name for name, value in line["values"].items() if value is None}
        assert nulls == set(line["reasons"])
        assert line["reasons"]["gpu_percent"] == "the training runs on the CPU"


def test_descendants_count_with_what_they_compute_and_hold():
    code = "held = b'x' * 200_000_000\nwhile True: pass"
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    usage = ProcessUsage(os.getpid())
    before = usage.measure()[0]
    child = subprocess.Popen([sys.executable, "-c", inner])
    try:
        eventually(
            lambda: usage.measure()[0],
            lambda now: now["memory_bytes"] - before["memory_bytes"] > 200_000_000 and now["cpu_percent"] > 5,
        )
    finally:
        for process in psutil.Process(child.pid).children(recursive=True):
            process.kill()
        child.kill()
        child.wait()
    usage.measure()
    assert usage.measure()[0]["memory_bytes"] - before["memory_bytes"] < 100_000_000


def test_what_the_system_does_not_tell_is_null_with_a_reason(monkeypatch):
    def absent(_: psutil.Process) -> None:
        raise AttributeError("io_counters")

    monkeypatch.setattr(psutil.Process, "io_counters", absent)  # like on macOS
    values, reasons = ProcessUsage(os.getpid()).measure()
    assert values["disk_read_bytes_per_second"] is values["disk_written_bytes_per_second"] is None
    assert set(reasons) == {"disk_read_bytes_per_second", "disk_written_bytes_per_second"}
    values, reasons = ProcessUsage(2**22 + 1).measure()  # this process does not exist
    assert values["cpu_percent"] is None
    assert set(reasons) == set(values)


def test_a_folder_that_is_gone_and_a_full_disk_end_nothing(tmp_path, monkeypatch):
    with measured(tmp_path / "gone" / "resources.1.jsonl", os.getpid(), GpuUsage("cpu", [0]), lambda: 0):
        pass

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(resources, "write_all", full)
    with measured(tmp_path / "resources.1.jsonl", os.getpid(), GpuUsage("cpu", [0]), lambda: 0):
        pass
    assert (tmp_path / "resources.1.jsonl").read_bytes() == b""


def test_a_gpu_is_measured_while_it_computes():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this machine has no CUDA device")
    usage = GpuUsage("cuda", [0])
    values = torch.ones(4096, 4096, device="cuda")

    def computed() -> dict:
        nonlocal values
        for _ in range(200):
            values = values @ values * 0
        torch.cuda.synchronize()
        found, reasons = usage.measure()
        assert reasons == {}
        return found

    found = eventually(computed, lambda seen: seen["gpu_percent"] > 0)
    assert found["gpu_percent"] <= 100
    assert found["gpu_memory_bytes"] > values.nbytes
