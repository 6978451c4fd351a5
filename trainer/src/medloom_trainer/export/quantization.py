"""Weights with fewer bits. The file becomes smaller, but the arithmetic is still float32: each weight is
converted where it is used.

Only the large weights, those of linear, convolution and embedding layers, are stored in this form; norms,
biases and statistics keep 32 bits. Every format stores the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

_LARGE_LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Embedding)


class Float16(nn.Module):
    """Half precision (IEEE 754 binary16)."""

    def forward(self, stored: Tensor) -> Tensor:
        return stored.float()

    def right_inverse(self, weight: Tensor) -> Sequence[Tensor]:
        return [weight.half()]


class Int8(nn.Module):
    """Symmetric 8-bit integers with one scale per output channel: weight (O, …) = stored (O, …) · scale (O,
    1, …), rounded."""

    def forward(self, stored: Tensor, scale: Tensor) -> Tensor:
        return stored.float() * scale

    def right_inverse(self, weight: Tensor) -> Sequence[Tensor]:
        largest = weight.abs().flatten(1).amax(dim=1).clamp_min(torch.finfo(torch.float32).tiny * 127)
        scale = (largest / 127).view(-1, *[1] * (weight.ndim - 1))
        return [(weight / scale).round().clamp(-127, 127).to(torch.int8), scale]


QUANTIZATIONS: dict[str, type[nn.Module] | None] = {"none": None, "float16": Float16, "int8": Int8}
"""Name in the catalog → storage of a weight."""

LARGEST_CHANGE = {"float16": 0.01, "int8": 0.05}
"""Limits for the change of a probability, or of a number in standard deviations of the label. A larger change
would be another model."""


def quantize(network: nn.Module, method: str) -> None:
    """Store the large weights of `network` by `method`, in place; its state dict contains the stored form."""
    kind = QUANTIZATIONS[method]
    if kind is None:
        return
    network.requires_grad_(False)
    for module in list(network.modules()):
        if isinstance(module, _LARGE_LAYERS):
            parametrize.register_parametrization(module, "weight", kind(), unsafe=True)
