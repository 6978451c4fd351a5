"""The optimizers: their steps on the processor of this machine."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from medloom_trainer.training.optimization.optimizer import build_optimizer
from testing.synthetic import configuration

CPU = torch.device("cpu")


@pytest.mark.parametrize("name", ["adamw", "adam", "sgd"])
def test_a_step_whose_scaled_gradients_overflow_is_skipped_and_the_next_one_is_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Uninitialized memory may contain anything.
    monkeypatch.setattr(torch, "empty_like", lambda tensor: torch.full_like(tensor, torch.nan))
    weight = nn.Parameter(torch.ones(9))
    optimizer = build_optimizer({"weight": weight}, set(), configuration(optimizer=name)["training"], CPU)
    scaler = torch.amp.GradScaler("cpu", init_scale=1e30)
    for loss, moved in ((weight.sum() * 1e30, False), (weight.sum(), True)):
        optimizer.zero_grad()
        before = weight.detach().clone()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        assert bool((weight != before).any()) is moved
        assert weight.isfinite().all()


@pytest.mark.parametrize("name", ["adamw", "adam"])
def test_on_a_processor_one_pass_updates_the_parameters(name: str) -> None:
    loop = configuration(optimizer=name)["training"]
    optimizer = build_optimizer({"weight": nn.Parameter(torch.ones(9))}, set(), loop, CPU)
    assert optimizer.defaults["fused"] is True
