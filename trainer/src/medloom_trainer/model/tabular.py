"""Table encoders: one token per column, and one pooled vector for the row."""

from __future__ import annotations

import math
from typing import cast

import torch
from torch import Tensor, nn

from medloom_trainer.data.types import TableLayout
from medloom_trainer.model.attention import FeedForward, TransformerBlock

_DEPTH = 2
"""Number of transformer blocks of the FT-Transformer; tables of hundreds of rows are too small for more."""


class ColumnTokens(nn.Module):
    """Each column becomes a token: a linear map of its numbers, or an embedding of its code. A missing column
    becomes the mean token of the training rows plus a learned difference, which starts at zero: a column that
    was never missing in training is read as its average. The same applies to an unseen category.

    values (B, P), codes (B, E), present (B, C) → (B, C, H)
    """

    def __init__(self, layout: TableLayout, width: int, *, random_missing: bool = False) -> None:
        super().__init__()
        columns = layout.columns
        scale = 1 / math.sqrt(width)
        self.weight = nn.Parameter(torch.empty(layout.num_values, width).uniform_(-scale, scale))
        self.bias = nn.Parameter(torch.empty(len(columns), width).uniform_(-scale, scale))
        # Models of older versions have no means, and their missing token is the complete value. Because it is
        # drawn here, every later draw is that of version 0.1.0.
        missing = torch.zeros(len(columns), width)
        self.missing = nn.Parameter(missing.uniform_(-scale, scale) if random_missing else missing)
        embedded = [(c, column) for c, column in enumerate(columns) if column.kind == "embedding"]
        embedded.sort(key=lambda pair: pair[1].start)
        self.embeddings = nn.ModuleList(nn.Embedding(column.cardinality, width) for _, column in embedded)
        for embedding in self.embeddings:
            nn.init.uniform_(embedding.weight, -scale, scale)  # type: ignore[arg-type]
        owner = torch.zeros(layout.num_values, dtype=torch.long)  # (P,) the column of each number
        for c, column in enumerate(columns):
            if column.kind != "embedding":
                owner[column.start : column.start + column.width] = c
        self.owner: Tensor
        self.embedded: Tensor
        self.means: Tensor
        self._register_means(layout)
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
        return torch.where(present.unsqueeze(2), tokens, self.missing_tokens())

    def missing_tokens(self) -> Tensor:
        """(C, H)"""
        if not self.has_means:
            return self.missing
        mean = self.bias.index_add(0, self.owner, self.means.unsqueeze(1) * self.weight)
        if len(self.embeddings):
            mean = mean.index_add(0, self.embedded, torch.stack(self._mean_embeddings()))
        return mean + self.missing

    @torch.no_grad()
    def measure_missing_from_means(self) -> None:
        """Convert tokens that are complete values to differences from the mean tokens; the tokens themselves
        do not change."""
        self.missing.sub_(self.missing_tokens() - self.missing)

    def _register_means(self, layout: TableLayout) -> None:
        """Constants of the layout, not part of the weights."""
        columns = layout.columns
        self.has_means = all(column.means is not None for column in columns)
        means = torch.zeros(layout.num_values)
        for column in columns:
            if self.has_means and column.kind != "embedding":
                means[column.start : column.start + column.width] = torch.tensor(column.means)
        self.register_buffer("means", means, persistent=False)
        embedded = sorted((c for c in columns if c.kind == "embedding"), key=lambda column: column.start)
        for e, column in enumerate(embedded if self.has_means else []):
            self.register_buffer(f"shares_{e}", torch.tensor(column.means), persistent=False)

    def _mean_embeddings(self) -> list[Tensor]:
        """E tensors (H,): the embedding of the average training row that has a value."""
        weights: list[Tensor] = [cast(nn.Embedding, embedding).weight for embedding in self.embeddings]
        return [self.get_buffer(f"shares_{e}") @ weight for e, weight in enumerate(weights)]

    def total(self, values: Tensor, codes: Tensor, present: Tensor) -> Tensor:
        """The sum of the tokens, without computing them separately: (B, H)."""
        here = present.to(values.dtype)
        total = (values * here[:, self.owner]) @ self.weight + here @ self.bias
        total = total + (1 - here) @ self.missing_tokens()
        for column, embedding in zip(self.embedded_columns, self._embed(codes), strict=True):
            total = total + embedding * here[:, column : column + 1]
        return total

    def _embed(self, codes: Tensor) -> list[Tensor]:
        found = [embedding(codes[:, e]) for e, embedding in enumerate(self.embeddings)]
        if not self.has_means:
            return found
        unseen = [(codes[:, e] == 0).unsqueeze(1) for e in range(len(found))]
        means = self._mean_embeddings()
        return [torch.where(new, mean, own) for new, mean, own in zip(unseen, means, found, strict=True)]


class TableEncoder(nn.Module):
    """forward: values (B, P), codes (B, E), present (B, C) → (tokens (B, C, H), None) with_tokens, else
    (None, pooled (B, H)).
    """

    def __init__(self, layout: TableLayout, width: int, with_tokens: bool, random_missing: bool) -> None:
        super().__init__()
        self.columns = ColumnTokens(layout, width, random_missing=random_missing)
        self.num_columns = len(layout.columns)
        self.with_tokens = with_tokens


class TableMLP(TableEncoder):
    """A perceptron over the row, whose first layer is the sum of the column tokens: one linear map of all
    numbers.

    With tokens the perceptron is applied to each column separately.
    """

    def __init__(
        self,
        layout: TableLayout,
        width: int,
        *,
        num_heads: int,
        dropout: float,
        with_tokens: bool,
        random_missing: bool,
    ) -> None:
        super().__init__(layout, width, with_tokens, random_missing)
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
    """Feature-tokenizer transformer (Gorishniy et al. 2021): a class token attends to the columns."""

    def __init__(
        self,
        layout: TableLayout,
        width: int,
        *,
        num_heads: int,
        dropout: float,
        with_tokens: bool,
        random_missing: bool,
    ) -> None:
        super().__init__(layout, width, with_tokens, random_missing)
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
