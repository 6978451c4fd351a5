"""Several trained models as one network: each reads its columns of the table, encoded as in its own training,
and normalizes images as in its own training; the prediction is the mean of their predictions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from medloom_trainer.data.types import TableLayout, Task
from medloom_trainer.model.ensemble import EnsembleNetwork
from medloom_trainer.model.mixing import mean_outputs
from medloom_trainer.model.network import MultimodalNetwork


@dataclass(frozen=True)
class MemberInputs:
    """The part of the common inputs that one member reads, and the scale of its outputs."""

    columns: int
    """Its first column of `present`."""
    values: int
    """Its first number of `values`."""
    codes: int
    """Its first code."""
    layout: TableLayout
    image_normalization: dict[str, Any]
    scale: float
    """Its outputs in the units of the combined network are output · scale + shift: 1 and 0 for logits."""
    shift: float


class CombinedNetwork(nn.Module):
    """forward: like `MultimodalNetwork`, except that images (B, V, 3, H, W) are in 0..1, not normalized, and
    that values, codes and present contain the concatenated columns of all members (`MemberInputs`).
    """

    def __init__(
        self,
        members: Sequence[MultimodalNetwork | EnsembleNetwork],
        inputs: Sequence[MemberInputs],
        task: Task,
    ) -> None:
        super().__init__()
        pairs = zip(members, inputs, strict=True)
        self.members = nn.ModuleList(CombinedMember(network, own) for network, own in pairs)
        self.task = task

    def each_member(self) -> Iterator[CombinedMember]:
        for member in self.members:
            assert isinstance(member, CombinedMember)
            yield member

    def forward(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> Tensor:
        return self.with_members(images, view_mask, values, codes, present)[0]

    def forward_every_view(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> Tensor:
        """See `MultimodalNetwork.forward_every_view`."""
        table = (values, codes, present)
        each = [member(images, view_mask, *table, every_view=True) for member in self.members]
        return mean_outputs(torch.stack(each), task=self.task)

    def with_members(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> tuple[Tensor, Tensor]:
        """(B, K) as in `forward`, and (M, B, K): the output of each member, in the units of this network."""
        each = torch.stack([member(images, view_mask, values, codes, present) for member in self.members])
        return mean_outputs(each, task=self.task), each


class CombinedMember(nn.Module):
    """A member, and the part of the common inputs that it reads."""

    def __init__(self, network: MultimodalNetwork | EnsembleNetwork, inputs: MemberInputs) -> None:
        super().__init__()
        self.network, self.inputs = network, inputs
        self.image_scale: Tensor
        self.image_shift: Tensor
        mean, std = (torch.tensor(inputs.image_normalization[key]).view(3, 1, 1) for key in ("mean", "std"))
        # Known from the state of the checkpoint; float32 as in the normalizer of a single model.
        self.register_buffer("image_scale", 1 / std, persistent=False)
        self.register_buffer("image_shift", -mean / std, persistent=False)

    def forward(
        self,
        images: Tensor | None,
        view_mask: Tensor | None,
        values: Tensor,
        codes: Tensor,
        present: Tensor,
        every_view: bool = False,
    ) -> Tensor:
        predict = self.network.forward_every_view if every_view else self.network
        outputs: Tensor = predict(self._normalized(images), view_mask, *self.table(values, codes, present))
        return self.in_common_units(outputs)

    def in_common_units(self, outputs: Tensor) -> Tensor:
        """The output of the network of this member, in the units of the combined network."""
        own = self.inputs
        return outputs if (own.scale, own.shift) == (1.0, 0.0) else outputs * own.scale + own.shift

    def _normalized(self, images: Tensor | None) -> Tensor | None:
        return None if images is None else images * self.image_scale + self.image_shift

    def table(self, values: Any, codes: Any, present: Any) -> tuple[Any, Any, Any]:
        """Its columns of the common table, as tensors or arrays. Exported networks have no codes, or no table
        at all, if no member reads them."""
        own, layout = self.inputs, self.inputs.layout
        return (
            _part(values, own.values, layout.num_values),
            _part(codes, own.codes, layout.num_codes),
            _part(present, own.columns, len(layout.columns)),
        )


def _part(whole: Any, start: int, width: int) -> Any:
    return None if whole is None else whole[:, start : start + width]
