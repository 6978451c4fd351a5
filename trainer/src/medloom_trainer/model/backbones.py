"""Vision backbones: an image becomes tokens, one for each position of the last feature map, and one
vector."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from torch import Tensor, nn

from medloom_trainer.model.timm_import import import_timm
from medloom_trainer.model.weights import create_pretrained


class Backbone(nn.Module):
    """One of the timm networks of the contract, without its classifier.

    forward: images (B, 3, H, W), normalized → tokens (B, P, token_width), pooled (B, pooled_width). Frozen
    stages neither learn nor change their BatchNorm statistics. BatchNorm never learns from a single image:
    such a batch is normalized by the running statistics.
    """

    def __init__(
        self,
        name: str,
        *,
        image_size: tuple[int, int],
        pretrained: bool | str = False,
        freeze_layers: int | Literal["all"] = 0,
    ) -> None:
        """name: a canonical name of the contract. image_size: (width, height) in pixels."""
        super().__init__()
        width, height = image_size
        # Transformers build their position tables for one size; timm expects the height first.
        options: dict[str, Any] = (
            {"img_size": (height, width)} if declared()[name]["takes_image_size"] else {}
        )
        self.network = cast(
            Any,
            create_pretrained(name, pretrained, **options)
            if pretrained
            else import_timm().create_model(name, pretrained=False, num_classes=0, **options),
        )
        # Swin uses channels last: (B, H, W, D).
        self.channels_last_map = declared()[name]["family"] == "swin"
        self.num_prefix_tokens = int(getattr(self.network, "num_prefix_tokens", 0))
        self.frozen = tuple(_freeze(self.network, freeze_layers))
        # MobileNetV3 has a layer between the two. There is no dry run, which would take up to a second at
        # every start.
        self.token_width = int(self.network.num_features)
        self.pooled_width = int(self.network.head_hidden_size)
        self._batch_norms = [
            m for m in self.network.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)
        ]
        self._compiled: Callable[[Tensor], Tensor] | None = None
        self.train(True)

    @property
    def learns_statistics(self) -> bool:
        """Return whether the images of a batch update the statistics of a BatchNorm, and are normalized by
        them."""
        return any(module.training for module in self._batch_norms)

    def compile_for_training(self, compiled: Callable[[Any], Any] | None) -> None:
        """Use the result of `compiled` for the function from images to feature maps in training; None: the
        function itself. Evaluation, parameters and their names do not change.
        """
        self._compiled = None if compiled is None else compiled(self.network.forward_features)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor]:
        alone = self.training and images.shape[0] == 1
        with _running_statistics(self._batch_norms if alone else []):
            if self._compiled is not None and self.training and not alone:
                features = self._compiled(images)
            else:
                features = self.network.forward_features(images)
            pooled = self.network.forward_head(features, pre_logits=True)  # (B, D)
        return self._tokens(features), pooled

    def train(self, mode: bool = True) -> Backbone:
        super().train(mode)
        for module in self.frozen:
            module.eval()
        return self

    def without_decay(self) -> set[str]:
        """Names of parameters, as in named_parameters(), that are exempt from weight decay (position tables
        and similar ones).
        """
        names = self.network.no_weight_decay() if hasattr(self.network, "no_weight_decay") else set()
        return {f"network.{name}" for name in names}

    def _tokens(self, features: Tensor) -> Tensor:
        if features.ndim == 3:  # (B, prefix + P, D)
            return features[:, self.num_prefix_tokens :]
        if self.channels_last_map:  # (B, H, W, D)
            return features.flatten(1, 2)
        return features.flatten(2).transpose(1, 2)  # (B, D, H, W) → (B, P, D)


@cache
def declared() -> dict[str, dict[str, Any]]:
    """Name → the row of contract/backbones.json."""
    text = (Path(__file__).parents[1] / "contract" / "backbones.json").read_text(encoding="utf-8")
    return {row["name"]: row for row in json.loads(text)["backbones"]}


def _freeze(network: Any, stages: int | Literal["all"]) -> Iterator[nn.Module]:
    """Freeze the first `stages` stages (the stem is the first); yields the modules that remain in evaluation
    mode.

    Stages are timm's coarse parameter groups, counted from the input.
    """
    if stages == 0:
        return
    from timm.models import group_parameters

    stage_of: dict[str, int] = group_parameters(network, network.group_matcher(coarse=True), reverse=True)
    frozen = {name for name, stage in stage_of.items() if stages == "all" or stage < stages}
    if stages == "all":
        frozen |= {name for name, _ in network.named_parameters()}
    for name, parameter in network.named_parameters():
        if name in frozen:
            parameter.requires_grad_(False)
    for name, module in network.named_modules():
        own = [f"{name}.{key}" if name else key for key, _ in module.named_parameters()]
        if own and frozen.issuperset(own):
            yield module


@contextmanager
def _running_statistics(batch_norms: list[nn.modules.batchnorm._BatchNorm]) -> Iterator[None]:
    learning = [module for module in batch_norms if module.training]
    for module in learning:
        module.eval()
    try:
        yield
    finally:
        for module in learning:
            module.train()
