"""Backbones with a few layers of each kind, for tests of the use of a network, whatever its depth."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import nn

from medloom_trainer.model.timm_import import import_timm


@contextmanager
def short_backbones() -> Iterator[None]:
    """Within this context, this process builds short networks for some names; the others are built in
    full."""
    timm = import_timm()
    create = timm.create_model

    def create_short(name: str, **options: Any) -> nn.Module:
        if name.startswith("vit_"):
            return create(name, **options, depth=1)
        if name.startswith("swin_"):
            return create(name, **options, depths=(1, 1, 1, 1))
        if name not in _SHORTENED:
            return create(name, **options)
        device = torch.get_default_device()
        key = (name, device.type, repr(sorted(options.items())))
        if key not in _PATTERNS:
            # The random numbers of a copy are the same whether it is the first one or not.
            with torch.random.fork_rng(devices=[]):
                _PATTERNS[key] = _SHORTENED[name](lambda **more: create(name, **options, **more))
        network = copy.deepcopy(_PATTERNS[key])
        if device.type != "meta":
            _draw_weights(network)
        return network

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timm, "create_model", create_short)
        yield


_PATTERNS: dict[tuple[str, str, str], nn.Module] = {}
"""(name, device, options) → the short network, built once in a process."""


def _short_resnet(create: Callable[..., nn.Module]) -> Any:
    network: Any = create(layers=(1, 1, 1, 1))
    network.layer3 = network.layer4 = nn.Identity()
    network.num_features = network.head_hidden_size = 128
    return network


def _short_mobilenet(create: Callable[..., nn.Module]) -> Any:
    network: Any = create()
    network.blocks = network.blocks[:2]
    network.conv_head = nn.Conv2d(24, 32, 1)
    network.num_features, network.head_hidden_size = 24, 32
    return network


_SHORTENED: dict[str, Callable[[Callable[..., nn.Module]], Any]] = {
    "resnet18": _short_resnet,
    "mobilenetv3_small_100": _short_mobilenet,
}
"""Name → function that builds the short version of the output of `create`. Most of that time is used for the
random weights of layers that are then left out: it is built once, and each copy draws its own weights.
"""


def _draw_weights(network: Any) -> None:
    """Draw weights like the family does when a network is built."""
    if hasattr(network, "init_weights"):
        network.init_weights()
    else:
        # After import_timm: without it timm imports torchvision.
        from timm.models._efficientnet_builder import efficientnet_init_weights

        efficientnet_init_weights(network)
