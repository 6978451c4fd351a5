"""Features that a frozen backbone computes from the images: once in a training, not in every epoch.

Kernels sum in an order that depends on the number of images that pass together. To give the same bits as a
training that passes the images through the backbone each time, features are only used for batches whose
images would pass in the same number, and only after images gave the same features at two positions of a
batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Cases
from medloom_trainer.inference.batches import FrozenFeatures, Indices, read_ahead
from medloom_trainer.inference.precision import autocast, full_precision
from medloom_trainer.inference.predict import StopRequested
from medloom_trainer.model.network import MultimodalNetwork
from medloom_trainer.training.build import TrainingRun

MAX_BYTES = 1 << 30
"""Limit for the features of a split. Larger ones are not stored."""


def with_frozen_features(run: TrainingRun) -> TrainingRun:
    """The run with features of its images, if the backbone is frozen and images are not augmented.

    StopRequested if a stop was requested meanwhile.
    """
    network, data = run.components.network, run.data
    reader = network if isinstance(network, MultimodalNetwork) else network.image
    if reader is None or not _is_frozen(reader) or run.group.size > 1:
        return run
    run.events.doing(phrase("doing_features"))
    backbone = _FrozenBackbone(run, reader)
    train = None
    # Images that modality dropout hides do not pass through the backbone: their number varies.
    if run.components.augmentation.changes_nothing and reader.modality_dropout == 0:
        train = backbone.of_training(data.train, run.plan.image_batch_sizes)
    order, size = np.arange(len(data.val.values)), run.plan.batch_size
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    return replace(run, train_features=train, val_features=backbone.of_validation(data.val, batches))


def _is_frozen(network: MultimodalNetwork) -> bool:
    return network.backbone is not None and not any(
        parameter.requires_grad for parameter in network.backbone.parameters()
    )


@dataclass(frozen=True)
class _FrozenBackbone:
    """The frozen backbone of `network`, which receives images in the same form as in `run`."""

    run: TrainingRun
    network: MultimodalNetwork

    def of_training(self, cases: Cases, sizes: Sequence[int]) -> FrozenFeatures | None:
        """Features for batches with one of `sizes` as their number of cases, with every view, in any order.
        None if they would differ from the output of the backbone there, or are too large.
        """
        assert cases.slots is not None
        whole = np.flatnonzero((cases.slots >= 0).all(axis=1))
        records: dict[int | None, Tensor] = {}
        for size in sizes:
            found = self._of_batches(cases, whole, size, len(sizes))
            if found is None:
                return None
            records[size] = found
        known = np.zeros(len(cases.values), dtype=bool)
        known[whole] = True
        return FrozenFeatures(records, known)

    def _of_batches(self, cases: Cases, whole: Indices, size: int, times: int) -> Tensor | None:
        """(N, V, …) in batches of `size` of the cases `whole`. times: number of such arrays that will be
        stored."""
        context = autocast(self.run.components.precision, self.run.group.device)
        if len(whole) < size:
            return None
        first = whole[:size]
        there, turned = self._features(cases, [first, first[::-1].copy()], context)
        if not torch.equal(there, turned.flip(0)) or _too_large(there, cases, times):
            return None
        batches = [whole[start : start + size] for start in range(0, len(whole), size)]
        batches[-1] = whole[-size:]  # the last is as large as the others
        return _collected(cases, batches, self._features(cases, batches, context))

    def of_validation(self, cases: Cases, batches: list[Indices]) -> FrozenFeatures | None:
        """Features for exactly these batches, which are the same in every epoch. None if they are too
        large."""
        first = self._features(cases, batches[:1], full_precision())
        if not first or _too_large(first[0], cases, 1):
            return None
        records = _collected(cases, batches, self._features(cases, batches, full_precision()))
        return FrozenFeatures({None: records}, np.ones(len(cases.values), dtype=bool))

    def _features(
        self, cases: Cases, batches: list[Indices], context: AbstractContextManager[Any]
    ) -> list[Tensor]:
        """Features of each batch (B, V, …), on the CPU."""
        run, found = self.run, []
        normalizer = run.components.normalizer
        with torch.no_grad(), context:
            for batch in read_ahead(cases, run.data.store, batches, device=run.group.device):
                assert batch.images is not None
                images = normalizer.normalize(normalizer.unit(batch.images), batch.images.shape[1])
                found.append(self.network.see(images, batch.view_mask).float().cpu())
                run.events.step()
                if run.control.stops():
                    raise StopRequested
        return found


def _too_large(features: Tensor, cases: Cases, times: int) -> bool:
    return times * features[0].numel() * features.element_size() * len(cases.values) > MAX_BYTES


def _collected(cases: Cases, batches: list[Indices], found: list[Tensor]) -> Tensor:
    """(N, V, …) by case; zeros if no batch contains the case."""
    records = torch.zeros(len(cases.values), *found[0].shape[1:])
    for batch, features in zip(batches, found, strict=True):
        records[torch.from_numpy(batch)] = features
    return records
