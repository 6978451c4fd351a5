"""The task `probe`: the version of Python, the packages and the accelerators."""

from __future__ import annotations

import platform
import subprocess
from typing import Any

from medloom_trainer.software import package_versions

_MIB = 1 << 20


def probe() -> dict[str, Any]:
    """Return the result that contracts declare for `probe`. It imports torch and uses no GPU memory if that
    can be avoided."""
    import torch

    return {
        "python_version": platform.python_version(),
        "pytorch_version": torch.__version__,
        "packages": package_versions(),
        "cuda": [_device(number) for number in range(torch.cuda.device_count())],
        "mps": bool(torch.backends.mps.is_available()),
    }


def _device(number: int) -> dict[str, Any]:
    import torch

    properties = torch.cuda.get_device_properties(number)
    used = _memory_used(str(properties.uuid))
    if used is None:  # creates a context on the device, which uses some of its memory until this process ends
        free, total = torch.cuda.mem_get_info(number)
        used = total - free
    return {
        "id": number,
        "name": properties.name,
        "memory_total_bytes": int(properties.total_memory),
        "memory_used_bytes": int(used),
    }


def _memory_used(uuid: str) -> int | None:
    """Bytes in use on the device according to the driver; None if nvidia-smi reports no number."""
    command = ["nvidia-smi", f"--id=GPU-{uuid}", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
        return int(answer.stdout.strip()) * _MIB
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
