"""Learning rates over the steps of a training, and the parameter groups to which they apply."""

from __future__ import annotations

import pytest
import torch

from medloom_trainer.training.optimization.lr_schedule import Schedule
from testing.checkpoints import optimizer_of
from testing.features import network
from testing.synthetic import configuration

STEPS = 60  # 6 epochs of 10


def factors(name: str, warmup_epochs: float = 0) -> list[float]:
    schedule = Schedule(name, total_steps=STEPS, steps_per_epoch=10, warmup_epochs=warmup_epochs)
    return [schedule.factor(step) for step in range(STEPS)]


def test_none_is_constant():
    assert set(factors("none")) == {1.0}


def test_cosine_falls_from_one_towards_zero():
    values = factors("cosine")
    assert values[0] == 1
    assert values == sorted(values, reverse=True)
    assert values[30] == pytest.approx(0.5)
    assert 0 < values[-1] < 0.01


def test_step_falls_after_one_and_two_thirds():
    values = factors("step")
    assert [values[step] for step in (0, 19, 20, 39, 40, 59)] == pytest.approx([1, 1, 0.1, 0.1, 0.01, 0.01])


def test_onecycle_rises_then_falls():
    values = factors("onecycle")
    assert values[0] == pytest.approx(1 / 25)
    assert values.index(max(values)) == 18
    assert max(values) == pytest.approx(1)
    assert values[-1] == pytest.approx(1e-4)
    longer = factors("onecycle", warmup_epochs=3)
    assert longer.index(max(longer)) == 30


@pytest.mark.parametrize("name", ["none", "cosine", "step", "plateau"])
def test_warm_up_is_linear_and_comes_first(name):
    values = factors(name, warmup_epochs=1.5)
    assert values[:15] == pytest.approx([(step + 1) / 16 for step in range(15)])
    assert values[15] == 1


def test_plateau_halves_after_three_epochs_without_improvement_and_its_state_survives():
    schedule = Schedule("plateau", total_steps=STEPS, steps_per_epoch=10, warmup_epochs=0)
    for improved in (True, False, False, True, False, False):
        schedule.end_epoch(improved)
    assert schedule.factor(30) == 1
    restored = Schedule("plateau", total_steps=STEPS, steps_per_epoch=10, warmup_epochs=0)
    restored.restore(schedule.state())
    restored.end_epoch(False)
    assert restored.factor(30) == 0.5


@pytest.mark.slow
def test_the_backbone_has_its_own_rate_and_only_weights_decay():
    model = network(
        vision_backbone="vit_small_patch16_224",
        freeze_layers=2,
        fusion_type="attention",
        tabular_encoder="ft_transformer",
        aggregator="attention",
    )
    loop = configuration(learning_rate=0.1, backbone_learning_rate=0.001, weight_decay=0.3)["training"]
    optimizer = optimizer_of(model, loop)
    options = {id(p): group for group in optimizer.param_groups for p in group["params"]}
    assert {id(p) for p in model.parameters() if p.requires_grad} == set(options)
    free_names: set[str] = set()
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue
        group = options[id(parameter)]
        assert group["lr"] == (0.001 if name.startswith("backbone.") else 0.1), name
        tokens = ("pos_embed", "class_token", "cls_token", "missing", "query", "columns.bias", "embeddings")
        free = parameter.ndim < 2 or name.endswith(tokens) or "embeddings." in name
        assert group["weight_decay"] == (0 if free else 0.3), name
        free_names.update(token for token in tokens if free and token in name)
    assert free_names == {"class_token", "missing", "query", "columns.bias", "embeddings"}
    Schedule("none", total_steps=10, steps_per_epoch=5, warmup_epochs=1).apply(optimizer, 0)
    assert {round(group["lr"] * 6, 9) for group in optimizer.param_groups} == {0.1, 0.001}


@pytest.mark.parametrize(
    ("name", "kind"), [("adam", torch.optim.Adam), ("adamw", torch.optim.AdamW), ("sgd", torch.optim.SGD)]
)
def test_optimizers(name, kind):
    loop = configuration(optimizer=name)["training"]
    assert type(optimizer_of(network(), loop)) is kind
