"""The network of a configuration: one network, or several separately trained ones whose predictions are
combined: the members that read the table, and for the fusion "late" one that reads the images.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from medloom_trainer.contract.members import is_ensemble, linear_share, member_count
from medloom_trainer.data.types import TableLayout, Task
from medloom_trainer.model.linear import LinearTable, TableMember
from medloom_trainer.model.mixing import combine_outputs, mean_outputs
from medloom_trainer.model.network import MultimodalNetwork, build_one_network


def build_network(
    config: Mapping[str, Any], *, layout: TableLayout, num_views: int, num_outputs: int, task: Task
) -> MultimodalNetwork | EnsembleNetwork:
    """config: the whole training configuration, complete. num_outputs: K of the kind of outcome. task:
    determines how the predictions of several networks are combined.

    Errors as in `build_one_network`.
    """
    if not is_ensemble(config):
        return build_one_network(config, layout=layout, num_views=num_views, num_outputs=num_outputs)
    image, weight = None, 0.0
    if config["model"]["fusion_type"] == "late":
        image_config = image_part(config)
        image = build_one_network(image_config, layout=layout, num_views=num_views, num_outputs=num_outputs)
        chosen = config["model"]["image_weight"]
        weight = 1.0 if chosen == "validation" else float(chosen)
    table, share = table_part(config), linear_share(config)
    networks = [
        build_one_network(table, layout=layout, num_views=0, num_outputs=num_outputs)
        for _ in range(member_count(config))
    ]
    if not share:
        return EnsembleNetwork(networks, image, weight, task)
    members = [TableMember(network, LinearTable(layout, num_outputs), share, task) for network in networks]
    return EnsembleNetwork(members, image, weight, task)


def image_part(config: Mapping[str, Any]) -> dict[str, Any]:
    """For the fusion "late": the configuration of the network that reads the images."""
    alone = {"fusion_type": "none", "members": 1, "modality_dropout": 0.0}
    return {**config, "model": {**config["model"], **alone}}


def table_part(config: Mapping[str, Any]) -> dict[str, Any]:
    """For an ensemble: the configuration of one network of the table."""
    alone = {"vision_backbone": "none", "fusion_type": "concatenate", "members": 1, "modality_dropout": 0.0}
    return {**config, "model": {**config["model"], **alone}}


class EnsembleNetwork(nn.Module):
    """forward: like `MultimodalNetwork`. The members predict the mean of their probabilities, numbers or
    survival curves; with an image network classes have softmax(log p_table + w · log p_image), everything
    else the mean weighted by 1 and w. A case without a table, or without an image, is only predicted by the
    other.

    Returns logits (B, K) of these probabilities or of the hazards, or normalized predictions.
    """

    def __init__(
        self,
        members: Sequence[MultimodalNetwork | TableMember],
        image: MultimodalNetwork | None,
        image_weight: float,
        task: Task,
    ) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        self.image = image
        self.task = task
        self.image_weight: Tensor
        if image is not None:  # the weight of the trained model may have been chosen on validation cases
            self.register_buffer("image_weight", torch.tensor(image_weight))

    def forward(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> Tensor:
        seen = None if self.image is None else self.image(images, view_mask, values, codes, present)
        return self._predict(seen, view_mask, values, codes, present)

    def forward_every_view(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> Tensor:
        """See `MultimodalNetwork.forward_every_view`."""
        table = (values, codes, present)
        seen = None if self.image is None else self.image.forward_every_view(images, view_mask, *table)
        return self._predict(seen, view_mask, *table)

    def with_members(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> tuple[Tensor, Tensor]:
        """(B, K) as in `forward`, and (M, B, K): each network of the table, combined with the image network
        if there is one."""
        seen = None if self.image is None else self.image(images, view_mask, values, codes, present)
        outputs = self._of_members(values, codes, present)
        each = torch.stack([self._with_image(output, seen, view_mask, present) for output in outputs])
        return self._with_image(mean_outputs(outputs, task=self.task), seen, view_mask, present), each

    @property
    def networks(self) -> list[MultimodalNetwork]:
        """Networks of the members, without their linear models."""
        return [member.network if isinstance(member, TableMember) else member for member in self.members]  # type: ignore[misc]

    @property
    def linear_models(self) -> list[LinearTable]:
        """Linear models of the members; none if the networks have none."""
        return [member.linear for member in self.members if isinstance(member, TableMember)]

    def measure_missing_from_means(self) -> None:
        """No effect: older versions have no ensembles."""

    def _predict(
        self, seen: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> Tensor:
        table = mean_outputs(self._of_members(values, codes, present), task=self.task)
        return self._with_image(table, seen, view_mask, present)

    def _of_members(self, values: Tensor, codes: Tensor, present: Tensor) -> Tensor:
        return torch.stack([member(None, None, values, codes, present) for member in self.members])

    def _with_image(
        self, table: Tensor, seen: Tensor | None, view_mask: Tensor | None, present: Tensor
    ) -> Tensor:
        if seen is None:
            return table
        weight = self.image_weight
        return combine_outputs(table, seen, weight, view_mask=view_mask, present=present, task=self.task)
