"""Networks of one architecture, trained as one: their parameters are stacked in one tensor each, and one
batched pass processes the batches of all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from medloom_trainer.model.attention import MultiHeadAttention
from medloom_trainer.model.network import MultimodalNetwork


class PackedMembers:
    """M networks of the table. The parameters of the networks are views of the packed ones, so they predict,
    and are saved and loaded, as before. Pack them on their device.
    """

    def __init__(self, members: Sequence[MultimodalNetwork]) -> None:
        self._template = members[0]
        # Attention has no batched kernel here: sequential passes are faster.
        self._one_by_one = any(isinstance(part, MultiHeadAttention) for part in members[0].modules())
        own = [dict(member.named_parameters()) for member in members]
        self.parameters: dict[str, nn.Parameter] = {}
        """Name → (M, …)"""
        for name in own[0]:
            packed = nn.Parameter(torch.stack([parameters[name].detach() for parameters in own]))
            for member, parameters in enumerate(own):
                parameters[name].data = packed.data[member]
            self.parameters[name] = packed

    def __call__(self, values: Tensor, codes: Tensor, present: Tensor) -> Tensor:
        """values (M, B, P), codes (M, B, E), present (M, B, C) → outputs (M, B, K). Each member draws its own
        dropout.
        """

        def one(parameters: Mapping[str, Tensor], *table: Tensor) -> Tensor:
            output: Tensor = functional_call(self._template, dict(parameters), (None, None, *table))
            return output

        if self._one_by_one:
            tables = zip(values, codes, present, strict=True)
            return torch.stack([one(self._of(member), *table) for member, table in enumerate(tables)])
        outputs: Tensor = vmap(one, randomness="different")(self.parameters, values, codes, present)
        return outputs

    def _of(self, member: int) -> dict[str, Tensor]:
        return {name: packed[member] for name, packed in self.parameters.items()}

    @torch.no_grad()
    def clip_gradients(self, largest: float) -> None:
        """Scale the gradients of each member to a norm of at most `largest`, over all of its parameters."""
        gradients = [parameter.grad for parameter in self.parameters.values() if parameter.grad is not None]
        squares = [gradient.flatten(1).square().sum(dim=1) for gradient in gradients]  # (M,) each
        norms = torch.stack(squares).sum(dim=0).sqrt()
        factors = (largest / (norms + 1e-6)).clamp(max=1)
        for gradient in gradients:
            gradient.mul_(factors.view(-1, *[1] * (gradient.ndim - 1)))
