"""Saliency maps over images: Grad-CAM (Selvaraju et al. 2017) on the last feature map.

For convolutional networks and Swin the map uses the features that the pooling reads. A ViT only reads the
class token, so the map uses the tokens that its last block reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.evaluation.feature_bank import backbone_of
from medloom_trainer.inference.batches import Batch, ImageNormalizer, gather
from medloom_trainer.inference.precision import full_precision
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.model.backbones import Backbone
from medloom_trainer.model.combined import CombinedNetwork


class Saliency(NamedTuple):
    """Saliency map of one case."""

    view: int
    """Number of the view in the case, from 0: the one whose regions increase the prediction most."""
    map: FloatArray
    """(h, w) of the feature map, 0 to 1."""


def saliency_of(
    network: nn.Module,
    cases: Cases,
    case: int,
    store: ImageStore | None,
    *,
    output: int,
    sign: int = 1,
    image_normalization: dict[str, Any],
) -> Saliency | None:
    """Return the regions that increase an output of the network (the score of a class, or the predicted
    number) for one case, or with a sign of -1 those that decrease it. None if no region does, or if the
    network reads no image of the case. The network is on the CPU, in evaluation mode.

    For several trained models the result is the mean of their maps, each relative to its own largest value:
    gradients of two networks have no common scale.
    """
    if backbone_of(network) is None or cases.slots is None or not (cases.slots[case] >= 0).any():
        return None
    batch = gather(cases, store, np.asarray([case]))
    table = (batch.values, batch.codes, batch.present)
    if isinstance(network, CombinedNetwork):
        parts = [
            _maps(
                member.network, batch, member.table(*table), member.inputs.image_normalization, output, sign
            )
            for member in network.each_member()
        ]
    else:
        parts = [_maps(network, batch, table, image_normalization, output, sign)]
    maps = _mean(parts)
    strongest = int(maps.sum(axis=(1, 2)).argmax())
    top = float(maps[strongest].max())
    views = np.flatnonzero(cases.slots[case] >= 0)
    return Saliency(int(views[strongest]), maps[strongest] / top) if top > 0 else None


def _maps(
    network: nn.Module,
    batch: Batch,
    table: tuple[Tensor, Tensor, Tensor],
    image_normalization: dict[str, Any],
    output: int,
    sign: int,
) -> FloatArray:
    """(v, h, w) of the views of the one case, 0 or more; 0 everywhere if the output does not depend on
    them."""
    backbone = backbone_of(network)
    assert backbone is not None and batch.images is not None
    normalizer = ImageNormalizer(image_normalization, torch.device("cpu"))
    images = normalizer.normalize(normalizer.unit(batch.images), batch.images.shape[1])
    with torch.enable_grad(), full_precision(), _watched(backbone) as seen:
        outputs = network(images, batch.view_mask, *table)
        (gradient,) = torch.autograd.grad(sign * outputs[0, output], seen[0], allow_unused=True)
    features = seen[0].detach()
    gradient = torch.zeros_like(features) if gradient is None else gradient
    return _grad_cam(_positions(backbone, features), _positions(backbone, gradient))


def _mean(parts: Sequence[FloatArray]) -> FloatArray:
    """(v, h, w) of each network, at the finest resolution of them → (v, h, w), from 0 to 1."""
    finest = max(part.shape[1] for part in parts), max(part.shape[2] for part in parts)
    total = np.zeros((len(parts[0]), *finest))
    for part in parts:
        relative = torch.from_numpy(part / (part.max() or 1.0))[:, None]
        if relative.shape[2:] != finest:
            relative = F.interpolate(relative, finest, mode="bilinear", align_corners=False)
        total += relative[:, 0].numpy()
    mean: FloatArray = total / len(parts)
    return mean


def _grad_cam(features: Tensor, gradient: Tensor) -> FloatArray:
    """Both (v, h, w, D): the sum of the features weighted by their mean gradient, limited to positive
    values."""
    weights = gradient.mean(dim=(1, 2), keepdim=True)
    found: FloatArray = (features * weights).sum(dim=3).clamp(min=0).double().numpy()
    return found


@contextmanager
def _watched(backbone: Backbone) -> Iterator[list[Tensor]]:
    """The list receives the feature map of the next forward pass, detached from the layers before it."""
    seen: list[Tensor] = []

    def keep(features: Tensor) -> Tensor:
        seen.append(features.detach().requires_grad_())
        return seen[-1]

    if hasattr(backbone.network, "blocks") and backbone.num_prefix_tokens:
        last = backbone.network.blocks[-1]
        hook = last.register_forward_pre_hook(lambda _, inputs: (keep(inputs[0]), *inputs[1:]))
        try:
            yield seen
        finally:
            hook.remove()
        return
    forward_features = backbone.network.forward_features
    backbone.network.forward_features = lambda images: keep(forward_features(images))
    try:
        yield seen
    finally:
        del backbone.network.forward_features


def _positions(backbone: Backbone, features: Tensor) -> Tensor:
    """→ (v, h, w, D)"""
    if features.ndim == 3:  # (v, prefix + P, D)
        height, width = backbone.network.patch_embed.grid_size
        return features[:, backbone.num_prefix_tokens :].reshape(len(features), height, width, -1)
    return features if backbone.channels_last_map else features.permute(0, 2, 3, 1)


def overlay(pixels: npt.NDArray[np.uint8], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """pixels (H, W, 3), weights (H, W) from 0 to 1 → the image in gray under the colors of the map."""
    gray = pixels.mean(axis=2, keepdims=True).repeat(3, axis=2)
    share = (0.15 + 0.55 * weights)[..., None]
    mixed = (1 - share) * gray + share * _colors(weights)
    rounded: npt.NDArray[np.uint8] = mixed.round().astype(np.uint8)
    return rounded


_CIVIDIS = np.array(
    [[0, 34, 78], [67, 78, 108], [124, 123, 120], [188, 174, 108], [254, 232, 56]], dtype=float
)
"""Five points of the color map cividis (Nuñez, Anderton and Renslow 2018), which looks the same to readers
with color-vision deficiency: dark blue 0, yellow 1."""


def _colors(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    places = np.linspace(0, 1, len(_CIVIDIS))
    return np.stack([np.interp(weights, places, channel) for channel in _CIVIDIS.T], axis=-1)
