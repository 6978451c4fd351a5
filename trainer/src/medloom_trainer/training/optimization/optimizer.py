"""The optimizer: which parameters it moves, how fast, and which of them decay."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer

_MOMENTUM = 0.9


def build_optimizer(network: nn.Module, loop: dict[str, Any], device: torch.device) -> Optimizer:
    """loop: the training part of the configuration.

    The backbone has its own learning rate; norms, biases and position tables do not decay; frozen
    parameters are left out. Each group keeps its peak rate as "peak_lr": the schedule multiplies it.
    """
    backbone = getattr(network, "backbone", None)
    without_decay: set[str] = set()
    if backbone is not None:
        without_decay = {f"backbone.{name}" for name in backbone.without_decay()}
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            decays = parameter.ndim > 1 and name not in without_decay
            groups.setdefault((name.startswith("backbone."), decays), []).append(parameter)
    head_rate = loop["learning_rate"]
    backbone_rate = loop["backbone_learning_rate"] or head_rate
    options = [
        {
            "params": parameters,
            "lr": backbone_rate if of_backbone else head_rate,
            "peak_lr": backbone_rate if of_backbone else head_rate,
            "weight_decay": loop["weight_decay"] if decays else 0.0,
        }
        for (of_backbone, decays), parameters in groups.items()
    ]
    fused = True if device.type == "cuda" else None
    match loop["optimizer"]:
        case "adam":
            return Adam(options, fused=fused)
        case "adamw":
            return AdamW(options, fused=fused)
        case "sgd":
            return SGD(options, lr=head_rate, momentum=_MOMENTUM, nesterov=True, fused=fused)
    raise ValueError(f"unknown optimizer {loop['optimizer']}")
