"""Backbone features of the views of cases, computed once. The rest of the network then predicts repeatedly
from other tables, or from the images of other cases, at a low cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from medloom_trainer.data.types import ImageStore
from medloom_trainer.inference.batches import ImageNormalizer
from medloom_trainer.inference.precision import full_precision
from medloom_trainer.model.backbones import Backbone
from medloom_trainer.model.combined import CombinedNetwork
from medloom_trainer.model.mixing import mean_outputs

_BATCH = 256


class FeatureBank:
    """A network with cached backbone features of all views of some cases. predict: values (N, P), codes (N,
    E), present (N, C) and slots (N, V), -1 if missing → outputs (N, K) on the CPU.
    """

    def __init__(
        self,
        network: nn.Module,
        slots: npt.NDArray[np.int64] | None,
        store: ImageStore | None,
        *,
        image_normalization: dict[str, Any],
        device: torch.device,
        batch_size: int,
        after_batch: Callable[[], None] = lambda: None,
    ) -> None:
        self._network, self._device = network.eval(), device
        self._backbone = backbone_of(network)
        self._known = np.zeros(0, dtype=np.int64)
        self._tokens = self._pooled = torch.zeros(0)
        if self._backbone is None or store is None or slots is None:
            return
        self._known = np.unique(slots[slots >= 0])
        normalizer = ImageNormalizer(image_normalization, device)
        tokens, pooled = [], []
        with torch.inference_mode(), full_precision():
            for start in range(0, len(self._known), batch_size):
                records = torch.from_numpy(store.gather(self._known[start : start + batch_size, None]))
                images = normalizer.normalize(normalizer.unit(records.to(device)), 1)
                seen, summed = self._backbone(images.flatten(0, 1))
                # Tokens that no fusion reads would take most of the memory.
                tokens.append(seen if reads_tokens(network) else summed[:, None, :0])
                pooled.append(summed)
                after_batch()
        if pooled:
            self._tokens, self._pooled = torch.cat(tokens), torch.cat(pooled)

    def predict(
        self,
        values: npt.NDArray[np.float32],
        codes: npt.NDArray[np.int64],
        present: npt.NDArray[np.bool_],
        slots: npt.NDArray[np.int64] | None,
    ) -> Tensor:
        outputs = []
        with torch.inference_mode(), full_precision(), self._remembering():
            for start in range(0, len(values), _BATCH):
                rows = slice(start, start + _BATCH)
                table = [torch.from_numpy(part[rows]).to(self._device) for part in (values, codes, present)]
                outputs.append(self._network(*self._views(slots, rows), *table).float())
        return torch.cat(outputs).cpu()

    def _views(self, slots: npt.NDArray[np.int64] | None, rows: slice) -> tuple[Tensor | None, Tensor | None]:
        """Images of one pixel, whose value is the position of the view in the bank, and the mask of views."""
        if slots is None or self._backbone is None:
            return None, None
        part = slots[rows]
        place = np.searchsorted(self._known, np.maximum(part, 0)).clip(0, max(0, len(self._known) - 1))
        images = torch.from_numpy(place.astype(np.float32))[:, :, None, None, None].to(self._device)
        return images, torch.from_numpy(part >= 0).to(self._device)

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        """Make the backbone return the cached features."""
        backbone = self._backbone
        if backbone is None:
            yield
            return

        def recall(images: Tensor) -> tuple[Tensor, Tensor]:
            place = images[:, 0, 0, 0].long()
            if not len(self._known):  # there are no views; the output is masked
                tokens = torch.zeros(len(place), 1, backbone.token_width, device=self._device)
                return tokens, torch.zeros(len(place), backbone.pooled_width, device=self._device)
            return self._tokens[place], self._pooled[place]

        backbone.forward = recall  # type: ignore[method-assign]
        try:
            yield
        finally:
            del backbone.forward


class CombinedBank:
    """Like `FeatureBank`, for several trained models as one network: each reads the views with its own
    backbone, normalized as in its own training."""

    def __init__(self, network: CombinedNetwork, *seen: Any, **settings: Any) -> None:
        """Like `FeatureBank`; each member has its own image_normalization."""
        self._task = network.task
        self._members = [
            (
                member,
                FeatureBank(
                    member.network,
                    *seen,
                    **settings | {"image_normalization": member.inputs.image_normalization},
                ),
            )
            for member in network.each_member()
        ]

    def predict(
        self,
        values: npt.NDArray[np.float32],
        codes: npt.NDArray[np.int64],
        present: npt.NDArray[np.bool_],
        slots: npt.NDArray[np.int64] | None,
    ) -> Tensor:
        each = [
            member.in_common_units(bank.predict(*member.table(values, codes, present), slots))
            for member, bank in self._members
        ]
        return mean_outputs(torch.stack(each), task=self._task)


def bank_of(network: nn.Module, *seen: Any, **settings: Any) -> FeatureBank | CombinedBank:
    """The feature bank for any kind of network."""
    if isinstance(network, CombinedNetwork):
        return CombinedBank(network, *seen, **settings)
    return FeatureBank(network, *seen, **settings)


def backbone_of(network: nn.Module) -> Backbone | None:
    """The backbone of a network, or the first one of several trained models."""
    return next((module for module in network.modules() if isinstance(module, Backbone)), None)


def reads_tokens(network: nn.Module) -> bool:
    """Return whether a fusion reads the positions of the feature map, and not only its mean."""
    return any(getattr(module, "needs_tokens", False) for module in network.modules())


def bytes_per_view(network: nn.Module, image_size: tuple[int, int]) -> int:
    """Approximate size of the stored features of a view."""
    if isinstance(network, CombinedNetwork):
        return sum(bytes_per_view(member.network, image_size) for member in network.each_member())
    backbone = backbone_of(network)
    if backbone is None:
        return 0
    positions = (image_size[0] // 16) * (image_size[1] // 16) if reads_tokens(network) else 0
    return 4 * (backbone.pooled_width + positions * backbone.token_width)
