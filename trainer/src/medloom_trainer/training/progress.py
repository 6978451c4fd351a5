"""What the running epoch has added up to so far."""

from __future__ import annotations

import torch
from torch import Tensor

from medloom_trainer.errors import TrainerError
from medloom_trainer.training.distributed.group import Group


class EpochRecord:
    """Loss of every batch of the running epoch, and how many cases were right; kept on the device, so that
    nothing waits for it.
    """

    def __init__(self, total_batches: int, device: torch.device) -> None:
        number = torch.float32 if device.type == "mps" else torch.float64  # MPS has no float64
        self.sums = torch.zeros(total_batches, dtype=number, device=device)
        self.right = torch.zeros((), dtype=torch.int64, device=device)

    def add(self, index: int, losses: Tensor, outputs: Tensor, labels: Tensor) -> None:
        self.sums[index] = losses.detach().sum()
        if labels.dtype == torch.int64:
            self.right += (outputs.detach().argmax(dim=1) == labels).sum()

    def refuse_non_finite(self, epoch: int, batches: int) -> None:
        """LOSS_NOT_FINITE naming the first such batch."""
        bad = (~torch.isfinite(self.sums[:batches])).nonzero()
        if len(bad):
            raise TrainerError(
                "LOSS_NOT_FINITE", f"the loss is not finite in epoch {epoch}, batch {int(bad[0]) + 1}"
            )

    def loss_of(self, index: int, cases: int) -> float:
        return float(self.sums[index]) / cases

    def accuracy(self, cases: int, task: str) -> float | None:
        return int(self.right) / cases if task == "classification" else None

    def totals(self, cases: int, task: str, group: Group) -> tuple[float, float | None]:
        """Mean loss over the cases of the epoch, and accuracy, over the whole group."""
        loss, right = group.sum(
            torch.stack([self.sums.double().sum().cpu(), self.right.double().cpu()])
        ).tolist()
        return loss / cases, right / cases if task == "classification" else None

    def clear(self) -> None:
        self.sums.zero_()
        self.right.zero_()
