"""Losses, one number for each case; the caller averages them."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_FOCAL_EXPONENT = 2.0
"""Exponent of the focal loss (Lin et al. 2017)."""


class CaseLoss(nn.Module):
    """forward: outputs (B, K) logits with labels (B,) of int64, or (B, 1) with normalized labels (B,) → (B,)
    losses.

    Class weights are scaled so that they average 1 over the training cases: they change the weight of
    classes, but not the learning rate.
    """

    def __init__(
        self, name: str, *, class_weights: Tensor | None = None, label_smoothing: float = 0.0
    ) -> None:
        super().__init__()
        self.compute = LOSSES[name]
        self.label_smoothing = label_smoothing
        self.class_weights: Tensor | None
        self.register_buffer("class_weights", class_weights, persistent=False)

    def forward(self, outputs: Tensor, labels: Tensor) -> Tensor:
        losses = self.compute(outputs, labels, self.label_smoothing)
        if self.class_weights is not None:
            losses = losses * self.class_weights[labels].to(losses.dtype)
        return losses


class FlagLoss(CaseLoss):
    """forward: outputs (B, L) logits with labels (B, L) of 1, 0 and -1 if unknown → (B,) losses: computed for
    each known label and averaged over those of the case.

    label_weights (2, L): of no and of yes. Smoothing moves yes and no towards one half.
    """

    def __init__(
        self, name: str, *, label_weights: Tensor | None = None, label_smoothing: float = 0.0
    ) -> None:
        super().__init__(name, label_smoothing=label_smoothing)
        self.exponent = _FOCAL_EXPONENT if name == "focal" else 0.0
        self.label_weights: Tensor | None
        self.register_buffer("label_weights", label_weights, persistent=False)

    def forward(self, outputs: Tensor, labels: Tensor) -> Tensor:
        known, yes = labels >= 0, (labels == 1).to(outputs.dtype)
        smoothed = yes * (1 - self.label_smoothing) + self.label_smoothing / 2
        losses = F.binary_cross_entropy_with_logits(outputs, smoothed, reduction="none")
        if self.exponent:
            probability = outputs.sigmoid()
            losses = losses * (yes * (1 - probability) + (1 - yes) * probability) ** self.exponent
        if self.label_weights is not None:
            weights = self.label_weights.to(losses.dtype)
            losses = losses * (yes * weights[1] + (1 - yes) * weights[0])
        return (losses * known).sum(dim=1) / known.sum(dim=1)


class HazardLoss(CaseLoss):
    """forward: outputs (B, K) logits of the hazards of K intervals with targets (B, 2), the number of
    outlived intervals and the interval of the event, or -1 → (B,) negative log-likelihoods."""

    def __init__(self) -> None:
        super().__init__("mse")

    def forward(self, outputs: Tensor, labels: Tensor) -> Tensor:
        outlived, happened = labels[:, :1], labels[:, 1:]
        interval = torch.arange(outputs.shape[1], device=outputs.device)
        log_left, log_hazard = F.logsigmoid(-outputs), F.logsigmoid(outputs)
        return -(log_left * (interval < outlived) + log_hazard * (interval == happened)).sum(dim=1)


def _cross_entropy(outputs: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    return F.cross_entropy(outputs, labels, reduction="none", label_smoothing=smoothing)


def _focal(outputs: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    probability = (
        outputs.softmax(dim=1).gather(1, labels.unsqueeze(1)).squeeze(1)
    )  # (B,) probability of the true class
    return (1 - probability) ** _FOCAL_EXPONENT * _cross_entropy(outputs, labels, smoothing)


def _squared(outputs: Tensor, labels: Tensor, _: float) -> Tensor:
    return (outputs.squeeze(1) - labels) ** 2


def _absolute(outputs: Tensor, labels: Tensor, _: float) -> Tensor:
    return (outputs.squeeze(1) - labels).abs()


def _huber(outputs: Tensor, labels: Tensor, _: float) -> Tensor:
    return F.huber_loss(outputs.squeeze(1), labels, reduction="none")


CLASS_LOSSES = ("cross_entropy", "focal")
"""Losses for classes; the others are for numbers."""
LOSSES: dict[str, Callable[[Tensor, Tensor, float], Tensor]] = {
    "cross_entropy": _cross_entropy,
    "focal": _focal,
    "mse": _squared,
    "mae": _absolute,
    "huber": _huber,
}
"""Name in the configuration → loss of each case."""
