"""The optimizer: the parameters that it updates, their learning rates, and weight decay."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer

_MOMENTUM = 0.9
OF_IMAGE, OF_TABLE = "image.", "table."
"""Prefixes of the parameter names of an ensemble: those of its image network, and of its members."""


def build_optimizer(
    parameters: Mapping[str, nn.Parameter],
    decaying: Collection[str],
    loop: dict[str, Any],
    device: torch.device,
) -> Optimizer:
    """parameters: the trained ones, by name; decaying: names of those with weight decay; loop: the training
    part of the configuration.

    The backbone has a separate learning rate; only weights decay; frozen parameters are left out. Each group
    stores its peak rate as "peak_lr": the schedule multiplies it.
    """
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in parameters.items():
        if parameter.requires_grad:
            of_backbone = name.removeprefix(OF_IMAGE).startswith("backbone.")
            groups.setdefault((of_backbone, name in decaying), []).append(parameter)
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
    # One pass over the parameters instead of one for each operation of the rule. Not SGD: if scaled gradients
    # overflow in its first step, its kernel leaves the momentum uninitialized (torch 2.13).
    fused = True if device.type in ("cuda", "cpu") else None
    match loop["optimizer"]:
        case "adam":
            return Adam(options, fused=fused)
        case "adamw":
            return AdamW(options, fused=fused)
        case "sgd":
            return SGD(options, lr=head_rate, momentum=_MOMENTUM, nesterov=True)
    raise ValueError(f"unknown optimizer {loop['optimizer']}")


def names_in_order(parameters: Mapping[str, nn.Parameter], optimizer: Optimizer) -> list[str]:
    """The names of the parameters in the order of the optimizer."""
    names = {parameter: name for name, parameter in parameters.items()}
    return [names[parameter] for group in optimizer.param_groups for parameter in group["params"]]


def names_as_counted_before(network: nn.Module) -> list[str]:
    """Like `names_in_order`, for optimizers that apply weight decay to every parameter of several
    dimensions."""
    protected = _protected(network)
    groups: dict[tuple[bool, bool], list[str]] = {}
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            decayed = parameter.ndim > 1 and name not in protected
            groups.setdefault((name.startswith("backbone."), decayed), []).append(name)
    return [name for names in groups.values() for name in names]


def weights_of(network: nn.Module) -> set[str]:
    """The parameters with weight decay: weights of linear and convolution layers. Biases, norms, position
    tables and tokens (of classes, missing values, absent views, categories) are not shrunk towards zero: a
    token that few cases use would only shrink.
    """
    embeddings = {f"{name}.weight" for name, m in network.named_modules() if isinstance(m, nn.Embedding)}
    return {
        name
        for name, parameter in network.named_parameters()
        if parameter.ndim > 1 and name.rsplit(".", 1)[-1] == "weight"
    } - (embeddings | _protected(network))


def _protected(network: nn.Module) -> set[str]:
    """The parameters that the backbone itself exempts."""
    backbone = getattr(network, "backbone", None)
    return set() if backbone is None else {f"backbone.{name}" for name in backbone.without_decay()}
