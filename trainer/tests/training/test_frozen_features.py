"""A frozen backbone processes each image once, and the training is the same as with processing it each
time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from medloom_trainer.data.types import PreparedData
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.model.backbones import Backbone
from medloom_trainer.training import frozen_features
from testing.synthetic import StopsAfter, configuration, epochs_of, prepared, run

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

EPOCHS = 3
FROZEN = {"freeze_layers": "all", "epochs": EPOCHS, "dropout": 0.2}


def with_gaps(data: PreparedData) -> PreparedData:
    """Every fifth case lacks its second view."""
    for cases in (data.train, data.val):
        cases.slots[::5, 1] = -1
    return data


@pytest.fixture
def shown(monkeypatch) -> list[int]:
    """Number of images that pass through the backbone in each call."""
    counts: list[int] = []
    forward = Backbone.forward

    def counted(self, images):
        counts.append(len(images))
        return forward(self, images)

    monkeypatch.setattr(Backbone, "forward", counted)
    return counts


@pytest.mark.parametrize(
    ("changes", "views", "gaps"),
    [
        ({}, 1, False),
        ({"fusion_type": "attention", "mixed_precision": "bf16"}, 2, False),
        ({"aggregator": "attention"}, 2, True),
        ({"modality_dropout": 0.3}, 1, False),
        ({"vision_backbone": "resnet18", "batch_size": 7}, 1, False),
        ({"fusion_type": "late", "members": 2}, 1, False),
    ],
    ids=["vectors", "tokens in bf16", "missing views", "modality dropout", "odd batches", "late fusion"],
)
def test_the_same_bits_as_without_features(tmp_path, monkeypatch, changes, views, gaps):
    def data() -> PreparedData:
        made = prepared(train_cases=26, num_views=views)
        return with_gaps(made) if gaps else made

    config = configuration(**FROZEN, **changes)
    run(tmp_path / "kept", config, data())
    monkeypatch.setattr(frozen_features, "MAX_BYTES", 0)
    run(tmp_path / "each time", config, data())
    assert epochs_of(tmp_path / "kept") == epochs_of(tmp_path / "each time")
    kept, each = (load_checkpoint(tmp_path / name / "checkpoints" / "best") for name in ("kept", "each time"))
    assert kept.manifest["files"]["model"]["sha256"] == each.manifest["files"]["model"]["sha256"]


def test_whole_batches_and_validation_are_not_shown_again(tmp_path, shown):
    run(tmp_path, configuration(**FROZEN), prepared(train_cases=26, val_cases=12))
    rest = 26 % 8
    assert shown.count(rest) == EPOCHS  # its kernels may sum in another order
    features = [8] * (2 + 4) + [8, 8, 4]  # two checks and the training split; validation
    assert sorted(shown) == sorted([*features, *[rest] * EPOCHS])


def test_the_batches_of_late_fusion_are_of_two_sizes_and_not_shown_again(tmp_path, shown):
    late = {"fusion_type": "late", "members": 2, "validation": "split"}
    run(tmp_path, configuration(**FROZEN, **late), prepared(train_cases=26, val_cases=8))
    once = [6] * (2 + 5) + [7] * (2 + 4)  # 26 cases in four batches: two checks and the training split
    assert sorted(shown) == sorted([*once, 8, 8])


@pytest.mark.parametrize(
    "changes", [{"freeze_layers": 1}, {"augmentation": "light"}], ids=["partly frozen", "augmented"]
)
def test_images_that_differ_each_time_are_shown(tmp_path, shown, changes):
    run(tmp_path, configuration(**{**FROZEN, **changes}), prepared(train_cases=24))
    assert shown.count(8) >= 3 * EPOCHS


def test_a_stop_before_the_first_batch_is_heard_and_can_be_resumed(tmp_path):
    config = configuration(**FROZEN)
    stopped = run(tmp_path / "stopped", config, prepared(), control=StopsAfter(tmp_path, 2))
    assert (stopped.status, stopped.metrics) == ("stopped", {})
    last = tmp_path / "stopped" / "checkpoints" / "last"
    run(tmp_path / "resumed", config, prepared(), resume_from=last)
    run(tmp_path / "undisturbed", config, prepared())
    assert epochs_of(tmp_path / "resumed") == epochs_of(tmp_path / "undisturbed")


def test_images_whose_features_depend_on_their_place_are_shown(tmp_path, shown, monkeypatch):
    see = frozen_features.MultimodalNetwork.see

    def by_place(self, images, view_mask):
        features = see(self, images, view_mask)
        return features + np.float32(1e-7) * features.new_tensor(range(len(features)))[:, None, None]

    monkeypatch.setattr(frozen_features.MultimodalNetwork, "see", by_place)
    data = prepared(train_cases=24, val_cases=8)
    run(tmp_path, configuration(**FROZEN), replace(data))
    assert shown.count(8) >= 3 * EPOCHS
