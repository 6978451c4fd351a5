"""Stop and resume equal an undisturbed run, bit for bit, on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch

from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from testing.synthetic import StopsAfter, configuration, epochs_of, events_of, prepared, run, written_before

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

EVERYTHING_THAT_REMEMBERS = {
    "augmentation": "strong",
    "horizontal_flip": True,
    "dropout": 0.3,
    "modality_dropout": 0.2,
    "fusion_type": "attention",
    "optimizer": "sgd",
    "learning_rate": 0.01,
    "scheduler": "plateau",
    "warmup_epochs": 0.5,
    "gradient_accumulation": 3,
    "epochs": 3,
    "early_stopping": {"patience": 50},
    "seed": 5,
}


SETTINGS = {
    "everything": EVERYTHING_THAT_REMEMBERS,
    "defaults": {"epochs": 3},
    "onecycle": {"epochs": 3, "scheduler": "onecycle", "optimizer": "adam"},
}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> Callable[[str], Path]:
    """Name of the settings → a run with them that was never stopped, trained once."""

    @cache
    def trained(name: str) -> Path:
        folder = tmp_path_factory.mktemp(name)
        run(folder, configuration(**SETTINGS[name]), prepared(train_cases=26))
        return folder

    return trained


STOPS = {"inside an optimizer step": 2, "second epoch": 5, "third epoch": 9}
"""Batches after which a training is stopped."""


@pytest.mark.parametrize(
    ("settings", "batches"),
    [
        pytest.param(
            settings,
            batches,
            id=f"{settings}-{name}",
            marks=[] if (settings, name) in zip(SETTINGS, STOPS, strict=True) else pytest.mark.full,
        )
        for settings in SETTINGS
        for name, batches in STOPS.items()
    ],
)
def test_stop_in_the_middle_of_an_epoch_and_resume_equals_an_undisturbed_run(
    tmp_path, undisturbed, batches, settings
):
    config, data = configuration(**SETTINGS[settings]), prepared(train_cases=26)  # 4 batches: 8, 8, 8, 2
    stopped = run(tmp_path / "stopped", config, data, control=StopsAfter(tmp_path, batches))
    assert stopped.status == "stopped"
    torch.manual_seed(999)
    run(tmp_path / "resumed", config, data, resume_from=tmp_path / "stopped" / "checkpoints" / "last")

    assert epochs_of(tmp_path / "resumed") == epochs_of(undisturbed(settings))
    for name in ("last", "best"):
        one = load_checkpoint(undisturbed(settings) / "checkpoints" / name)
        other = load_checkpoint(tmp_path / "resumed" / "checkpoints" / name)
        assert one.manifest["files"]["model"]["sha256"] == other.manifest["files"]["model"]["sha256"]
        assert one.state["threshold"] == other.state["threshold"]


@pytest.mark.parametrize("settings", ["everything", "defaults"])
def test_attempts_of_one_job_that_are_cut_off_and_go_on_equal_an_undisturbed_run(
    tmp_path, undisturbed, settings
):
    config, data = configuration(**SETTINGS[settings]), prepared(train_cases=26)
    last = tmp_path / "checkpoints" / "last"
    for attempt, batches in ((1, 3), (2, 4), (3, 100)):
        torch.manual_seed(attempt)
        control = StopsAfter(tmp_path, batches)
        run(
            tmp_path,
            config,
            data,
            control=control,
            attempt=attempt,
            resume_from=last if attempt > 1 else None,
        )
        assert load_checkpoint(last).manifest["attempt"] == attempt

    assert epochs_of(tmp_path) == epochs_of(undisturbed(settings))
    for name in ("last", "best"):
        one = load_checkpoint(undisturbed(settings) / "checkpoints" / name)
        other = load_checkpoint(tmp_path / "checkpoints" / name)
        assert one.manifest["files"]["model"]["sha256"] == other.manifest["files"]["model"]["sha256"]
        assert other.manifest["attempt"] == 3


def test_an_attempt_that_is_stopped_before_its_first_batch_leaves_the_checkpoint_of_the_one_before(tmp_path):
    # The features of a frozen backbone are computed first, which may take long.
    config, data = configuration(freeze_layers="all", dropout=0.2), prepared(train_cases=26)
    run(tmp_path, config, data, control=StopsAfter(tmp_path, 20))
    last = tmp_path / "checkpoints" / "last"
    outcome = run(tmp_path, config, data, control=StopsAfter(tmp_path, 1), attempt=2, resume_from=last)
    assert outcome.status == "stopped"
    assert load_checkpoint(last).manifest["attempt"] == 1


def test_a_training_that_was_cut_off_between_its_last_checkpoint_and_its_end_only_ends(tmp_path):
    still = {"learning_rate": 1e-9, "vision_backbone": "none"}
    patience = {"early_stopping": {"monitor": "val_auc", "patience": 1}}
    config, data = configuration(epochs=5, **still, **patience), prepared(num_views=0)
    outcome = run(tmp_path, config, data)
    (tmp_path / "metrics" / "metrics.json").unlink()
    last = tmp_path / "checkpoints" / "last"
    again = run(tmp_path, config, data, attempt=2, resume_from=last)
    assert (again.status, again.reason, again.epoch) == (outcome.status, outcome.reason, outcome.epoch)
    assert [epoch["epoch"] for epoch in epochs_of(tmp_path)] == [1, 2]


def test_a_stop_between_batches_of_an_epoch_costs_at_most_one_batch(tmp_path):
    outcome = run(tmp_path, configuration(), prepared(train_cases=64), control=StopsAfter(tmp_path, 3))
    position = load_checkpoint(tmp_path / "checkpoints" / "last").state["resume"]["position"]
    assert (position["epoch"], position["batch"]) == (1, 3)
    assert (outcome.best, outcome.best_checkpoint) == (None, "checkpoints/last")


def test_a_resumed_job_has_the_whole_history_and_the_best_checkpoint_of_the_one_before(tmp_path):
    # Ranks do not change at this rate, and an equal AUC is not an improvement.
    still = {"learning_rate": 1e-9, "vision_backbone": "none", "early_stopping": {"monitor": "val_auc"}}
    config, data = configuration(epochs=2, **still), prepared(num_views=0)
    run(tmp_path / "first", config, data)
    longer = configuration(epochs=3, **still)
    outcome = run(tmp_path / "second", longer, data, resume_from=tmp_path / "first" / "checkpoints" / "last")
    assert [epoch["epoch"] for epoch in epochs_of(tmp_path / "second")] == [1, 2, 3]
    assert outcome.best["epoch"] == 1
    best = load_checkpoint(tmp_path / "second" / "checkpoints" / "best")
    assert best.state["epoch"] == 1
    last = load_checkpoint(tmp_path / "second" / "checkpoints" / "last")
    assert best.manifest["job_id"] == last.manifest["job_id"]
    assert [event["epoch"] for event in events_of(tmp_path / "second", "epoch_end")] == [3]


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"learning_rate": 0.5}, "training.learning_rate"),
        ({"fusion_type": "gated"}, "model.fusion_type"),
        ({"scaling": "robust"}, "data.scaling"),
    ],
)
def test_another_configuration_is_refused_by_name(tmp_path, changes, place):
    data = prepared()
    run(tmp_path / "first", configuration(epochs=1), data)
    with pytest.raises(TrainerError) as caught:
        run(
            tmp_path / "second",
            configuration(epochs=1, **changes),
            data,
            resume_from=tmp_path / "first" / "checkpoints" / "last",
        )
    assert caught.value.code == "CHECKPOINT_MISMATCH"
    assert place in caught.value.message
    assert not (tmp_path / "second" / "checkpoints").exists()


@pytest.mark.parametrize(("value", "accepted"), [(0, True), (2, False)])
def test_a_key_that_is_younger_than_the_checkpoint_stands_at_its_default(tmp_path, value, accepted):
    data = prepared()
    run(tmp_path / "first", configuration(epochs=1), data)
    old = written_before("training", "warmup_epochs", tmp_path / "first" / "checkpoints" / "last")
    config = configuration(epochs=2, warmup_epochs=value)
    if accepted:
        assert run(tmp_path / "second", config, data, resume_from=old).epoch == 2
        return
    with pytest.raises(TrainerError) as caught:
        run(tmp_path / "second", config, data, resume_from=old)
    assert caught.value.code == "CHECKPOINT_MISMATCH"


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_moments_that_were_counted_by_other_groups_find_their_parameters(tmp_path, optimizer):
    """Before, every parameter of several dimensions had weight decay, and moments were named by number."""
    settings = {"epochs": 2, "optimizer": optimizer, "weight_decay": 0.0, "scheduler": "none"}
    config = configuration(fusion_type="attention", tabular_encoder="ft_transformer", **settings)
    data = prepared(train_cases=26)
    run(tmp_path / "undisturbed", config, data)
    run(tmp_path / "stopped", config, data, control=StopsAfter(tmp_path, 5))
    old = with_counted_moments(tmp_path / "stopped" / "checkpoints" / "last")
    run(tmp_path / "resumed", config, data, resume_from=old)
    assert epochs_of(tmp_path / "resumed") == epochs_of(tmp_path / "undisturbed")


def with_counted_moments(folder: Path) -> Path:
    """The checkpoint in the form of a version with these groups: backbone or not, one dimension or
    several."""
    checkpoint = load_checkpoint(folder)
    tensors = {part: checkpoint.tensors(part) for part in ("model", "optimizer")}
    groups: dict[tuple[bool, bool], list[str]] = {}
    for name, parameter in checkpoint.build_network().named_parameters():
        groups.setdefault((name.startswith("backbone."), parameter.ndim > 1), []).append(name)
    number = {name: i for i, name in enumerate(name for names in groups.values() for name in names)}
    counted, resume = {}, checkpoint.state["resume"]
    for name, tensor in tensors["optimizer"].items():
        if name.startswith("moment."):
            parameter_name, key = name.removeprefix("moment.").rsplit(".", 1)
            name = f"moment.{number[parameter_name]}.{key}"
        counted[name] = tensor
    resume["moments"] = {str(number[name]): values for name, values in resume["moments"].items()}
    del resume["reference"]
    save_checkpoint(
        folder,
        **{key: checkpoint.manifest[key] for key in ("job_id", "epoch", "metrics")},
        state=checkpoint.state,
        tensors={**tensors, "optimizer": counted},
    )
    return folder


def test_images_made_ready_in_another_way_are_refused(tmp_path):
    data = prepared()
    run(tmp_path / "first", configuration(epochs=1), data)
    images = {"size": [8, 8], "depth": 8, "window": None}
    other = replace(data, preprocessing={**data.preprocessing, "images": images})
    with pytest.raises(TrainerError, match="image preprocessing differs") as caught:
        last = tmp_path / "first" / "checkpoints" / "last"
        run(tmp_path / "second", configuration(epochs=2), other, resume_from=last)
    assert caught.value.code == "CHECKPOINT_MISMATCH"


def test_other_data_are_refused(tmp_path):
    run(tmp_path / "first", configuration(epochs=1), prepared())
    with pytest.raises(TrainerError) as caught:
        run(
            tmp_path / "second",
            configuration(epochs=1),
            prepared(train_cases=27),
            resume_from=tmp_path / "first" / "checkpoints" / "last",
        )
    assert (caught.value.code, "train split" in caught.value.message) == ("CHECKPOINT_MISMATCH", True)


@pytest.mark.parametrize("same", [True, False])
def test_same_seed_same_result(tmp_path, same):
    data = prepared()
    for name, seed in (("one", 1), ("two", 1 if same else 2)):
        run(tmp_path / name, configuration(seed=seed, epochs=1, augmentation="light"), data)
    assert (epochs_of(tmp_path / "one") == epochs_of(tmp_path / "two")) == same


def test_a_training_goes_on_from_an_earlier_checkpoint_as_it_did_the_first_time(tmp_path):
    settings = {**EVERYTHING_THAT_REMEMBERS, "checkpoint_interval": 1}
    config, data = configuration(**settings), prepared(train_cases=26)
    run(tmp_path / "first", config, data)
    named = tmp_path / "first" / "checkpoints" / "epoch-0001"
    torch.manual_seed(999)
    run(tmp_path / "second", config, data, resume_from=named)
    assert [event["epoch"] for event in events_of(tmp_path / "second", "epoch_end")] == [2, 3]
    assert epochs_of(tmp_path / "second") == epochs_of(tmp_path / "first")
    for part in ("model", "optimizer"):
        digests = {
            load_checkpoint(tmp_path / name / "checkpoints" / "last").manifest["files"][part]["sha256"]
            for name in ("first", "second")
        }
        assert len(digests) == 1


def test_the_best_epoch_until_an_earlier_checkpoint_is_forgotten_where_its_weights_are_gone(tmp_path):
    still = {"learning_rate": 1e-9, "vision_backbone": "none", "early_stopping": {"monitor": "val_auc"}}
    config = configuration(epochs=3, checkpoint_interval=1, **still)
    data = prepared(num_views=0)
    run(tmp_path / "first", config, data)
    checkpoints = tmp_path / "first" / "checkpoints"
    shutil.rmtree(checkpoints / "best")  # as if the third epoch had been better than the first
    shutil.copytree(checkpoints / "epoch-0003", checkpoints / "best")
    outcome = run(tmp_path / "second", config, data, resume_from=checkpoints / "epoch-0002")
    best = load_checkpoint(tmp_path / "second" / "checkpoints" / "best")
    assert outcome.best["epoch"] == best.state["epoch"] == 3
    assert best.manifest["job_id"] == load_checkpoint(tmp_path / "second/checkpoints/last").manifest["job_id"]
