"""Fusions: an image and a table row become one vector. Both are projected to one width and normalized before.

Each fusion's forward: image (B, H), image tokens (B, P, H), table (B, H), table tokens (B, C, H) → (B, H). A
fusion that needs tokens gets None for the vectors, and one that needs vectors None for the tokens.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from medloom_trainer.model.attention import FeedForward, MultiHeadAttention, TransformerBlock

_RANK = 8
"""Rank of the low-rank bilinear fusion."""


class Concatenate(nn.Module):
    """The concatenated vectors, then one layer."""

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.layer = _mix(2 * width, width, dropout)

    def forward(self, image: Tensor, _: None, table: Tensor, __: None) -> Tensor:
        return cast(Tensor, self.layer(torch.cat([image, table], dim=1)))


class Gated(nn.Module):
    """Gated multimodal unit (Arevalo et al. 2017): each feature is a learned mixture of the image and the
    table.
    """

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.image = nn.Linear(width, width)
        self.table = nn.Linear(width, width)
        self.gate = nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(dropout)

    def forward(self, image: Tensor, _: None, table: Tensor, __: None) -> Tensor:
        gate = self.gate(torch.cat([image, table], dim=1)).sigmoid()
        mixed = gate * self.image(image).tanh() + (1 - gate) * self.table(table).tanh()
        return cast(Tensor, self.drop(self.norm(mixed)))


class JointAttention(nn.Module):
    """A class token, the image positions and the table columns attend to one another in one sequence."""

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        scale = 1 / math.sqrt(width)
        self.class_token = nn.Parameter(torch.randn(1, 1, width) * scale)
        self.image_type = nn.Parameter(torch.randn(width) * scale)
        self.table_type = nn.Parameter(torch.randn(width) * scale)
        self.block = TransformerBlock(width, num_heads, dropout)
        self.norm = nn.LayerNorm(width)

    def forward(self, _: None, image_tokens: Tensor, __: None, table_tokens: Tensor) -> Tensor:
        class_token = self.class_token.expand(image_tokens.shape[0], -1, -1)
        tokens = torch.cat(
            [class_token, image_tokens + self.image_type, table_tokens + self.table_type], dim=1
        )  # (B, 1 + P + C, H)
        return cast(Tensor, self.norm(self.block(tokens)[:, 0]))


class CrossAttention(nn.Module):
    """Image positions attend to the table columns, and table columns to the image positions; the means of
    both are combined.

    Both sides have tokens: over a single key the softmax is 1, and queries and keys could not learn.
    """

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.image_reads = MultiHeadAttention(width, num_heads, dropout)
        self.table_reads = MultiHeadAttention(width, num_heads, dropout)
        self.image_forward = FeedForward(width, dropout)
        self.table_forward = FeedForward(width, dropout)
        self.layer = _mix(2 * width, width, dropout)

    def forward(self, _: None, image_tokens: Tensor, __: None, table_tokens: Tensor) -> Tensor:
        image = image_tokens + self.image_reads(image_tokens, table_tokens)
        table = table_tokens + self.table_reads(table_tokens, image_tokens)
        image, table = image + self.image_forward(image), table + self.table_forward(table)
        return cast(Tensor, self.layer(torch.cat([image.mean(dim=1), table.mean(dim=1)], dim=1)))


class LowRankBilinear(nn.Module):
    """Products of every image feature with every table feature, as a sum of _RANK factor pairs (Liu et al.
    2018).

    Each side has a constant 1, so that a feature of one side also counts on its own.
    """

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.image = nn.Linear(width, _RANK * width)  # the bias is the weight of the constant 1
        self.table = nn.Linear(width, _RANK * width)
        nn.init.ones_(self.image.bias)
        nn.init.ones_(self.table.bias)
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(dropout)

    def forward(self, image: Tensor, _: None, table: Tensor, __: None) -> Tensor:
        products = self.image(image) * self.table(table)  # (B, _RANK · H)
        return cast(Tensor, self.drop(self.norm(products.unflatten(1, (_RANK, -1)).sum(dim=1))))


@dataclass(frozen=True)
class Fusion:
    """An entry of the registry."""

    module: type[nn.Module]
    needs_tokens: bool
    summary: str


FUSIONS: dict[str, Fusion] = {
    "concatenate": Fusion(Concatenate, False, "image and table vectors concatenated, then one layer"),
    "gated": Fusion(Gated, False, "a gate per feature weights image and table"),
    "attention": Fusion(JointAttention, True, "cross-attention between image positions and table columns"),
    "cross_attention": Fusion(CrossAttention, True, "each modality attends to the tokens of the other"),
    "bilinear": Fusion(LowRankBilinear, False, "low-rank bilinear products of image and table features"),
}
"""Name in the configuration → fusion. "none" means no fusion: only the image."""


def _mix(inputs: int, width: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, width), nn.LayerNorm(width), nn.GELU(), nn.Dropout(dropout))
