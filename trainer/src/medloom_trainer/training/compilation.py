"""Compilation of the backbone, which takes most of a step, if it saves time."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.inference.precision import autocast
from medloom_trainer.model.backbones import Backbone
from medloom_trainer.model.network import MultimodalNetwork
from medloom_trainer.private_folder import private_folder
from medloom_trainer.training.build import TrainingRun
from medloom_trainer.training.randomness import random_state, restore_random_state
from medloom_trainer.warnings import Warnings, warning

BACKEND: str | Callable[..., Any] = "inductor"
_LONG = 10_000
"""Minimum number of batches of a training for compilation to save time: it takes up to minutes, and makes
each batch faster."""

_CODE_FOLDER = "TORCHINDUCTOR_CACHE_DIR"


def compile_backbone(run: TrainingRun) -> Warnings:
    """Compile as `training.compile` requires, and test it: a step on artificial images, after which weights,
    statistics and random numbers are restored. If it fails, the training continues without it, with a
    warning.

    Before the first batch, and before a training is resumed: gradients are dropped.
    """
    network = run.components.network
    batches = run.loop["epochs"] * run.plan.total_batches
    if not isinstance(network, MultimodalNetwork) or network.backbone is None:
        return []
    if not is_wanted(run.loop["compile"], run.group.device.type, batches):
        return []
    run.events.doing(phrase("doing_compiling"))
    started, drawn = time.monotonic(), random_state(run.group.device)
    buffers = {name: buffer.clone() for name, buffer in network.backbone.named_buffers()}
    try:
        keep_compiled_code_private()
        network.backbone.compile_for_training(partial(torch.compile, backend=BACKEND))
        _try(run, network.backbone)
    except Exception as error:  # any error of a compiler
        network.backbone.compile_for_training(None)
        reason = " ".join(str(error).split())[:300]
        return [warning("COMPILATION_FAILED", phrase("not_compiled", reason=reason))]
    finally:
        network.zero_grad(set_to_none=True)
        for name, buffer in network.backbone.named_buffers():
            buffer.copy_(buffers[name])
        restore_random_state(drawn, run.group.device)
    if run.group.is_first:
        print(f"the backbone was compiled ({time.monotonic() - started:.1f} s)", flush=True)
    return []


def keep_compiled_code_private() -> None:
    """Use a private folder for compiled code. By default PyTorch loads it from a temporary folder with a
    predictable name, whoever created it. NODE_FOLDER_UNSAFE if another user created it. A folder in
    TORCHINDUCTOR_CACHE_DIR is kept.
    """
    if os.environ.get(_CODE_FOLDER) or not hasattr(os, "getuid"):
        return
    folder = Path(tempfile.gettempdir()) / f"medloom-compiled-{os.getuid()}"
    os.environ[_CODE_FOLDER] = str(private_folder(folder))


def is_wanted(setting: str, device: str, batches: int) -> bool:
    """setting: training.compile; device: its type; batches: of the whole training."""
    return setting == "on" or (setting == "auto" and device == "cuda" and batches >= _LONG)


def _try(run: TrainingRun, backbone: Backbone) -> None:
    """Run both passes, with a variable number of images."""
    width, height = run.spec.config["data"]["image_size"]
    count = max(2, -(-run.plan.batch_size // run.group.size) * max(1, run.data.num_views))
    images = torch.zeros(count, 3, height, width, device=run.group.device)
    images = images.contiguous(memory_format=torch.channels_last)
    torch._dynamo.maybe_mark_dynamic(images, 0)
    with autocast(run.components.precision, run.group.device):
        outputs: tuple[Tensor, Tensor] = backbone.train()(images)
    if outputs[1].requires_grad:
        outputs[1].float().sum().backward()  # type: ignore[no-untyped-call]
