"""Combined predictions of several networks: outputs whose prediction is the mean or the product of theirs."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from medloom_trainer.data.types import Task

_NO_WEIGHT = 1e-30
"""Replaces 0, whose logarithm is not finite."""


def mean_outputs(outputs: Tensor, *, task: Task) -> Tensor:
    """outputs (M, B, K) of M networks → (B, K) whose prediction is the mean of theirs: of probabilities, of
    numbers, of survival curves.
    """
    if task == "regression":
        return outputs.mean(dim=0)
    if task == "classification":
        return outputs.log_softmax(dim=2).logsumexp(dim=0) - math.log(outputs.shape[0])
    return _mixed_logits(outputs, torch.zeros_like(outputs[:, :, :1]), curves=task == "survival")


def share_outputs(first: Tensor, second: Tensor, share: float, *, task: Task) -> Tensor:
    """(B, K) of two models → (B, K) whose prediction is the weighted mean of theirs; share is the weight of
    the second."""
    if task == "regression":
        return (1 - share) * first + share * second
    weights = [math.log(max(weight, _NO_WEIGHT)) for weight in (1 - share, share)]
    if task == "classification":
        parts = zip((first, second), weights, strict=True)
        return torch.stack([outputs.log_softmax(dim=1) + weight for outputs, weight in parts]).logsumexp(
            dim=0
        )
    log_weights = torch.stack([torch.full_like(first[:, :1], weight) for weight in weights])
    return _mixed_logits(torch.stack([first, second]), log_weights, curves=task == "survival")


def combine_outputs(
    table: Tensor,
    image: Tensor,
    weight: Tensor,
    *,
    view_mask: Tensor | None,
    present: Tensor,
    task: Task,
) -> Tensor:
    """table (B, K) from `mean_outputs`, image (B, K), weight () of the image, view_mask (B, V), present (B,
    C) → (B, K)
    """
    has_table = present.any(dim=1, keepdim=True)
    has_image = torch.ones_like(has_table) if view_mask is None else view_mask.any(dim=1, keepdim=True)
    one, none = torch.ones_like(image[:, :1]), torch.zeros_like(image[:, :1])
    # A case without any data uses the table, whose tokens of missing values contain the average.
    of_image = torch.where(has_image, torch.where(has_table, weight, one), none)
    of_table = torch.where(has_table | ~has_image, one, none)
    if task == "classification":
        return of_table * table + of_image * image.log_softmax(dim=1)
    if task == "regression":
        return (of_table * table + of_image * image) / (of_table + of_image)
    weights = torch.stack([of_table, of_image]).clamp_min(_NO_WEIGHT).log()
    return _mixed_logits(torch.stack([table, image]), weights, curves=task == "survival")


def _mixed_logits(outputs: Tensor, log_weights: Tensor, *, curves: bool) -> Tensor:
    """outputs (M, B, K) logits, log_weights (M, B, 1) → (B, K) logits of the weighted mean of the
    probabilities. curves: the logits are of hazards, and the mean is that of the survival curves: in each
    interval the weight of a network is the share of cases that, by its curve, have reached it.
    """
    yes, no = F.logsigmoid(outputs), F.logsigmoid(-outputs)
    if curves:
        log_weights = log_weights + no.cumsum(dim=2) - no
    return (log_weights + yes).logsumexp(dim=0) - (log_weights + no).logsumexp(dim=0)
