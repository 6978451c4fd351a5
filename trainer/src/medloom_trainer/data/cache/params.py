"""What decides the bytes of a record in the prepared image store."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from medloom_trainer.data.images import Depth

_VERSION = 3
"""Raised whenever the same file would give another record."""


@dataclass(frozen=True)
class StoreParams:
    """Size, depth and window of every record of one store."""

    width: int
    height: int
    depth: Depth
    window: tuple[float, float] | None
    """(center, width) in stored units; None: the full range."""
    version: int = _VERSION

    @property
    def shape(self) -> tuple[int, int, int]:
        return (self.height, self.width, 3)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.depth == 8 else np.uint16)

    @property
    def record_bytes(self) -> int:
        return self.height * self.width * 3 * self.dtype.itemsize

    @property
    def key(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]
