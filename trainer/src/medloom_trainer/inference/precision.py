"""Mixed precision: the meaning of a configuration on a device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Literal

import torch

Precision = Literal["off", "bf16", "fp16"]
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def choose_precision(setting: str, device: torch.device) -> Precision:
    """auto: bf16 if CUDA supports it natively, otherwise off."""
    if setting == "auto":
        return (
            "bf16"
            if device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
            else "off"
        )
    if setting == "bf16":
        return "bf16"
    return "fp16" if setting == "fp16" else "off"


def autocast(precision: Precision, device: torch.device) -> AbstractContextManager[Any]:
    """The context of the forward pass."""
    return nullcontext() if precision == "off" else torch.autocast(device.type, dtype=_DTYPES[precision])


@contextmanager
def full_precision() -> Iterator[None]:
    """float32 for all operations: convolutions and products on a GPU without TensorFloat-32, whose 10-bit
    mantissa torch uses for convolutions by default.
    """
    backends: tuple[Any, ...] = (torch.backends.cudnn, torch.backends.cuda.matmul)
    before = [backend.allow_tf32 for backend in backends]
    try:
        for backend in backends:
            backend.allow_tf32 = False
        yield
    finally:
        for backend, allowed in zip(backends, before, strict=True):
            backend.allow_tf32 = allowed
