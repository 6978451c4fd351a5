"""The progress of a training: its position, the finished epochs, and the sums of the running one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.outcomes.kind import Threshold
from medloom_trainer.training.distributed.group import Group


@dataclass
class Position:
    """The next batch to train: epoch counts from 1, batch and optimizer step from 0."""

    epoch: int = 1
    batch: int = 0
    step: int = 0


@dataclass
class Progress:
    """Part of every checkpoint, except for the predictions and the history."""

    running: RunningEpoch
    position: Position = field(default_factory=Position)
    resumed_at: Position | None = None
    """Position of the last checkpoint of this run when an attempt of it resumed there."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """{"epoch", "metrics", "notes"} of every finished epoch."""
    threshold: Threshold = None
    """Chosen on the validation split after the last epoch."""
    fitted_on_validation: dict[str, Any] | None = None
    """Result of `fit_on_validation` after the last epoch; None before the first, and if an older version
    trained it."""
    of_best: dict[str, Any] = field(default_factory=dict)
    """For an ensemble, whose networks have their best epochs at different times: threshold and
    fitted_on_validation of these together; empty before the first epoch."""
    best_predictions: npt.NDArray[np.float64] | None = None
    """Predictions of the best epoch on the validation split; None if an earlier job trained that epoch."""

    @property
    def has_moved(self) -> bool:
        """Return whether there is more to save than the last checkpoint of the run contains."""
        return self.position != self.resumed_at

    @property
    def latest_metrics(self) -> dict[str, float | None]:
        """Metrics of the last finished epoch; empty before the first."""
        return self.history[-1]["metrics"] if self.history else {}


class RunningEpoch:
    """Loss of every batch of the running epoch, and the number of correct cases; stored on the device, so
    that nothing waits for it.
    """

    def __init__(self, total_batches: int, device: torch.device, *, counts_right: bool) -> None:
        """counts_right: predictions of the outcome are correct or not."""
        self.counts_right = counts_right
        number = torch.float32 if device.type == "mps" else torch.float64  # MPS has no float64
        self.sums = torch.zeros(total_batches, dtype=number, device=device)
        self.right = torch.zeros((), dtype=torch.int64, device=device)

    def add(self, index: int, losses: Tensor, right: Tensor | None) -> None:
        """losses (B,) of batch `index`, which counts from 0, and (B,) the correct cases; None if predictions
        of the outcome are not correct or wrong."""
        self.sums[index] = losses.detach().sum()
        if right is not None:
            self.right += right.sum()

    def refuse_non_finite(self, epoch: int, batches: int) -> None:
        """LOSS_NOT_FINITE naming the first of the `batches` so far whose loss is not finite."""
        bad = (~torch.isfinite(self.sums[:batches])).nonzero()
        if len(bad):
            raise TrainerError(
                "LOSS_NOT_FINITE", phrase("loss_not_finite_in", epoch=epoch, batch=int(bad[0]) + 1)
            )

    def loss_of(self, index: int, cases: int) -> float:
        return float(self.sums[index]) / cases

    def accuracy(self, cases: int) -> float | None:
        return int(self.right) / cases if self.counts_right else None

    def totals(self, cases: int, group: Group) -> tuple[float, float | None]:
        """Mean loss over the cases of the epoch, and accuracy, over the whole group."""
        loss, right = group.sum(
            torch.stack([self.sums.double().sum().cpu(), self.right.double().cpu()])
        ).tolist()
        return loss / cases, right / cases if self.counts_right else None

    def clear(self) -> None:
        self.sums.zero_()
        self.right.zero_()
