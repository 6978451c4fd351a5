"""Learning-rate schedules: a factor on each group's peak rate, a pure function of the step (plateau: also of
the previous metrics).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from torch.optim import Optimizer

_DROP = 0.1
"""step: the factor after one third and again after two thirds of the training."""
_PLATEAU_DROP = 0.5
_PLATEAU_PATIENCE = 3
"""plateau: epochs without improvement of the monitored metric before the rate is halved."""
_ONECYCLE_RISE = 0.3
_ONECYCLE_START = 1 / 25
_ONECYCLE_END = 1e-4
"""onecycle: share of the steps with a rising rate (unless warmup_epochs sets it), first and last factor
(Smith & Topin 2018).
"""


@dataclass
class _Plateau:
    """State of the plateau schedule; part of the checkpoint."""

    factor: float = 1.0
    epochs_without_improvement: int = 0


class Schedule:
    """Sets the rates before each optimizer step. Steps count from 0; warm-up is linear and comes first."""

    def __init__(self, name: str, *, total_steps: int, steps_per_epoch: int, warmup_epochs: float) -> None:
        self.name = name
        self.total = max(1, total_steps)
        self.warmup = min(self.total, round(warmup_epochs * steps_per_epoch))
        self.plateau = _Plateau()

    def apply(self, optimizer: Optimizer, step: int) -> float:
        """Set every group's rate for this step, and return the rate of the last group (the layers after the
        backbone).
        """
        factor = self.factor(step)
        for group in optimizer.param_groups:
            group["lr"] = group["peak_lr"] * factor
        return float(optimizer.param_groups[-1]["lr"])

    def factor(self, step: int) -> float:
        if self.name == "onecycle":
            return self._onecycle(step)
        if step < self.warmup:
            return (step + 1) / (self.warmup + 1)
        # 0 at the first step after the warm-up, 1 just after the last step
        progress = min(1.0, (step - self.warmup) / max(1, self.total - self.warmup))
        match self.name:
            case "cosine":
                return _cosine(progress)
            case "step":
                return _DROP ** min(2, int(progress * 3))
            case "plateau":
                return self.plateau.factor
        return 1.0

    def end_epoch(self, improved: bool) -> None:
        """plateau: halve the rate after _PLATEAU_PATIENCE epochs without improvement."""
        if improved:
            self.plateau.epochs_without_improvement = 0
            return
        self.plateau.epochs_without_improvement += 1
        if self.plateau.epochs_without_improvement >= _PLATEAU_PATIENCE:
            self.plateau = _Plateau(factor=self.plateau.factor * _PLATEAU_DROP)

    def state(self) -> dict[str, Any]:
        return asdict(self.plateau)

    def restore(self, state: dict[str, Any]) -> None:
        self.plateau = _Plateau(**state)

    def _onecycle(self, step: int) -> float:
        rise = self.warmup or max(1, round(_ONECYCLE_RISE * self.total))
        if step < rise:
            return _ONECYCLE_START + (1 - _ONECYCLE_START) * (1 - _cosine(step / rise))
        fall = min(1.0, (step - rise) / max(1, self.total - 1 - rise))
        return _ONECYCLE_END + (1 - _ONECYCLE_END) * _cosine(fall)


def _cosine(progress: float) -> float:
    """1 at 0, 0 at 1."""
    return 0.5 * (1 + math.cos(math.pi * progress))
