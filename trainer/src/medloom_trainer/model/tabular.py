"""Table encoders: one token per column, and one pooled vector for the row."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from medloom_trainer.data.types import TableLayout
from medloom_trainer.model.attention import FeedForward, TransformerBlock

_DEPTH = 2
"""Transformer blocks of the FT-Transformer; tables of hundreds of rows do not feed more."""


class ColumnTokens(nn.Module):
    """Each column becomes a token: a linear map of its numbers, or an embedding of its code; a learned token
    where it is missing.

    values (B, P), codes (B, E), present (B, C) → (B, C, H)
    """

    def __init__(self, layout: TableLayout, width: int) -> None:
        super().__init__()
        columns = layout.columns
        scale = 1 / math.sqrt(width)
        self.weight = nn.Parameter(torch.empty(layout.num_values, width).uniform_(-scale, scale))
        self.bias = nn.Parameter(torch.empty(len(columns), width).uniform_(-scale, scale))
        self.missing = nn.Parameter(torch.empty(len(columns), width).uniform_(-scale, scale))
        embedded = [(c, column) for c, column in enumerate(columns) if column.kind == "embedding"]
        embedded.sort(key=lambda pair: pair[1].start)
        self.embeddings = nn.ModuleList(nn.Embedding(column.cardinality, width) for _, column in embedded)
        for embedding in self.embeddings:
            nn.init.uniform_(embedding.weight, -scale, scale)  # type: ignore[arg-type]
        owner = torch.zeros(layout.num_values, dtype=torch.long)  # (P,) the column that a number belongs to
        for c, column in enumerate(columns):
            if column.kind != "embedding":
                owner[column.start : column.start + column.width] = c
        self.owner: Tensor
        self.embedded: Tensor
        # The same as Python numbers, so that a graph can be recorded.
        self.embedded_columns = [c for c, _ in embedded]
        self.register_buffer("owner", owner, persistent=False)
        self.register_buffer(
            "embedded", torch.tensor(self.embedded_columns, dtype=torch.long), persistent=False
        )

    def forward(self, values: Tensor, codes: Tensor, present: Tensor) -> Tensor:
        tokens = self.bias.expand(values.shape[0], -1, -1)
        tokens = tokens.index_add(
            1, self.owner, values.unsqueeze(2) * self.weight
        )  # (B, P, H) summed per column
        if len(self.embeddings):
            tokens = tokens.index_add(1, self.embedded, torch.stack(self._embed(codes), dim=1))
        return torch.where(present.unsqueeze(2), tokens, self.missing)

    def total(self, values: Tensor, codes: Tensor, present: Tensor) -> Tensor:
        """The sum of the tokens, without building them: (B, H)."""
        here = present.to(values.dtype)
        total = (values * here[:, self.owner]) @ self.weight + here @ self.bias + (1 - here) @ self.missing
        for column, embedding in zip(self.embedded_columns, self._embed(codes), strict=True):
            total = total + embedding * here[:, column : column + 1]
        return total

    def _embed(self, codes: Tensor) -> list[Tensor]:
        return [embedding(codes[:, e]) for e, embedding in enumerate(self.embeddings)]


class TableEncoder(nn.Module):
    """forward: values (B, P), codes (B, E), present (B, C) → (tokens (B, C, H), None) with_tokens, else
    (None, pooled (B, H)).
    """

    def __init__(self, layout: TableLayout, width: int, with_tokens: bool) -> None:
        super().__init__()
        self.columns = ColumnTokens(layout, width)
        self.num_columns = len(layout.columns)
        self.with_tokens = with_tokens


class TableMLP(TableEncoder):
    """A perceptron over the row, whose first layer is the sum of the column tokens: one linear map of all
    numbers.

    With tokens the perceptron works on each column by itself.
    """

    def __init__(
        self, layout: TableLayout, width: int, *, num_heads: int, dropout: float, with_tokens: bool
    ) -> None:
        super().__init__(layout, width, with_tokens)
        self.layers = (
            nn.Sequential(FeedForward(width, dropout), nn.LayerNorm(width))
            if with_tokens
            else nn.Sequential(
                nn.LayerNorm(width),
                nn.GELU(),
                nn.Dropout(dropout),
                nn.Linear(width, width),
                nn.LayerNorm(width),
            )
        )

    def forward(self, values: Tensor, codes: Tensor, present: Tensor) -> tuple[Tensor | None, Tensor | None]:
        if self.with_tokens:
            return self.layers(self.columns(values, codes, present)), None
        return None, self.layers(self.columns.total(values, codes, present))


class FTTransformer(TableEncoder):
    """Feature-tokenizer transformer (Gorishniy et al. 2021): a class token reads the columns."""

    def __init__(
        self, layout: TableLayout, width: int, *, num_heads: int, dropout: float, with_tokens: bool
    ) -> None:
        super().__init__(layout, width, with_tokens)
        self.class_token = nn.Parameter(torch.randn(1, 1, width) / math.sqrt(width))
        self.blocks = nn.ModuleList(TransformerBlock(width, num_heads, dropout) for _ in range(_DEPTH))
        self.norm = nn.LayerNorm(width)

    def forward(self, values: Tensor, codes: Tensor, present: Tensor) -> tuple[Tensor | None, Tensor | None]:
        columns = self.columns(values, codes, present)
        tokens = torch.cat(
            [self.class_token.expand(columns.shape[0], -1, -1), columns], dim=1
        )  # (B, 1 + C, H)
        for block in self.blocks:
            tokens = block(tokens)
        tokens = self.norm(tokens)
        return (tokens[:, 1:], None) if self.with_tokens else (None, tokens[:, 0])


ENCODERS: dict[str, type[TableMLP] | type[FTTransformer]] = {"mlp": TableMLP, "ft_transformer": FTTransformer}
"""Name in the configuration → encoder."""
