"""Backbones with a few layers of each kind, for tests of what is done with a network, whatever its depth."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from torch import nn

from medloom_trainer.model.timm_import import import_timm


@contextmanager
def short_backbones() -> Iterator[None]:
    """While this lasts, this process builds short ones of some names; the others are built in full."""
    timm = import_timm()
    create = timm.create_model

    def create_short(name: str, **options: Any) -> nn.Module:
        if name.startswith("vit_"):
            return create(name, **options, depth=1)
        if name.startswith("swin_"):
            return create(name, **options, depths=(1, 1, 1, 1))
        if name == "resnet18":
            network = create(name, **options, layers=(1, 1, 1, 1))
            network.layer3 = network.layer4 = nn.Identity()
            network.num_features = network.head_hidden_size = 128
            return network
        network = create(name, **options)
        if name == "mobilenetv3_small_100":
            network.blocks = network.blocks[:2]
            network.conv_head = nn.Conv2d(24, 32, 1)
            network.num_features, network.head_hidden_size = 24, 32
        return network

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timm, "create_model", create_short)
        yield
