"""Every fusion and every aggregator in one network, which is recorded once: each network that is recorded for
ONNX takes seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from medloom_trainer.model.aggregate import AGGREGATORS, ViewAggregator
from medloom_trainer.model.fusion import FUSIONS

_WIDTH, _VIEWS, _POSITIONS, _COLUMNS = 8, 2, 3, 2
_AGGREGATED = [*((name, "mask") for name in AGGREGATORS), ("attention", "token")]

INPUTS = [
    {"name": "views", "dtype": "float32", "shape": ["batch", _VIEWS, _POSITIONS, _WIDTH]},
    {"name": "view_mask", "dtype": "bool", "shape": ["batch", _VIEWS]},
    {"name": "columns", "dtype": "float32", "shape": ["batch", _COLUMNS, _WIDTH]},
]
DOCUMENT: dict[str, Any] = {
    "layout": {"columns": []},
    "inputs": INPUTS,
    "outputs": [{"name": "parts", "dtype": "float32", "shape": ["batch", "part", _WIDTH]}],
}
"""The parts of a model description that a format reads."""


class RecordedParts(nn.Module):
    """forward: views (B, V, P, H), view_mask (B, V), columns of the table (B, C, H) → output of each part (B,
    parts, H), in the order of `names`. Each fusion reads another aggregator.
    """

    def __init__(self) -> None:
        super().__init__()
        self.aggregators = nn.ModuleDict(
            {
                f"{name}, {missing}": ViewAggregator(
                    name, missing, num_views=_VIEWS, width=_WIDTH, num_heads=2, dropout=0.0
                )
                for name, missing in _AGGREGATED
            }
        )
        self.fusions = nn.ModuleDict(
            {name: fusion.module(_WIDTH, 2, 0.0) for name, fusion in FUSIONS.items()}
        )
        self.names = [*self.aggregators, *self.fusions]
        with torch.no_grad():
            for parameter in self.parameters():
                parameter += 0.3 * torch.randn_like(parameter)

    def forward(self, *inputs: Tensor) -> Tensor:
        views, view_mask, columns = inputs
        of_views = [aggregator(views, view_mask) for aggregator in self.aggregators.values()]
        fused = []
        for number, (name, fusion) in enumerate(self.fusions.items()):
            tokens = of_views[number]
            if FUSIONS[name].needs_tokens:
                fused.append(fusion(None, tokens, None, columns))
            else:
                fused.append(fusion(tokens.mean(dim=1), None, columns.mean(dim=1), None))
        return torch.stack([*(tokens.mean(dim=1) for tokens in of_views), *fused], dim=1)


def inputs_of(count: int) -> list[np.ndarray]:
    """Cases with both views, with only one of them and with none."""
    random = np.random.default_rng(5)
    masks = np.array([[True, True], [True, False], [False, True], [False, False]])
    return [
        random.standard_normal((count, _VIEWS, _POSITIONS, _WIDTH), dtype=np.float32),
        masks[np.arange(count) % len(masks)],
        random.standard_normal((count, _COLUMNS, _WIDTH), dtype=np.float32),
    ]
