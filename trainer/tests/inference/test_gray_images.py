"""Gray images are transferred with one channel, and the training is the same as with three channels."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from medloom_trainer.inference.batches import ImageNormalizer
from medloom_trainer.inference.checkpoint import load_checkpoint
from testing.synthetic import ArrayStore, configuration, epochs_of, prepared, run


@pytest.mark.parametrize("depth", [8, 16])
def test_one_channel_becomes_three_of_the_same_bits_and_layout(depth):
    records = torch.from_numpy(prepared(depth=depth).store.records[:6, None, :, :, :1].copy())
    normalizer = ImageNormalizer({"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.3, 0.4]}, torch.device("cpu"))
    one, three = normalizer.unit(records), normalizer.unit(records.repeat(1, 1, 1, 1, 3))
    assert one.stride() == three.stride()
    assert torch.equal(one, three)
    assert torch.equal(normalizer.normalize(one, 1), normalizer.normalize(three, 1))


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks")
def test_the_same_weights_as_of_three_equal_channels(tmp_path):
    data = prepared(num_views=2)
    gray = data.store.records[..., :1].copy()
    config = configuration(epochs=1, augmentation="strong")
    for name, records in {"gray": gray, "colors": gray.repeat(3, axis=-1)}.items():
        run(tmp_path / name, config, replace(data, store=ArrayStore(records)))
    one, three = (load_checkpoint(tmp_path / name / "checkpoints" / "last") for name in ("gray", "colors"))
    assert one.manifest["files"]["model"]["sha256"] == three.manifest["files"]["model"]["sha256"]
    assert epochs_of(tmp_path / "gray")[0]["metrics"] == epochs_of(tmp_path / "colors")[0]["metrics"]
