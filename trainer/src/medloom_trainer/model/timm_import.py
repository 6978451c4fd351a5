"""The one place that imports timm: its torchvision dependency is made to load on every build of torch, and
the hub stays offline.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from functools import cache
from pathlib import Path
from types import ModuleType

import torch


@cache
def import_timm() -> ModuleType:
    """timm, imported once. Nothing is fetched: weights come from files (see weights.py)."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    _declare_missing_operators()
    return importlib.import_module("timm")


_declared: list[torch.library.Library] = []
"""Keeps the declarations alive: they vanish with their Library."""


def _declare_missing_operators() -> None:
    """A torchvision built for another torch cannot load its own operators, and then its import fails on the
    first that it names.

    The backbones use none of them, so declaring their signatures is enough to import it.
    """
    if _torchvision_loads():
        return
    library = torch.library.Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")  # type: ignore[no-untyped-call]
    _declared.append(library)


def _torchvision_loads() -> bool:
    """Whether the compiled operators of torchvision fit this torch. Asks without importing torchvision."""
    package = importlib.util.find_spec("torchvision")
    if package is None or package.origin is None:
        return False
    for compiled in sorted(Path(package.origin).parent.glob("_C*")):
        if compiled.suffix not in (".so", ".pyd", ".dylib"):
            continue
        try:
            torch.ops.load_library(str(compiled))  # type: ignore[no-untyped-call]
        except OSError:
            return False
        return True
    return False
