"""One network: backbone(views) → aggregate → fuse with the table → head; built from the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import TableLayout
from medloom_trainer.errors import TrainerError
from medloom_trainer.model.aggregate import ViewAggregator
from medloom_trainer.model.backbones import Backbone
from medloom_trainer.model.fusion import FUSIONS
from medloom_trainer.model.tabular import ENCODERS
from medloom_trainer.model.view_counts import shown_count

_MAX_PARAMETERS = 300_000_000
"""Limit outside the backbone. A larger number is a typing error: no medical table has enough data for it."""


def build_one_network(
    config: Mapping[str, Any], *, layout: TableLayout, num_views: int, num_outputs: int
) -> MultimodalNetwork:
    """config: the parts "model" and "data" of the training configuration, complete, without regard to
    members. num_outputs: K classes, or 1 for regression.

    Raises WEIGHTS_UNAVAILABLE, MODEL_TOO_LARGE, INVALID_CONFIG (no inputs to learn from).
    """
    model, data = config["model"], config["data"]
    has_image = model["vision_backbone"] != "none"
    has_table = model["fusion_type"] != "none"
    if has_image and num_views == 0:
        raise TrainerError(
            "INVALID_CONFIG",
            phrase("backbone_without_images"),
        )
    if has_table and not layout.columns:
        raise TrainerError(
            "INVALID_CONFIG",
            phrase("no_table_inputs"),
            phrase("no_fusion_or_columns"),
        )
    backbone = None
    if has_image:
        width, height = data["image_size"]
        backbone = Backbone(
            model["vision_backbone"],
            image_size=(width, height),
            pretrained=model["pretrained"],
            freeze_layers=model["freeze_layers"],
        )
    widths = (backbone.token_width, backbone.pooled_width) if backbone else None

    def rest() -> _Rest:
        return _Rest(model, layout if has_table else None, widths, num_views, num_outputs)

    with torch.device("meta"):
        parameters = sum(parameter.numel() for parameter in rest().parameters())
    if parameters > _MAX_PARAMETERS:
        raise TrainerError(
            "MODEL_TOO_LARGE",
            phrase(
                "model_too_large",
                width=model["hidden_dim"],
                fusion=model["fusion_type"],
                parameters=parameters,
                limit=_MAX_PARAMETERS,
            ),
        )
    return MultimodalNetwork(backbone, rest(), model["modality_dropout"], num_views)


class MultimodalNetwork(nn.Module):
    """forward: images (B, V, 3, H, W) normalized, or None; view_mask (B, V), None if every view exists;
    values (B, P), codes (B, E), present (B, C) → logits (B, K), or normalized predictions (B, 1). features
    (B, V, …): the result of `see` for the images, which are then not read."""

    def __init__(
        self, backbone: Backbone | None, rest: _Rest, modality_dropout: float, num_views: int
    ) -> None:
        super().__init__()
        self.num_views = num_views
        self.backbone = backbone
        self.rest = rest
        self.modality_dropout = modality_dropout

    def forward(
        self,
        images: Tensor | None,
        view_mask: Tensor | None,
        values: Tensor,
        codes: Tensor,
        present: Tensor,
        features: Tensor | None = None,
    ) -> Tensor:
        if (
            self.training
            and self.modality_dropout > 0
            and self.backbone is not None
            and self.rest.table is not None
        ):
            shown = images if features is None else features
            view_mask, values, present = self._drop_modalities(view_mask, values, present, shown)
        if self.backbone is not None and features is None:
            if images is None:
                raise ValueError("this network reads images")
            features = self.see(images, view_mask)
        tokens, pooled = (features, None) if self.rest.needs_tokens else (None, features)
        output: Tensor = self.rest(tokens, pooled, view_mask, values, codes, present)
        return output

    def forward_every_view(
        self, images: Tensor | None, view_mask: Tensor | None, values: Tensor, codes: Tensor, present: Tensor
    ) -> Tensor:
        """Like `forward`. Every view passes through the backbone, including missing ones, whose features are
        then masked: no shape depends on the data, so the graph can be recorded. In evaluation mode the result
        is the same.
        """
        tokens = pooled = None
        if self.backbone is not None:
            assert images is not None
            tokens, pooled = self.backbone(images.flatten(0, 1))  # (B · V, P, D), (B · V, D)
            pooled = pooled.unflatten(0, (-1, self.num_views))
            tokens = tokens.unflatten(0, (-1, self.num_views)) if self.rest.needs_tokens else None
        output: Tensor = self.rest(tokens, pooled, view_mask, values, codes, present)
        return output

    def measure_missing_from_means(self) -> None:
        """Call after loading weights of an older version, whose missing tokens are complete values."""
        if self.rest.table is not None:
            self.rest.table.columns.measure_missing_from_means()

    def see(self, images: Tensor, view_mask: Tensor | None) -> Tensor:
        """Features of the images (B, V, 3, H, W) that the fusion reads: tokens (B, V, P, D), or vectors (B,
        V, D).

        Missing views do not pass through the backbone: blank images would distort its BatchNorm
        statistics.
        """
        assert self.backbone is not None
        flat = images.flatten(0, 1)  # (B · V, 3, H, W)
        which = 0 if self.rest.needs_tokens else 1
        if view_mask is None:
            features: Tensor = self.backbone(flat)[which]
            return features.view(*images.shape[:2], *features.shape[1:])
        there = view_mask.flatten().nonzero().squeeze(1)
        if there.numel() == 0:  # masked afterwards; determines the shapes
            there = torch.zeros(1, dtype=torch.long, device=images.device)
        count = shown_count(
            len(there), len(flat), flat.device.type, learns_statistics=self.backbone.learns_statistics
        )
        shown = flat[nn.functional.pad(there, (0, count - len(there)))]  # padded with the first one
        seen: Tensor = self.backbone(shown.contiguous(memory_format=torch.channels_last))[which][: len(there)]
        features = seen.new_zeros(len(flat), *seen.shape[1:]).index_copy(0, there, seen)
        return features.view(*images.shape[:2], *seen.shape[1:])

    def _drop_modalities(
        self, view_mask: Tensor | None, values: Tensor, present: Tensor, images: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Each case loses one modality with the probability modality_dropout: image or table with the same
        probability, never both.
        """
        assert images is not None
        if view_mask is None:
            view_mask = torch.ones(images.shape[:2], dtype=torch.bool, device=images.device)
        draw = torch.rand(values.shape[0], 1, device=values.device)
        without_image = draw < self.modality_dropout / 2
        without_table = ~without_image & (draw < self.modality_dropout)
        return view_mask & ~without_image, values.masked_fill(without_table, 0), present & ~without_table


class _Rest(nn.Module):
    """All layers after the backbone; their inputs are features, so their size is known before."""

    def __init__(
        self,
        model: dict[str, Any],
        layout: TableLayout | None,
        widths: tuple[int, int] | None,
        num_views: int,
        num_outputs: int,
    ) -> None:
        super().__init__()
        width, heads, dropout = model["hidden_dim"], model["num_heads"], model["dropout"]
        self.fusion = self.table = self.aggregator = self.image = self.image_tokens = None
        self.needs_tokens = False
        if widths is not None and layout is not None:
            fusion = FUSIONS[model["fusion_type"]]
            self.needs_tokens = fusion.needs_tokens
            self.fusion = fusion.module(width, heads, dropout)
        if widths is not None:
            token_width, pooled_width = widths
            embedding = model["image_dim"] or width
            if self.needs_tokens:
                self.image_tokens = _project(token_width, embedding, width)
            else:
                self.image = _project(pooled_width, embedding, width)
            self.aggregator = ViewAggregator(
                model["aggregator"],
                model["missing_view"],
                learnable=model["aggregator_learnable"],
                num_views=num_views,
                width=width,
                num_heads=heads,
                dropout=dropout,
            )
        if layout is not None:
            encoder = ENCODERS[model["tabular_encoder"]]
            self.table = encoder(
                layout,
                width,
                num_heads=heads,
                dropout=dropout,
                with_tokens=self.needs_tokens,
                random_missing=model.get("missing_token") == "random",  # absent in older checkpoints
            )
        self.head = nn.Sequential(nn.Dropout(dropout), nn.Linear(width, num_outputs))

    def forward(
        self,
        tokens: Tensor | None,
        pooled: Tensor | None,
        view_mask: Tensor | None,
        values: Tensor,
        codes: Tensor,
        present: Tensor,
    ) -> Tensor:
        image = image_tokens = table = table_tokens = None
        if self.aggregator is not None:
            if self.image_tokens is not None:
                image_tokens = self.aggregator(self.image_tokens(tokens), view_mask)  # (B, P, H)
            elif self.image is not None:
                image = self.aggregator(self.image(pooled), view_mask)  # (B, H)
        if self.table is not None:
            table_tokens, table = self.table(values, codes, present)  # (B, C, H) or (B, H)
        if self.fusion is not None:
            fused = self.fusion(image, image_tokens, table, table_tokens)
        else:
            fused = table if image is None else image
        return self._read_out(fused)

    def _read_out(self, fused: Tensor) -> Tensor:
        """In float32 also under autocast: the 8 bits of a bfloat16 logit give few different probabilities."""
        output: Tensor
        device = fused.device.type
        if not torch.amp.is_autocast_available(device) or not torch.is_autocast_enabled(device):
            output = self.head(fused)
            return output
        with torch.autocast(device, enabled=False):
            output = self.head(fused.float())
        return output


def _project(inputs: int, embedding: int, width: int) -> nn.Sequential:
    """Features → the image embedding → the common width, normalized. (…, inputs) → (…, width)"""
    layers: list[nn.Module] = [nn.Linear(inputs, embedding), nn.LayerNorm(embedding)]
    if embedding != width:
        layers += [nn.GELU(), nn.Linear(embedding, width), nn.LayerNorm(width)]
    return nn.Sequential(*layers)
