"""Every key of the model and of the loop has its documented effect: each has a test here, and a key without
one fails.
"""

from __future__ import annotations

import inspect
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from medloom_trainer.contract.phrases import with_phrases
from medloom_trainer.contract.schemas import contract
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.inference.devices import DeviceRequest, read_device
from medloom_trainer.inference.precision import choose_precision
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.regression import Regression
from medloom_trainer.training.early_stopping import Monitor, build_monitor
from medloom_trainer.training.throughput import Throughput
from testing.contracts import require_contract
from testing.features import network
from testing.synthetic import StopsAfter, configuration, epochs_of, events_of, prepared, run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

SCHEMA = contract("spec")["$defs"]
ELSEWHERE = {
    "missing_token": "data/test_prepare.py",
    "operating_points": "training/test_validation.py",
    "conformal": "training/test_validation.py",
    "pretrained": "model/test_backbones.py",
    "fine_tune_from": "training/test_fine_tuning.py",
    "freeze_layers": "model/test_backbones.py",
    "image_dim": "model/test_network.py",
    "tabular_encoder": "model/test_network.py",
    "num_heads": "model/test_network.py",
    "dropout": "model/test_network.py",
    "aggregator": "model/test_network.py",
    "aggregator_learnable": "model/test_network.py",
    "missing_view": "model/test_network.py",
    "modality_dropout": "model/test_network.py",
    "backbone_learning_rate": "training/test_schedule.py",
    "warmup_epochs": "training/test_schedule.py",
    "loss_function": "outcomes/test_losses.py",
    "class_weights": "outcomes/test_losses.py",
    "label_smoothing": "outcomes/test_losses.py",
    "members": "training/test_members.py",
    "linear_share": "training/test_linear_models.py",
    "image_weight": "training/test_members.py",
    "compile": "training/test_compilation.py",
    "survival_intervals": "outcomes/test_survival.py",
    "num_workers": "the data side decodes with them",
}


@pytest.mark.parametrize("key", [*SCHEMA["ModelConfig"]["properties"], *SCHEMA["LoopConfig"]["properties"]])
def test_every_key_has_a_test(key):
    here = {
        name.removeprefix("test_key_") for name in vars(sys.modules[__name__]) if name.startswith("test_key_")
    }
    assert key in here or key in ELSEWHERE, f"{key} is accepted, but nothing shows that it is honored"


def test_the_loop_reads_every_key_from_the_configuration():
    source = inspect.getsource(sys.modules["medloom_trainer.training.loop"])
    assert ".get(" not in source  # a default in the code would hide a missing key


def first_epoch(tmp_path, data=None, **changes):
    """Metrics of one epoch."""
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    run(folder, configuration(**{"epochs": 1, **changes}), data or prepared())
    return epochs_of(folder)[-1]["metrics"]


def differs(tmp_path, base: dict, changed: dict) -> bool:
    return first_epoch(tmp_path, **base) != first_epoch(tmp_path, **{**base, **changed})


def test_key_vision_backbone():
    assert type(network(vision_backbone="resnet18").backbone.network).__name__ == "ResNet"
    assert network(vision_backbone="none").backbone is None


def test_key_fusion_type():
    assert type(network(fusion_type="gated").rest.fusion).__name__ == "Gated"
    assert network(fusion_type="none").rest.fusion is None


def test_key_hidden_dim():
    assert network(hidden_dim=64).rest.head[1].in_features == 64


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_key_task(tmp_path, task):
    metrics = first_epoch(tmp_path, prepared(task=task))
    assert (metrics["val_accuracy"] is None) == (task == "regression")
    assert ("val_mae" in metrics) == (task == "regression")


def test_key_epochs(tmp_path):
    outcome = run(tmp_path, configuration(epochs=3), prepared())
    assert (outcome.status, outcome.reason, outcome.epoch) == ("completed", "all epochs done", 3)
    assert [epoch["epoch"] for epoch in epochs_of(tmp_path)] == [1, 2, 3]


def test_key_batch_size(tmp_path):
    run(tmp_path, configuration(epochs=1, batch_size=5), prepared(train_cases=26))
    assert (
        events_of(tmp_path, "progress")[0]["total_batches"] == 5
    )  # 5, 5, 5, 5, 6: the last case is not in a separate batch


def test_a_batch_size_of_one_trains(tmp_path):
    assert first_epoch(tmp_path, prepared(train_cases=5), batch_size=1)["train_loss"] > 0


def test_key_learning_rate(tmp_path):
    assert first_epoch(tmp_path, learning_rate=0.005, scheduler="none")["learning_rate"] == 0.005
    assert differs(tmp_path, {}, {"learning_rate": 0.01})


def test_key_weight_decay(tmp_path):
    assert differs(tmp_path, {"learning_rate": 0.01}, {"weight_decay": 5.0})


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_key_optimizer(tmp_path, optimizer):
    assert differs(tmp_path, {}, {"optimizer": optimizer})


@pytest.mark.parametrize("scheduler", ["none", "step", "plateau", "onecycle"])
def test_key_scheduler(tmp_path, scheduler):
    assert (
        first_epoch(tmp_path, scheduler=scheduler)["learning_rate"] != first_epoch(tmp_path)["learning_rate"]
    )


def test_key_mixed_precision(tmp_path):
    cpu, cuda = torch.device("cpu"), torch.device("cuda")
    assert [choose_precision(asked, cpu) for asked in ("auto", "off", "bf16", "fp16")] == [
        "off",
        "off",
        "bf16",
        "fp16",
    ]
    assert choose_precision("off", cuda) == "off"
    for precision in ("bf16", "fp16"):
        folder = tmp_path / precision
        run(folder, configuration(epochs=1, mixed_precision=precision), prepared())
        assert events_of(folder, "prepared")[0]["prepared"]["mixed_precision"] == precision
        assert np.isfinite(epochs_of(folder)[0]["metrics"]["train_loss"])
    assert epochs_of(tmp_path / "bf16") != epochs_of(tmp_path / "fp16")


def test_key_gradient_clip(tmp_path):
    tight = {"optimizer": "sgd", "vision_backbone": "none", "gradient_clip": 0.01}
    assert differs(tmp_path, tight, {"gradient_clip": 0.02})
    assert differs(tmp_path, tight, {"gradient_clip": None})


def test_key_gradient_accumulation(tmp_path):
    """Accumulated small batches equal one large batch, including the partial group at the end (no BatchNorm,
    no dropout).
    """
    same = {"vision_backbone": "none", "dropout": 0.0, "epochs": 2, "scheduler": "none", "optimizer": "sgd"}
    data = prepared(train_cases=26)
    large = first_epoch(tmp_path, data, **same, batch_size=8)
    small = first_epoch(tmp_path, data, **same, batch_size=4, gradient_accumulation=2)
    assert small["val_loss"] == pytest.approx(large["val_loss"], rel=1e-5)
    assert first_epoch(tmp_path, data, **same, batch_size=4)["val_loss"] != pytest.approx(
        large["val_loss"], rel=1e-5
    )


def test_key_early_stopping(tmp_path):
    outcome = run(
        tmp_path,
        configuration(epochs=9, early_stopping={"patience": 2, "min_delta": 5.0, "monitor": "val_loss"}),
        prepared(),
    )
    assert (outcome.status, outcome.epoch) == ("completed", 3)
    losses = [epoch["metrics"]["val_loss"] for epoch in epochs_of(tmp_path)]
    assert outcome.best["epoch"] == 1 + losses.index(min(losses))
    assert outcome.reason == "early stopping: no improvement of val_loss for 2 epochs"
    assert with_phrases({"reason": outcome.reason})["reason_phrases"] == [
        {"code": "early_stopping", "values": {"metric": "val_loss", "count": 2}}
    ]
    assert events_of(tmp_path, "prepared")[0]["prepared"]["monitor"] == "val_loss"


@pytest.mark.parametrize(
    ("monitor", "values", "best"),
    [
        ("val_loss", [3, 2, 2.5, 1.95, 1.93], [1, 1, 0, 1, 1]),
        ("val_auc", [0.6, 0.8, 0.7, 0.85, 0.87], [1, 1, 0, 1, 1]),
    ],
)
def test_every_better_epoch_is_the_best_and_min_delta_belongs_to_patience(monitor, values, best):
    judge = Monitor(monitor, patience=2, min_delta=0.06)
    waited = []
    for epoch, value in enumerate(values, 1):
        assert judge.end_epoch(epoch, {monitor: value}) == bool(best[epoch - 1])
        waited.append(judge.epochs_without_improvement)
    assert judge.best == {"epoch": 5, "metrics": {monitor: values[-1]}}
    assert waited == [0, 0, 1, 2, 0]


@pytest.mark.parametrize(
    ("labels", "kind"), [([0, 1, 1], Classification(("a", "b"))), ([1.5, 3.0], Regression(mean=0, std=1))]
)
def test_auto_monitors_the_validation_loss(labels, kind):
    settings = {"monitor": "auto", "patience": None, "min_delta": 0}
    assert build_monitor(settings, kind, np.array(labels)).metric == "val_loss"


def test_a_monitor_that_the_task_does_not_have_is_refused(tmp_path):
    with pytest.raises(TrainerError) as caught:
        run(tmp_path, configuration(early_stopping={"monitor": "val_r2"}), prepared())
    assert caught.value.code == "INVALID_CONFIG"


def test_key_checkpoint_interval(tmp_path):
    run(tmp_path, configuration(epochs=4, checkpoint_interval=2), prepared())
    names = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert names == ["best", "epoch-0002", "epoch-0004", "last"]
    assert load_checkpoint(tmp_path / "checkpoints" / "epoch-0002").state["epoch"] == 2
    assert {event["name"] for event in events_of(tmp_path, "checkpoint")} == set(names)


def test_key_seed(tmp_path):
    assert not differs(tmp_path, {"seed": 4}, {})
    assert differs(tmp_path, {}, {"seed": 5})


def test_key_deterministic(tmp_path):
    first_epoch(tmp_path, deterministic=True)
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.backends.cudnn.deterministic
    first_epoch(tmp_path)
    assert not torch.are_deterministic_algorithms_enabled()


def test_key_device(monkeypatch):
    assert read_device("cpu") == DeviceRequest("cpu", (0,))
    assert read_device("cpu:3") == DeviceRequest("cpu", (0, 1, 2))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    assert read_device("auto") == DeviceRequest("cpu", (0,))
    for absent in ("cuda", "cuda:1", "mps"):
        with pytest.raises(TrainerError) as caught:
            read_device(absent)
        assert caught.value.code == "DEVICE_UNAVAILABLE"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert read_device("auto") == DeviceRequest("cuda", (0,))
    assert read_device("cuda:0,1") == DeviceRequest("cuda", (0, 1))
    for absent in ("cuda:2", "cuda:0,0", "cuda:1x2", "cpu:2x2"):
        with pytest.raises(TrainerError):
            read_device(absent)


def test_augmentation_reaches_training_and_never_validation(tmp_path):
    same = {"learning_rate": 1e-12, "freeze_layers": "all", "dropout": 0.0}
    plain, augmented = first_epoch(tmp_path, **same), first_epoch(tmp_path, **same, augmentation="strong")
    assert plain["train_loss"] != augmented["train_loss"]
    assert plain["val_loss"] == pytest.approx(augmented["val_loss"], abs=1e-6)


def test_events_follow_the_contract_and_come_in_order(tmp_path):
    run(tmp_path, configuration(epochs=2), prepared())
    events = events_of(tmp_path)
    for event in events:
        require_contract(event, "event")
    kinds = [event["type"] if event["type"] != "phase" else event["phase"] for event in events]
    without_progress = [kind for kind in kinds if kind != "progress"]
    epoch = ["training", "validating", "validation", "checkpointing", "checkpoint", "checkpoint", "epoch_end"]
    assert without_progress[:8] == ["prepared", *epoch]
    assert set(events_of(tmp_path, "progress")[0]["metrics"]) == {
        "loss",
        "accuracy",
        "learning_rate",
        "samples_per_second",
    }


def test_progress_comes_at_most_ten_times_a_second(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(
        "medloom_trainer.training.throughput.time", SimpleNamespace(perf_counter=lambda: now[0])
    )
    throughput, due = Throughput(1, 8, 4), []
    for _ in range(20):
        if throughput.is_due():
            throughput.tick()
            due.append(now[0])
        now[0] += 0.03
    np.testing.assert_allclose(np.diff(due), 0.12)
    # No time passes in this training, so only its first batch is reported.
    run(tmp_path, configuration(vision_backbone="none", epochs=3), prepared(num_views=0))
    assert len(events_of(tmp_path, "progress")) == 1


@pytest.mark.parametrize("place", ["training", "validation"])
def test_a_loss_that_is_not_finite_ends_the_training_and_names_its_place(tmp_path, place):
    data = prepared()
    part = data.train if place == "training" else data.val
    part.values[20 if place == "training" else 3, 0] = np.nan
    part.present[:, 0] = True
    with pytest.raises(TrainerError) as caught:
        run(tmp_path, configuration(epochs=1), data)
    assert caught.value.code == "LOSS_NOT_FINITE"
    assert (
        "epoch 1, batch" if place == "training" else "validation loss after epoch 1"
    ) in caught.value.message
    assert not (tmp_path / "checkpoints").exists()


def test_validation_loss_is_per_sample_whatever_the_batch(tmp_path):
    same = {"learning_rate": 1e-12, "dropout": 0.0, "freeze_layers": "all", "vision_backbone": "none"}
    seven = first_epoch(tmp_path, prepared(val_cases=12), **same, batch_size=7)
    eight = first_epoch(tmp_path, prepared(val_cases=12), **same, batch_size=8)
    assert seven["val_loss"] == pytest.approx(eight["val_loss"], abs=1e-7)


def test_finish_ends_after_the_epoch_with_its_validation(tmp_path):
    (tmp_path / "control.1.json").write_text('{"request": "finish"}')
    outcome = run(tmp_path, configuration(epochs=5), prepared(), control=Control(tmp_path, 1))
    assert (outcome.status, outcome.reason, outcome.epoch) == ("completed", "finished on request", 1)
    assert outcome.best_checkpoint == "checkpoints/best"


def test_stop_after_finish_is_still_a_stop(tmp_path):
    control = Control(tmp_path, 1)
    (tmp_path / "control.1.json").write_text('{"request": "finish"}')
    assert control.request() == "finish"
    (tmp_path / "control.1.json").write_text('{"request": "stop"}   ')
    assert control.request() == "stop"
    (tmp_path / "control.1.json").write_text("{")
    assert control.request() == "stop"


def test_the_threshold_of_a_binary_task_comes_from_validation_and_lies_in_the_checkpoint(tmp_path):
    run(tmp_path, configuration(epochs=1), prepared())
    assert 0 < load_checkpoint(tmp_path / "checkpoints" / "best").state["threshold"] < 1
    run(tmp_path / "three", configuration(epochs=1), prepared(classes=3))
    assert load_checkpoint(tmp_path / "three" / "checkpoints" / "best").state["threshold"] is None


def test_training_learns(tmp_path):
    run(
        tmp_path,
        configuration(epochs=6, learning_rate=0.01, vision_backbone="none"),
        prepared(train_cases=60),
    )
    losses = [epoch["metrics"]["train_loss"] for epoch in epochs_of(tmp_path)]
    assert losses[-1] < 0.8 * losses[0]


def test_a_stop_during_validation_keeps_the_trained_epoch(tmp_path):
    run(tmp_path, configuration(epochs=2), prepared(train_cases=16), control=StopsAfter(tmp_path, 3))
    position = load_checkpoint(tmp_path / "checkpoints" / "last").state["resume"]["position"]
    assert (position["epoch"], position["batch"]) == (1, 2)
