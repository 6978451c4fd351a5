"""Aggregators: several views of a case become one vector. Each reads the mask of existing views; none depends
on their number.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from medloom_trainer.model.attention import MultiHeadAttention, TransformerBlock

_MOMENTUM = 0.1
"""Momentum of the running mean of the views, as in BatchNorm."""


class ViewAggregator(nn.Module):
    """views (B, V, …, H), view_mask (B, V) True if a view exists, or None if all do → (B, …, H).

    A missing view is left out (missing_view "mask") or replaced by a token (missing_view "token"). A case
    without any view becomes the token: the running mean of the views in training plus a learned difference,
    which starts at zero, so that a view that was never missing in training is read as the average. Positions
    between V and H are aggregated separately with the same weights. Not learnable: the parameters of the
    method keep their initial values, but the token is learned.
    """

    def __init__(
        self,
        method: str,
        missing_view: str,
        *,
        learnable: bool = True,
        num_views: int,
        width: int,
        num_heads: int,
        dropout: float,
    ) -> None:
        super().__init__()
        self.token_for_missing = missing_view == "token"
        self.missing = nn.Parameter(torch.zeros(width))
        self.mean: Tensor
        self.batches: Tensor
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("batches", torch.zeros(()))
        self.method = AGGREGATORS[method](num_views, width, num_heads, dropout)
        self.method.requires_grad_(learnable)

    def forward(self, views: Tensor, view_mask: Tensor | None) -> Tensor:
        batch, num_views, *positions, width = views.shape
        if view_mask is None:
            view_mask = torch.ones(batch, num_views, dtype=torch.bool, device=views.device)
        mask = view_mask.reshape(batch, num_views, *[1] * len(positions)).expand(views.shape[:-1])
        # Each position is a separate case: (B · positions, V, H).
        rows = views.movedim(1, -2).reshape(-1, num_views, width)
        mask = mask.movedim(1, -1).reshape(-1, num_views)
        if self.training:
            self._follow(rows.detach(), mask)
        rows = torch.where(mask.unsqueeze(2), rows, self.mean + self.missing)
        # A case without views reads the token: attention without any key would be 0 / 0.
        none = ~mask.any(dim=1, keepdim=True)
        mask = torch.ones_like(mask) if self.token_for_missing else mask | none
        aggregated: Tensor = self.method(rows, mask)
        return aggregated.reshape(batch, *positions, width)

    def _load_from_state_dict(
        self, state_dict: dict[str, Tensor], prefix: str, *rest: Any, **options: Any
    ) -> None:
        """Models of older versions have no running mean: their token is the complete value."""
        for name in ("mean", "batches"):
            state_dict.setdefault(f"{prefix}{name}", torch.zeros_like(self.get_buffer(name)))
        super()._load_from_state_dict(state_dict, prefix, *rest, **options)

    @torch.no_grad()
    def _follow(self, rows: Tensor, mask: Tensor) -> None:
        """Update the running mean: at first the mean of all batches, then an exponential one, since the
        network changes during training."""
        there = mask.unsqueeze(2).float()
        count = there.sum()
        # Without a branch on the device: a batch without views has no effect.
        mean = (rows.float() * there).sum(dim=(0, 1)) / count.clamp(min=1)
        self.batches += (count > 0).float()
        rate = torch.clamp(1 / self.batches.clamp(min=1), min=_MOMENTUM) * (count > 0).float()
        self.mean += rate * (mean - self.mean)


class Mean(nn.Module):
    """The mean of the existing views."""

    def __init__(self, num_views: int, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()

    def forward(self, views: Tensor, mask: Tensor) -> Tensor:
        return _weighted_mean(views, mask.to(views.dtype))


class Max(nn.Module):
    """The largest value of each feature over the existing views."""

    def __init__(self, num_views: int, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()

    def forward(self, views: Tensor, mask: Tensor) -> Tensor:
        return views.masked_fill(~mask.unsqueeze(2), -torch.inf).amax(dim=1)


class Attention(nn.Module):
    """A learned query reads the views (attention pooling, Lee et al. 2019)."""

    def __init__(self, num_views: int, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.query = nn.Parameter(torch.randn(1, 1, width) / math.sqrt(width))
        self.attention = MultiHeadAttention(width, num_heads, dropout)
        self.norm = nn.LayerNorm(width)

    def forward(self, views: Tensor, mask: Tensor) -> Tensor:
        read = self.attention(self.query.expand(views.shape[0], -1, -1), views, mask).squeeze(1)
        # Adding the mean keeps the views in the sum before the attention is trained.
        pooled: Tensor = self.norm(read + _weighted_mean(views, mask.to(views.dtype)))
        return pooled


class CrossView(nn.Module):
    """The views attend to one another (self-attention without positions, so their order has no effect),
    followed by their mean.
    """

    def __init__(self, num_views: int, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.block = TransformerBlock(width, num_heads, dropout)

    def forward(self, views: Tensor, mask: Tensor) -> Tensor:
        return _weighted_mean(self.block(views, mask), mask.to(views.dtype))


class LearnedWeight(nn.Module):
    """A learned weight for each view column, softmax over the existing ones. Views beyond the known ones get
    the average weight.
    """

    def __init__(self, num_views: int, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(num_views))

    def forward(self, views: Tensor, mask: Tensor) -> Tensor:
        known, num_views = self.logits.shape[0], views.shape[1]
        logits = self.logits[:num_views]
        if num_views > known:
            logits = torch.cat([logits, self.logits.mean().expand(num_views - known)])
        weights = logits.expand(mask.shape).masked_fill(~mask, -torch.inf).softmax(dim=1)
        return _weighted_mean(views, weights.to(views.dtype))


def _weighted_mean(views: Tensor, weights: Tensor) -> Tensor:
    """views (N, V, H), weights (N, V) with a positive sum → (N, H)"""
    return (views * weights.unsqueeze(2)).sum(dim=1) / weights.sum(dim=1, keepdim=True)


AGGREGATORS: dict[str, type[Mean | Max | Attention | CrossView | LearnedWeight]] = {
    "mean": Mean,
    "max": Max,
    "attention": Attention,
    "cross_view": CrossView,
    "learned_weight": LearnedWeight,
}
"""Name in the configuration → aggregator."""
