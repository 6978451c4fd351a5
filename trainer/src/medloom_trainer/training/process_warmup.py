"""Warm-up of a process: a first training step on artificial images, before there is a training.

The first step of a process takes several times as long as the next: pages of the libraries are read, kernels
are created, and the system provides the memory of weights, gradients and moments page by page.
"""

from __future__ import annotations

import random

import numpy as np
import torch

from medloom_trainer.allocator import keep_freed_memory
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.types import TableLayout
from medloom_trainer.inference.devices import read_device
from medloom_trainer.model.ensemble import build_network
from medloom_trainer.training.optimization.optimizer import build_optimizer, weights_of

_SIDE, _CASES = 32, 4


def warm_up_process() -> None:
    """Run one step of a small training on artificial images. Random numbers are restored afterwards.

    Uses one thread: the job forks processes that decode, and computing threads do not survive a fork. Does
    nothing if trainings run on an accelerator, which must not be used here.
    """
    if read_device("auto").kind != "cpu":
        return
    threads = torch.get_num_threads()
    before = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    torch.set_num_threads(1)
    try:
        _one_step()
    finally:
        torch.set_num_threads(threads)
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002
        torch.set_rng_state(before[2])


def _one_step() -> None:
    model = contract_defaults("ModelConfig") | {"vision_backbone": "resnet18", "fusion_type": "none"}
    config = {
        "data": {"image_size": [_SIDE, _SIDE]},
        "model": {**model, "members": 1},
        "training": contract_defaults("LoopConfig"),
    }
    device = torch.device("cpu")
    keep_freed_memory()
    network = build_network(
        config, layout=TableLayout((), 0, 0), num_views=1, num_outputs=2, task="classification"
    )
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    parameters = dict(network.named_parameters())
    optimizer = build_optimizer(parameters, weights_of(network), config["training"], device)
    images = torch.rand(_CASES, 1, 3, _SIDE, _SIDE)
    outputs = network.train()(images, None, *(torch.zeros(_CASES, 0) for _ in range(3)))
    loss = torch.nn.functional.cross_entropy(outputs, torch.zeros(_CASES, dtype=torch.int64))
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
