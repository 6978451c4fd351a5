"""A linear model of the table that complements a network: linear effects of the columns need no network, and
a few hundred rows are sufficient to fit them.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from medloom_trainer.data.types import TableLayout, Task
from medloom_trainer.model.mixing import share_outputs
from medloom_trainer.model.network import MultimodalNetwork


class LinearTable(nn.Module):
    """forward: values (B, P), codes (B, E), present (B, C) → (B, K). Fitted in one step, not by the optimizer
    (training/members/linear.py); before that it predicts the same for every case.
    """

    def __init__(self, layout: TableLayout, num_outputs: int) -> None:
        super().__init__()
        embedded = sorted(
            (c for c in layout.columns if c.kind == "embedding"), key=lambda column: column.start
        )

        def coefficients(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.zeros(*shape, num_outputs), requires_grad=False)

        self.values = coefficients(layout.num_values)
        self.present = coefficients(len(layout.columns))
        self.codes = nn.ParameterList(coefficients(column.cardinality) for column in embedded)
        self.bias = coefficients()

    def forward(self, values: Tensor, codes: Tensor, present: Tensor) -> Tensor:
        return linear_scores(list(self.parameters()), values, codes, present)


def linear_scores(parameters: list[Tensor], values: Tensor, codes: Tensor, present: Tensor) -> Tensor:
    """parameters: of `LinearTable`, in their order → (B, K)"""
    of_values, of_present, bias, *of_codes = parameters
    scores = values @ of_values + present.to(values.dtype) @ of_present + bias
    for place, coefficients in enumerate(of_codes):
        # The code 0 has no effect: training never saw the category, or the value is missing (`present`).
        known = (codes[:, place : place + 1] > 0).to(values.dtype)
        scores = scores + known * nn.functional.embedding(codes[:, place], coefficients)
    return scores


class TableMember(nn.Module):
    """forward: like `MultimodalNetwork`. A network of the table and a linear model of the same row, whose
    predictions are averaged with the weights 1 - share and share.
    """

    def __init__(self, network: MultimodalNetwork, linear: LinearTable, share: float, task: Task) -> None:
        super().__init__()
        self.network, self.linear = network, linear
        self.share, self.task = share, task

    def forward(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> Tensor:
        table = (values, codes, present)
        outputs = self.network(images, view_mask, *table)
        return share_outputs(outputs, self.linear(*table), self.share, task=self.task)
