"""The transformer block that the table encoder, the fusions and the aggregators share."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention of queries over keys (Vaswani et al. 2017).

    forward: queries (B, Q, H), keys (B, K, H), mask (B, K) True if a key counts → (B, Q, H). At least one key
    of each row must count.
    """

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.dropout = dropout
        self.to_query = nn.Linear(width, width)
        self.to_key = nn.Linear(width, width)
        self.to_value = nn.Linear(width, width)
        self.to_output = nn.Linear(width, width)

    def forward(self, queries: Tensor, keys: Tensor, mask: Tensor | None = None) -> Tensor:
        query = self._split(self.to_query(queries))
        key, value = self._split(self.to_key(keys)), self._split(self.to_value(keys))
        allowed = (
            None if mask is None else mask[:, None, None, :]
        )  # (B, 1, 1, K), the same for all heads and queries
        dropout = self.dropout if self.training else 0.0
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed, dropout_p=dropout)
        output: Tensor = self.to_output(attended.transpose(1, 2).flatten(2))
        return output

    def _split(self, tokens: Tensor) -> Tensor:
        """(B, T, H) → (B, heads, T, H / heads)"""
        batch, count, width = tokens.shape
        return tokens.view(batch, count, self.num_heads, width // self.num_heads).transpose(1, 2)


class TransformerBlock(nn.Module):
    """Pre-norm self-attention and a feed-forward layer, both residual. tokens (B, T, H), mask (B, T) → (B, T,
    H).
    """

    def __init__(self, width: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = MultiHeadAttention(width, num_heads, dropout)
        self.feed_forward = FeedForward(width, dropout)
        self.drop = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
        normed = self.norm(tokens)
        tokens = tokens + self.drop(self.attention(normed, normed, mask))
        fed: Tensor = self.feed_forward(tokens)
        return tokens + fed


class FeedForward(nn.Sequential):
    """Normalized two-layer perceptron, twice as wide inside. (…, H) → (…, H)"""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__(
            nn.LayerNorm(width),
            nn.Linear(width, 2 * width),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(2 * width, width),
            nn.Dropout(dropout),
        )
