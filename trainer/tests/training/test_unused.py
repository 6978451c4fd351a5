"""The decision whether the processes of a group must search for parameters without gradient."""

from __future__ import annotations

import pytest
import torch

from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.training.build import TrainingRun, build_run
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.distributed.unused_parameters import may_leave_unused_parameters
from testing.synthetic import configuration, prepared, spec_of

pytestmark = pytest.mark.usefixtures("quick_networks")


def run_with(folder, **changes) -> TrainingRun:
    config = configuration(**changes)
    data = prepared(num_views=0 if changes.get("vision_backbone") == "none" else 2)
    options = {"control": Control(folder, 1), "group": Group.alone()}
    folder.mkdir(parents=True, exist_ok=True)
    with Events(folder, 1) as events:
        return build_run(spec_of(folder, config), data, events=events, **options)


@pytest.mark.parametrize(
    ("changes", "unused"),
    [
        ({"vision_backbone": "none"}, False),
        ({"vision_backbone": "resnet18"}, False),
        ({"vision_backbone": "resnet18", "freeze_layers": 1, "missing_view": "token"}, False),
        ({"aggregator_learnable": False}, False),
        ({"fusion_type": "attention"}, True),  # the layer after the tokens of MobileNetV3
    ],
    ids=["table", "images", "partly frozen", "aggregator that does not learn", "tokens"],
)
def test_parameters_that_no_loss_reaches_are_found(tmp_path, changes, unused):
    run = run_with(tmp_path, **changes)
    before = {name: tensor.clone() for name, tensor in run.components.network.state_dict().items()}
    state = torch.get_rng_state()
    assert may_leave_unused_parameters(run) == unused
    assert torch.equal(torch.get_rng_state(), state)
    assert run.components.network.training
    for name, tensor in run.components.network.state_dict().items():
        assert torch.equal(tensor, before[name]), name
    assert all(parameter.grad is None for parameter in run.components.network.parameters())
