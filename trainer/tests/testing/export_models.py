"""Checkpoints to export: small networks with random weights and statistics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.onnx._internal.exporter._registration import ONNXRegistry

from medloom_trainer.data.types import TableLayout
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from medloom_trainer.inference.stored_network import layout_to_json
from medloom_trainer.model.ensemble import build_network
from testing.synthetic import LAYOUT, configuration

CNN, TRANSFORMER = "resnet18", "vit_small_patch16_224"
JOB_ID = "3f9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f"


def checkpoint(
    folder: Path,
    *,
    num_views: int = 2,
    classes: tuple[str, ...] | None = ("benign", "malignant", "unsure"),
    layout: TableLayout = LAYOUT,
    scale: float = 1.0,
    **changes: Any,
) -> Checkpoint:
    """classes None: a regression. scale: of every weight, for a network that few bits cannot represent."""
    torch.manual_seed(0)
    config = configuration(**changes)
    config["data"]["train_csv"] = "/home/somebody/secret/train.csv"
    num_outputs = len(classes) if classes else 1
    network = build_network(
        config,
        layout=layout,
        num_views=num_views,
        num_outputs=num_outputs,
        task="classification" if classes else "regression",
    )
    with torch.no_grad():
        for tensor in network.parameters():
            tensor *= scale
        for name, tensor in network.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                tensor.copy_(torch.rand_like(tensor) * 0.5 + 0.5)
    state = {
        "job_id": JOB_ID,
        "epoch": 3,
        "config": config,
        "task": "classification" if classes else "regression",
        "classes": list(classes) if classes else None,
        "preprocessing": {"version": 1},
        "layout": layout_to_json(layout),
        "image_normalization": {"mean": [0.4, 0.5, 0.6], "std": [0.2, 0.3, 0.25]},
        "label_normalization": None if classes else {"mean": 50.0, "std": 12.5},
        "num_views": num_views,
        "num_outputs": num_outputs,
        "threshold": 0.4 if num_outputs == 2 else None,
        "history": [],
        "data_digests": {"train": "0" * 64, "val": "1" * 64},
    }
    save_checkpoint(
        folder, job_id=JOB_ID, epoch=3, metrics={}, state=state, tensors={"model": network.state_dict()}
    )
    return load_checkpoint(folder)


@contextmanager
def operators_read_once() -> Iterator[None]:
    """The exporter of ONNX reads the source of its 500 operators again for every network; here only once in a
    process.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ONNXRegistry, "from_torchlib", staticmethod(_read_operators))
        yield


_read_operators = cache(ONNXRegistry.from_torchlib)
