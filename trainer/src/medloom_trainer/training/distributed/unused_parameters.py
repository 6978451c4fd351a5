"""Check of whether a batch may leave parameters of a network without gradient: processes that wait for one
another's gradients must then search for these in every step, which costs a traversal of the graph.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from medloom_trainer.inference.batches import gather
from medloom_trainer.training.build import TrainingRun

_CASES = 2


def may_leave_unused_parameters(run: TrainingRun) -> bool:
    """Determined with two cases, once with every view and once with none: different parts of the network may
    read them. In evaluation mode, so that nothing is drawn and no statistics change.
    """
    network, data, device = run.components.network, run.data, run.group.device
    parameters = [parameter for parameter in network.parameters() if parameter.requires_grad]
    batch = gather(data.train, data.store, np.arange(_CASES)).to(device)
    images = None
    masks: list[Tensor | None] = [None]
    if batch.images is not None:
        normalizer, views = run.components.normalizer, batch.images.shape[1]
        images = normalizer.normalize(normalizer.unit(batch.images), views)
        there = torch.ones(_CASES, views, dtype=torch.bool, device=device)
        masks = [None, there, there & False]
    training = network.training
    network.eval()
    try:
        return any(_unused(network(images, mask, *batch.table), parameters) for mask in masks)
    finally:
        network.train(training)


def _unused(outputs: Tensor, parameters: list[torch.nn.Parameter]) -> bool:
    gradients = torch.autograd.grad(outputs.sum(), parameters, allow_unused=True)
    return any(gradient is None for gradient in gradients)
