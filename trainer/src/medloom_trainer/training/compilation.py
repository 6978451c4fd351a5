"""Compiling the backbone, which takes most of a step, where that pays."""

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

from medloom_trainer.model.backbones import Backbone
from medloom_trainer.model.network import MultimodalNetwork
from medloom_trainer.private_folder import private_folder
from medloom_trainer.training.build import TrainingRun
from medloom_trainer.training.optimization.precision import autocast
from medloom_trainer.training.randomness import random_state, restore_random_state
from medloom_trainer.warnings import Warnings, warning

BACKEND: str | Callable[..., Any] = "inductor"
_LONG = 10_000
"""Batches of a training for which it pays to compile: that takes up to minutes, and gains a part of each."""

_CODE_FOLDER = "TORCHINDUCTOR_CACHE_DIR"


def compile_backbone(run: TrainingRun) -> Warnings:
    """Compile what `training.compile` says, and try it: a step on made-up images, after which weights,
    statistics and random numbers are as before. What fails is trained as it is, with a warning.

    Before the first batch, and before a training is continued: gradients are dropped.
    """
    network = run.components.network
    batches = run.loop["epochs"] * run.plan.total_batches
    if not isinstance(network, MultimodalNetwork) or network.backbone is None:
        return []
    if not is_wanted(run.loop["compile"], run.group.device.type, batches):
        return []
    run.events.doing("compiling the backbone")
    started, drawn = time.monotonic(), random_state(run.group.device)
    kept = {name: buffer.clone() for name, buffer in network.backbone.named_buffers()}
    try:
        keep_compiled_code_private()
        network.backbone.compile_for_training(partial(torch.compile, backend=BACKEND))
        _try(run, network.backbone)
    except Exception as error:  # whatever a compiler meets
        network.backbone.compile_for_training(None)
        reason = " ".join(str(error).split())[:300]
        message = f"the backbone could not be compiled and is trained as it is: {reason}"
        return [warning("COMPILATION_FAILED", message)]
    finally:
        network.zero_grad(set_to_none=True)
        for name, buffer in network.backbone.named_buffers():
            buffer.copy_(kept[name])
        restore_random_state(drawn, run.group.device)
    if run.group.is_first:
        print(f"the backbone is compiled ({time.monotonic() - started:.1f} s)", flush=True)
    return []


def keep_compiled_code_private() -> None:
    """PyTorch loads compiled code from a folder for temporary files whose name others can guess, whoever made
    it. NODE_FOLDER_UNSAFE where somebody else did. A folder that TORCHINDUCTOR_CACHE_DIR names stays.
    """
    if os.environ.get(_CODE_FOLDER) or not hasattr(os, "getuid"):
        return
    folder = Path(tempfile.gettempdir()) / f"medloom-compiled-{os.getuid()}"
    os.environ[_CODE_FOLDER] = str(private_folder(folder))


def is_wanted(setting: str, device: str, batches: int) -> bool:
    """setting: training.compile; device: its type; batches: of the whole training."""
    return setting == "on" or (setting == "auto" and device == "cuda" and batches >= _LONG)


def _try(run: TrainingRun, backbone: Backbone) -> None:
    """Both passes, with a number of images that may vary."""
    width, height = run.spec.config["data"]["image_size"]
    count = max(2, -(-run.plan.batch_size // run.group.size) * max(1, run.data.num_views))
    images = torch.zeros(count, 3, height, width, device=run.group.device)
    images = images.contiguous(memory_format=torch.channels_last)
    torch._dynamo.maybe_mark_dynamic(images, 0)
    with autocast(run.components.precision, run.group.device):
        outputs: tuple[Tensor, Tensor] = backbone.train()(images)
    if outputs[1].requires_grad:
        outputs[1].float().sum().backward()  # type: ignore[no-untyped-call]
