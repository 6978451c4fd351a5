"""Inputs of networks, from random numbers."""

from __future__ import annotations

import torch
from torch import Tensor

from medloom_trainer.model.ensemble import build_network
from medloom_trainer.model.network import MultimodalNetwork
from testing.synthetic import LAYOUT, configuration

Inputs = tuple[Tensor, Tensor | None, Tensor, Tensor, Tensor]


def network(
    *, num_views: int = 1, num_outputs: int = 2, seed: int = 0, **changes: object
) -> MultimodalNetwork:
    torch.manual_seed(seed)
    return build_network(
        configuration(**changes),
        layout=LAYOUT,
        num_views=num_views,
        num_outputs=num_outputs,
        task="classification",
    )


def inputs(*, cases: int = 3, num_views: int = 1, side: int = 32, mask: Tensor | None = None) -> Inputs:
    random = torch.Generator().manual_seed(3)
    return (
        torch.randn(cases, num_views, 3, side, side, generator=random),
        mask,
        torch.randn(cases, 4, generator=random),
        torch.randint(0, 5, (cases, 1), generator=random),
        torch.rand(cases, 3, generator=random) > 0.3,
    )
