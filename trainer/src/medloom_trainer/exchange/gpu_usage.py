"""Utilization and memory of the GPUs that a training uses, as reported by NVIDIA's driver."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from medloom_trainer.contract.phrases import phrase

Values = dict[str, float | None]
Reasons = dict[str, str]

_NAMES = ("gpu_percent", "gpu_memory_bytes")


class _Utilization(ctypes.Structure):
    """nvmlUtilization_t: percent of the time since the last sample of the driver."""

    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class _Memory(ctypes.Structure):
    """nvmlMemory_t, bytes."""

    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class GpuUsage:
    """kind: "cuda", "mps" or "cpu"; devices: numbers in the order of PyTorch."""

    def __init__(self, kind: str, devices: Sequence[int]) -> None:
        self._kind = kind
        self._devices = devices
        self._handles: list[ctypes.c_void_p] | None = None
        self._nvml: ctypes.CDLL | None = None

    def measure(self) -> tuple[Values, Reasons]:
        """Return the mean utilization of the devices, and the total memory in use on them, also by other
        processes.
        """
        if self._kind != "cuda":
            return _without(phrase("note_on_mps" if self._kind == "mps" else "note_on_cpu"))
        try:
            found = [self._of(handle) for handle in self._opened()]
        except (OSError, AttributeError, RuntimeError) as error:
            return _without(f"the NVIDIA driver does not report it: {error}")
        if not found:
            return _without(phrase("note_no_cuda"))
        utilization = [percent for percent, _ in found]
        used = sum(used for _, used in found)
        return dict(zip(_NAMES, (sum(utilization) / len(utilization), used), strict=True)), {}

    def _opened(self) -> list[ctypes.c_void_p]:
        """Open NVML only after the training has initialized CUDA, since this must not initialize it."""
        import torch

        if self._handles is None and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
            self._nvml = ctypes.CDLL("libnvidia-ml.so.1")
            self._check(self._nvml.nvmlInit_v2())
            self._handles = [self._handle(device) for device in self._devices]
        return self._handles or []

    def _handle(self, device: int) -> ctypes.c_void_p:
        """Find the device by its UUID: the driver numbers devices in another order than
        CUDA_VISIBLE_DEVICES."""
        import torch

        uuid = "GPU-" + str(torch.cuda.get_device_properties(device).uuid).removeprefix("GPU-")
        handle = ctypes.c_void_p()
        self._check(self._library().nvmlDeviceGetHandleByUUID(uuid.encode(), ctypes.byref(handle)))
        return handle

    def _of(self, handle: ctypes.c_void_p) -> tuple[float, float]:
        utilization, memory = _Utilization(), _Memory()
        self._check(self._library().nvmlDeviceGetUtilizationRates(handle, ctypes.byref(utilization)))
        self._check(self._library().nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory)))
        return float(utilization.gpu), float(memory.used)

    def _library(self) -> ctypes.CDLL:
        if self._nvml is None:
            raise OSError("the NVIDIA library was not loaded")
        return self._nvml

    @staticmethod
    def _check(status: int) -> None:
        if status != 0:
            raise OSError(f"status {status}")


def _without(reason: str) -> tuple[Values, Reasons]:
    return dict.fromkeys(_NAMES), dict.fromkeys(_NAMES, reason)
