"""The only module that imports timm: it makes its torchvision dependency loadable with every build of torch,
and keeps the hub offline.
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
    """Import timm once. Nothing is downloaded: weights come from files (see weights.py)."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    _declare_missing_operators()
    return importlib.import_module("timm")


_declared: list[torch.library.Library] = []
"""References to the declarations, which are removed with their Library."""


def _declare_missing_operators() -> None:
    """Declare operators of torchvision that it cannot load. A torchvision built for another torch cannot load
    its own operators, and then its import fails at the first one that it names.

    The backbones use none of them, so declaring their signatures is sufficient for the import.
    """
    if _torchvision_loads():
        return
    library = torch.library.Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")  # type: ignore[no-untyped-call]
    _declared.append(library)


def _torchvision_loads() -> bool:
    """Return whether the compiled operators of torchvision fit this torch, without importing torchvision."""
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
