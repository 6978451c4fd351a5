"""Cases → predictions, in batches, in evaluation mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.inference.batches import FrozenFeatures, ImageNormalizer, read_ahead
from medloom_trainer.inference.precision import full_precision
from medloom_trainer.model.combined import CombinedNetwork
from medloom_trainer.model.ensemble import EnsembleNetwork
from medloom_trainer.outcomes import kind_of

_TIMES_ON_GPU = 4
"""The batch on a GPU, as a multiple of the requested one: nothing is stored for a backward pass, and small
batches leave most of it idle. On the CPU larger batches are not faster, and kernels may sum in another
order.
"""


class StopRequested(Exception):
    """Prediction was interrupted."""


def predict(
    network: nn.Module,
    cases: Cases,
    store: ImageStore | None,
    *,
    checkpoint_state: Mapping[str, Any],
    device: torch.device | str = "cpu",
    batch_size: int = 32,
    after_batch: Callable[[], None] = lambda: None,
) -> npt.NDArray[np.float64]:
    """Predictions in the form of the kind of outcome: (N, K) probabilities, or (N,) in original units. Always
    in full precision, whatever the training used.
    """
    device = torch.device(device)
    # Use the memory layout of the training: other kernels sum in another order.
    network.to(device, memory_format=torch.channels_last).eval()  # type: ignore[call-overload]
    outputs = forward_all(
        network,
        cases,
        store,
        image_normalization=checkpoint_state["image_normalization"],
        device=device,
        batch_size=batch_size,
        after_batch=after_batch,
    )
    return kind_of(checkpoint_state).predictions(outputs)


def predict_with_members(
    network: nn.Module,
    cases: Cases,
    store: ImageStore | None,
    *,
    checkpoint_state: Mapping[str, Any],
    device: torch.device | str = "cpu",
    batch_size: int = 32,
    after_batch: Callable[[], None] = lambda: None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
    """Like `predict`, and additionally (M, N, …) the predictions of the members of an ensemble; None for a
    single network.
    """
    several = isinstance(network, EnsembleNetwork | CombinedNetwork) and len(network.members) > 1
    device = torch.device(device)
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    outputs = forward_all(
        _BesideMembers(network) if several else network,
        cases,
        store,
        image_normalization=checkpoint_state["image_normalization"],
        device=device,
        batch_size=batch_size,
        after_batch=after_batch,
    )
    kind = kind_of(checkpoint_state)
    combined, *members = (kind.predictions(part) for part in torch.split(outputs, kind.num_outputs, dim=1))
    return combined, np.stack(members) if several else None


class _BesideMembers(nn.Module):
    """forward: (B, (1 + M) · K) the output of an ensemble, followed by the outputs of its members."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor | None) -> Tensor:
        combined, each = self.network.with_members(*inputs)  # type: ignore[operator]
        return torch.cat([combined, *each], dim=1)


def batch_on(device: torch.device, batch_size: int) -> int:
    """Number of cases in a batch on this device."""
    return batch_size * _TIMES_ON_GPU if device.type == "cuda" else batch_size


def forward_all(
    network: nn.Module,
    cases: Cases,
    store: ImageStore | None,
    *,
    image_normalization: dict[str, Any],
    device: torch.device,
    batch_size: int,
    indices: npt.NDArray[np.int64] | None = None,
    should_stop: Callable[[], bool] | None = None,
    after_batch: Callable[[], None] = lambda: None,
    features: FrozenFeatures | None = None,
) -> Tensor:
    """Outputs of the network in evaluation mode and full precision for `indices` (all cases by default), in
    their order: (N, K) on the CPU. features: of a frozen backbone, by case.

    StopRequested if `should_stop`, called before every batch, returns true.
    """
    network.eval()
    indices = np.arange(len(cases.values)) if indices is None else indices
    batch_size = batch_on(device, batch_size)
    batches = [indices[start : start + batch_size] for start in range(0, len(indices), batch_size)]
    normalizer = ImageNormalizer(image_normalization, device)
    outputs: list[Tensor] = []
    with torch.inference_mode(), full_precision():
        for batch in read_ahead(cases, store, batches, device=device, features=features):
            if should_stop is not None and should_stop():
                raise StopRequested
            images = None
            if batch.images is not None:
                images = normalizer.normalize(normalizer.unit(batch.images), batch.images.shape[1])
            outputs.append(network(images, *batch.inputs_after_images).float())
            after_batch()
    # Copy once at the end, so that nothing waits for the device before.
    return torch.cat(outputs).cpu() if outputs else torch.zeros(0, 1)
