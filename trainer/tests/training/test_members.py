"""Ensembles: separately trained networks in one pass, each with its own validation and best epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from medloom_trainer.data.types import PreparedData
from medloom_trainer.inference.batches import shuffled_batches
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.predict import predict
from medloom_trainer.jobs.results import trained_from
from medloom_trainer.model.ensemble import EnsembleNetwork, build_network
from medloom_trainer.model.mixing import combine_outputs, mean_outputs
from medloom_trainer.model.network import build_one_network
from medloom_trainer.training.loop import Outcome
from medloom_trainer.training.members.packed import PackedMembers
from medloom_trainer.training.members.plan import EnsemblePlan
from medloom_trainer.training.optimization.lr_schedule import Schedule
from medloom_trainer.training.optimization.optimizer import build_optimizer, weights_of
from medloom_trainer.training.randomness import seed_everything
from testing.synthetic import LAYOUT, StopsAfter, configuration, epochs_of, prepared, run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

TABLE = {
    "vision_backbone": "none",
    "fusion_type": "concatenate",
    "epochs": 4,
    "batch_size": 8,
    "dropout": 0.3,
}
LATE = {"fusion_type": "late", "epochs": 2, "batch_size": 8, "dropout": 0.3}


STOPS = (8, 2, 19)
"""Batches after which a training is stopped."""
PLAIN = {"dropout": 0.0, "optimizer": "sgd", "learning_rate": 0.01}


def data_of(members: int | None, *, views: int = 0, task: str = "classification") -> PreparedData:
    """members: number with separate folds; None: all validate on the validation split."""
    data = prepared(train_cases=50, val_cases=16, num_views=views, task=task)
    folds = None if members is None else np.random.default_rng(3).permutation(np.arange(66) % members)
    return replace(data, member_folds=folds)


def member_tensors(folder: Path, member: int) -> dict[str, torch.Tensor]:
    """Tensors of the member's network."""
    tensors = load_checkpoint(folder).tensors("model")
    prefix = f"members.{member}.network."
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}


@pytest.mark.parametrize("encoder", ["mlp", "ft_transformer"])
def test_a_packed_step_is_the_step_of_each_network_alone(encoder: str) -> None:
    """Forward, loss, clipping and optimizer, compared with the same networks in sequence."""
    torch.manual_seed(1)
    config = configuration(**{**TABLE, "members": 3, "tabular_encoder": encoder, **PLAIN})
    packed_network = build_network(config, layout=LAYOUT, num_views=0, num_outputs=2, task="classification")
    assert isinstance(packed_network, EnsembleNetwork)
    alone = [
        build_network(configuration(**{**TABLE, "members": 1, "tabular_encoder": encoder, **PLAIN}),
                      layout=LAYOUT, num_views=0, num_outputs=2, task="classification")
        for _ in range(3)
    ]  # fmt: skip
    for network, member in zip(alone, packed_network.networks, strict=True):
        network.load_state_dict(member.state_dict())
    packed, loop = PackedMembers(packed_network.networks), config["training"]
    names = weights_of(packed_network.networks[0])
    optimizer = build_optimizer(packed.parameters, names, loop, torch.device("cpu"))
    others = [
        build_optimizer(dict(net.named_parameters()), weights_of(net), loop, torch.device("cpu"))
        for net in alone
    ]
    values, codes = torch.randn(3, 7, 4) * 5, torch.randint(0, 5, (3, 7, 1))
    present = torch.rand(3, 7, 3) > 0.2
    for _ in range(3):
        outputs = packed(values, codes, present)
        outputs.square().sum().backward()
        packed.clip_gradients(0.5)
        optimizer.step()
        optimizer.zero_grad()
        for member, (net, step) in enumerate(zip(alone, others, strict=True)):
            own = net(None, None, values[member], codes[member], present[member])
            torch.testing.assert_close(outputs[member], own)
            own.square().sum().backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            step.step()
            step.zero_grad()
    for net, member in zip(alone, packed_network.networks, strict=True):
        for (name, one), other in zip(net.named_parameters(), member.parameters(), strict=True):
            torch.testing.assert_close(other, one, msg=name)


def test_members_draw_their_own_dropout() -> None:
    config = configuration(**{**TABLE, "members": 3, "dropout": 0.5})
    network = build_network(config, layout=LAYOUT, num_views=0, num_outputs=2, task="classification").train()
    for member in network.networks[1:]:
        member.load_state_dict(network.networks[0].state_dict())
    values, codes = torch.randn(1, 9, 4), torch.zeros(1, 9, 1, dtype=torch.long)
    present = torch.ones(1, 9, 3, dtype=torch.bool)
    packed = PackedMembers(network.networks)
    out = packed(*(part.expand(3, *part.shape[1:]) for part in (values, codes, present)))
    assert not torch.equal(out[0], out[1]) and not torch.equal(out[1], out[2])


def test_every_network_sees_each_of_its_cases_once_an_epoch() -> None:
    rows = (np.arange(0, 40), np.arange(7, 40), np.arange(5, 40))
    plan = EnsemblePlan(rows, 31, batch_size=8, accumulation=2, seed=4)
    first, second = plan.batches(1), plan.batches(2)
    assert len(first) == plan.total_batches == 5 and plan.num_networks == 4
    for member, own in enumerate(rows):
        seen = [batch.rows[member, : batch.sizes[member]] for batch in first]
        np.testing.assert_array_equal(np.sort(np.concatenate(seen)), own)
        assert max(map(len, seen)) <= 8 and min(map(len, seen)) >= 2
    np.testing.assert_array_equal(np.sort(np.concatenate([b.images for b in first])), np.arange(31))
    assert not np.array_equal(first[0].rows, second[0].rows)
    assert not np.array_equal(first[0].rows[0], first[0].rows[1])
    again = plan.batches(1)
    assert all(np.array_equal(one.rows, two.rows) for one, two in zip(first, again, strict=True))


def test_one_member_is_one_network_trained_plainly(tmp_path: Path) -> None:
    """Bit for bit the same weights as from a simple loop over one network."""
    config, data = configuration(**TABLE, members=1), prepared(num_views=0)
    run(tmp_path, config, data)
    loop = config["training"]
    seed_everything(loop["seed"], deterministic=False)
    network = build_one_network(config, layout=LAYOUT, num_views=0, num_outputs=2).train()
    parameters = dict(network.named_parameters())
    optimizer = build_optimizer(parameters, weights_of(network), loop, torch.device("cpu"))
    table = [torch.from_numpy(part) for part in (data.train.values, data.train.codes, data.train.present)]
    labels = torch.from_numpy(data.train.labels)
    steps = [
        rows for epoch in range(1, loop["epochs"] + 1)
        for rows in shuffled_batches(len(labels), loop["batch_size"], seed=loop["seed"], epoch=epoch)
    ]  # fmt: skip
    schedule = Schedule("cosine", total_steps=len(steps), steps_per_epoch=1, warmup_epochs=0)
    for step, rows in enumerate(steps):
        schedule.apply(optimizer, step)
        losses = cross_entropy(
            network(None, None, *(part[rows] for part in table)), labels[rows], reduction="none"
        )
        (losses.sum() / len(rows)).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), loop["gradient_clip"])
        optimizer.step()
        optimizer.zero_grad()
    saved = load_checkpoint(tmp_path / "checkpoints" / "last").tensors("model")
    assert all(torch.equal(saved[name], own) for name, own in network.state_dict().items())


@pytest.mark.slow
def test_each_member_keeps_its_own_best_epoch(tmp_path: Path) -> None:
    settings = {**TABLE, "epochs": 12, "learning_rate": 0.03, "checkpoint_interval": 1}
    config, data = configuration(**settings, members=3), data_of(3)
    outcome = run(tmp_path, config, data)
    best = load_checkpoint(tmp_path / "checkpoints" / "best")
    epochs = best.state["member_epochs"]
    assert len(set(epochs)) > 1 and max(epochs) == outcome.best["epoch"] == best.state["epoch"]
    network = best.build_network()
    for member, epoch in enumerate(epochs):
        at_epoch = load_checkpoint(tmp_path / "checkpoints" / f"epoch-{epoch:04d}").build_network()
        for (name, one), other in zip(
            network.members[member].state_dict().items(),
            at_epoch.members[member].state_dict().values(),
            strict=True,
        ):
            assert torch.equal(one, other), name
    history = epochs_of(tmp_path)
    assert [line["epoch"] for line in history] == list(range(1, 13))


@pytest.mark.slow
def test_what_a_model_learned_from_counts_validation_rows_only_where_they_train() -> None:
    assert trained_from(data_of(None)) == {"splits": ["train"], "cases": 50}
    assert trained_from(data_of(5)) == {"splits": ["train", "val"], "cases": 66}
    # The network of the images only learns from training rows.
    assert trained_from(data_of(5, views=1)) == {"splits": ["train"], "cases": 50}


def test_validation_is_out_of_fold(tmp_path: Path) -> None:
    """Each validation case is predicted by the member whose fold it is in, at that member's best epoch."""
    data = data_of(3)
    outcome = run(tmp_path, configuration(**TABLE, members=3), data)
    best = load_checkpoint(tmp_path / "checkpoints" / "best")
    network = best.build_network()
    for member in range(3):
        alone = predict(network.members[member], data.val, None, checkpoint_state=best.state)
        mine = data.member_folds[50:] == member
        np.testing.assert_allclose(outcome.best_predictions[mine], alone[mine], atol=1e-6)
        assert not np.allclose(outcome.best_predictions[~mine], alone[~mine], atol=1e-6)
    together = predict(network, data.val, None, checkpoint_state=best.state)
    each = [predict(part, data.val, None, checkpoint_state=best.state) for part in network.members]
    np.testing.assert_allclose(together, np.mean(each, axis=0), atol=1e-6)


@pytest.mark.slow
def test_a_fold_never_trains_its_member(tmp_path: Path) -> None:
    """Other values in the fold of a member do not change its weights, but those of the others."""
    data = data_of(3)
    values = data.train.values.copy()
    values[data.member_folds[:50] == 1] += 3
    other = replace(data, train=replace(data.train, values=values))
    config = configuration(**{**TABLE, "epochs": 1}, members=3)
    for name, cases in {"one": data, "two": other}.items():
        run(tmp_path / name, config, cases)
    last = [tmp_path / name / "checkpoints" / "last" for name in ("one", "two")]
    for member, same in enumerate([False, True, False]):
        one, two = (member_tensors(folder, member) for folder in last)
        assert all(torch.equal(one[name], two[name]) for name in one) == same


@pytest.mark.slow
def test_validation_cases_of_the_split_train_no_member(tmp_path: Path) -> None:
    data = data_of(None)
    moved = replace(data, val=replace(data.val, values=data.val.values + 3))
    config = configuration(**{**TABLE, "epochs": 1}, members=3, validation="split")
    for name, cases in {"one": data, "two": moved}.items():
        run(tmp_path / name, config, cases)
    for member in range(3):
        one, two = (
            member_tensors(tmp_path / name / "checkpoints" / "last", member) for name in ("one", "two")
        )
        assert all(torch.equal(one[name], two[name]) for name in one)
    assert not torch.equal(
        member_tensors(tmp_path / "one" / "checkpoints" / "last", 0)["rest.head.1.weight"],
        member_tensors(tmp_path / "one" / "checkpoints" / "last", 1)["rest.head.1.weight"],
    )


RESUMED = {
    "accumulated": ({**TABLE, "members": 3, "gradient_accumulation": 2, "scheduler": "plateau"}, 0),
    "transformer": ({**TABLE, "members": 2, "tabular_encoder": "ft_transformer", "optimizer": "sgd"}, 0),
    "late": (
        {**LATE, "epochs": 3, "members": 2, "image_weight": "validation", "augmentation": "strong"}, 2
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Callable[[str], tuple[dict[str, Any], PreparedData, Path, Outcome]]:
    """Name of the settings → configuration, data, folder and result of a run without a stop."""

    @cache
    def trained(name: str) -> tuple[dict[str, Any], PreparedData, Path, Outcome]:
        settings, views = RESUMED[name]
        config, data = configuration(**settings), data_of(settings["members"], views=views)
        folder = tmp_path_factory.mktemp("whole")
        return config, data, folder, run(folder, config, data)

    return trained


@pytest.mark.parametrize(
    ("settings", "batches"),
    [
        pytest.param(
            name,
            batches,
            marks=[] if (name, batches) in zip(RESUMED, STOPS, strict=True) else pytest.mark.full,
        )
        for name in RESUMED
        for batches in STOPS
    ],
)
def test_stop_and_resume_equals_an_undisturbed_run(
    tmp_path: Path, settings: str, batches: int, undisturbed
) -> None:
    config, data, whole_folder, whole = undisturbed(settings)
    stopped = run(tmp_path / "stopped", config, data, control=StopsAfter(tmp_path, batches))
    assert stopped.status == "stopped"
    torch.manual_seed(999)
    folder = tmp_path / "stopped" / "checkpoints" / "last"
    resumed = run(tmp_path / "resumed", config, data, resume_from=folder)
    assert epochs_of(tmp_path / "resumed") == epochs_of(whole_folder)
    assert resumed.best == whole.best
    np.testing.assert_array_equal(resumed.best_predictions, whole.best_predictions)
    for name in ("last", "best"):
        one, other = (
            load_checkpoint(of / "checkpoints" / name) for of in (whole_folder, tmp_path / "resumed")
        )
        assert one.manifest["files"]["model"]["sha256"] == other.manifest["files"]["model"]["sha256"]
        assert one.state["threshold"] == other.state["threshold"]
        assert one.state.get("member_epochs") == other.state.get("member_epochs")
    from_best = tmp_path / "stopped" / "checkpoints" / "best"
    if from_best.exists():
        run(tmp_path / "again", config, data, resume_from=from_best)
        assert epochs_of(tmp_path / "again") == epochs_of(whole_folder)


def logits_of(networks: int = 3, outputs: int = 4) -> torch.Tensor:
    return 3 * torch.randn(networks, 6, outputs, generator=torch.Generator().manual_seed(0)).double()


def test_several_labels_have_the_mean_of_the_probabilities():
    outputs = logits_of()
    found = mean_outputs(outputs, task="multilabel").sigmoid()
    torch.testing.assert_close(found, outputs.sigmoid().mean(dim=0))


def test_survival_has_the_mean_of_the_curves():
    """Also for very different hazards, if no case of a network has survived."""
    outputs = logits_of()
    outputs[0, 0], outputs[1, 0] = 40, -40
    curves = (1 - outputs.sigmoid()).cumprod(dim=2)
    found = (1 - mean_outputs(outputs, task="survival").sigmoid()).cumprod(dim=1)
    torch.testing.assert_close(found, curves.mean(dim=0))
    alone = mean_outputs(outputs[:1, 1:], task="survival")
    torch.testing.assert_close(alone, outputs[0, 1:])


@pytest.mark.parametrize("task", ["multilabel", "survival"])
def test_late_fusion_weighs_the_image_and_reads_what_is_there(task):
    table, image = logits_of(2)
    here = torch.tensor([[True], [True], [True], [True], [False], [False]])
    mask, present = here, here.flip(0)
    combined = combine_outputs(table, image, torch.tensor(0.5), view_mask=mask, present=present, task=task)

    def shown(outputs: torch.Tensor) -> torch.Tensor:
        return outputs.sigmoid() if task == "multilabel" else (1 - outputs.sigmoid()).cumprod(dim=1)

    found, of_table, of_image = map(shown, (combined, table, image))
    torch.testing.assert_close(found[2:4], (of_table[2:4] + 0.5 * of_image[2:4]) / 1.5)
    torch.testing.assert_close(found[:2], of_image[:2])
    torch.testing.assert_close(found[4:], of_table[4:])
