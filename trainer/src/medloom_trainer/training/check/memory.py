"""Estimate of the memory of a training before it starts: its network is built without memory, and one batch
is passed through it to measure what is stored for the backward pass.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import Tensor

from medloom_trainer.contract.members import is_ensemble, member_count
from medloom_trainer.data.outline import Outline
from medloom_trainer.data.types import TableLayout
from medloom_trainer.inference.batches import BATCHES_AHEAD
from medloom_trainer.inference.devices import DeviceRequest
from medloom_trainer.inference.precision import choose_precision
from medloom_trainer.model.ensemble import image_part, table_part
from medloom_trainer.model.network import MultimodalNetwork, build_one_network
from medloom_trainer.outcomes import OutcomeKind

_STATES = {"adam": 2, "adamw": 2, "sgd": 1}
"""Numbers that an optimizer stores for each trained parameter."""
_PROCESS = {"cpu": 480 * 2**20, "mps": 480 * 2**20, "cuda": 560 * 2**20}
"""Memory of a training without data: Python with its libraries, or the context of CUDA on a GPU."""
_PASSING = 1.25
"""Factor for the tensors stored for the backward pass, which accounts for the gradients that pass through a
layer at the same time."""


def estimate_memory(
    config: dict[str, Any], planned: Outline, kind: OutcomeKind, device: DeviceRequest
) -> dict[str, Any]:
    """Contract PlannedMemory, for one of the training processes. Errors as in `build_network`."""
    loop = config["training"]
    batch = max(2, loop["batch_size"] // len(device.processes))
    views = 0 if planned.images is None else planned.images.views
    parts = dict.fromkeys(("weights", "gradients", "optimizer", "activations"), 0)
    half = choose_precision(loop["mixed_precision"], torch.device(device.kind)) != "off"
    for part, count in _networks(config):
        network = _without_memory(part, planned.layout, views, kind.num_outputs)
        sizes = [(p.numel(), p.requires_grad) for p in network.parameters()]
        learning = sum(size for size, learns in sizes if learns)
        parts["weights"] += count * 4 * sum(size for size, _ in sizes)
        parts["gradients"] += count * 4 * learning
        parts["optimizer"] += count * 4 * _STATES[loop["optimizer"]] * learning
        stored = _kept_for_backward(network, part, batch, views, planned.layout)
        parts["activations"] += count * int(_PASSING * (stored / 2 if half else stored))
    parts["batches"] = _batches(config, batch, views, device.kind)
    parts["process"] = _PROCESS[device.kind]
    available = _available(device)
    return {
        "device": device.kind,
        "bytes": sum(parts.values()),
        "available_bytes": available,
        "parts": parts,
    }


def _networks(config: dict[str, Any]) -> Iterator[tuple[dict[str, Any], int]]:
    """(configuration of one network, number of such networks that are trained together)"""
    if not is_ensemble(config):
        yield config, 1
        return
    if config["model"]["fusion_type"] == "late":
        yield image_part(config), 1
    yield table_part(config), member_count(config)


def _without_memory(
    config: Mapping[str, Any], layout: TableLayout, views: int, num_outputs: int
) -> MultimodalNetwork:
    model = {**config["model"], "pretrained": False, "modality_dropout": 0.0}
    given: dict[str, Any] = {"layout": layout, "num_views": views, "num_outputs": num_outputs}
    try:
        with torch.device("meta"):
            return build_one_network({**config, "model": model}, **given).train()
    except NotImplementedError:  # some networks compute their widths with tensors
        return build_one_network({**config, "model": model}, **given).to("meta").train()


def _kept_for_backward(
    network: MultimodalNetwork, config: Mapping[str, Any], batch: int, views: int, layout: TableLayout
) -> int:
    """Bytes that the forward pass of a batch in float32 stores, without parameters."""
    known = {parameter.untyped_storage()._cdata for parameter in network.parameters()}
    stored: dict[int, Tensor] = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()._cdata
        if storage not in known:
            stored[storage] = tensor  # a reference, so that its address is not used again
        return tensor

    width, height = config["data"]["image_size"]
    with torch.device("meta"), torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        images = torch.zeros(batch, views, 3, height, width) if network.backbone is not None else None
        table = (
            torch.zeros(batch, layout.num_values),
            torch.zeros(batch, layout.num_codes, dtype=torch.long),
            torch.ones(batch, len(layout.columns), dtype=torch.bool),
        )
        network(images, None, *table)
    return sum(int(tensor.untyped_storage().nbytes()) for tensor in stored.values())


def _batches(config: Mapping[str, Any], batch: int, views: int, kind: str) -> int:
    """Images in use are float32, two copies during augmentation; those read ahead are in the stored form."""
    if config["model"]["vision_backbone"] == "none":
        return 0
    width, height = config["data"]["image_size"]
    values: int = batch * views * 3 * width * height
    return values * (2 * 4 + (1 if kind == "cuda" else BATCHES_AHEAD + 1))


def _available(device: DeviceRequest) -> int | None:
    if device.kind == "cuda":
        return min(int(torch.cuda.get_device_properties(n).total_memory) for n in device.processes)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
