"""The device of a configuration."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class DeviceRequest:
    """Parsed training.device: the kind, and one entry for each process (CUDA: the number of its GPU)."""

    kind: str
    processes: tuple[int, ...]


def processes_of_nodes(text: str) -> tuple[int, int] | None:
    """(nodes, processes on each) of "cuda:4x2" and "cpu:2x2"; None for a device of one machine."""
    processes, found, nodes = text.partition(":")[2].partition("x")
    return (int(nodes), int(processes)) if found else None


def read_device(text: str) -> DeviceRequest:
    """DEVICE_UNAVAILABLE if this machine does not have it. "auto" selects CUDA, then MPS, then the CPU. In a
    process of a group on several nodes: the device of that process, whose only GPU is the first that it
    sees.
    """
    if text == "auto":
        kind = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        return DeviceRequest(kind, (0,))
    kind, _, rest = text.partition(":")
    if processes_of_nodes(text) is not None:
        if is_member():
            return DeviceRequest(kind, (0,))
        raise TrainerError("DEVICE_UNAVAILABLE", phrase("device_of_several_nodes", device=text))
    if kind == "cpu":
        return DeviceRequest("cpu", tuple(range(int(rest or 1))))
    if kind == "mps":
        if not torch.backends.mps.is_available():
            raise TrainerError("DEVICE_UNAVAILABLE", phrase("no_apple_gpu"))
        return DeviceRequest("mps", (0,))
    numbers = tuple(int(number) for number in rest.split(",")) if rest else (0,)
    found = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if len(set(numbers)) != len(numbers) or max(numbers) >= found:
        raise TrainerError(
            "DEVICE_UNAVAILABLE",
            phrase("cuda_devices_found", device=text, number=found)
            if found
            else phrase("no_cuda_device", device=text),
        )
    return DeviceRequest("cuda", numbers)


def is_member() -> bool:
    """Return whether this process was started as one of a group, by torchrun or on a node of a cluster."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
