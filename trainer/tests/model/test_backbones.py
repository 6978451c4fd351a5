"""All 29 backbones: they build, process an image, and return tokens and a vector of the declared widths."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from medloom_trainer.errors import TrainerError
from medloom_trainer.model.backbones import Backbone, declared
from medloom_trainer.model.timm_import import import_timm
from testing.families import every_backbone

SMALL = "mobilenetv3_small_100"


@pytest.mark.slow
@pytest.mark.parametrize("name", every_backbone())
def test_every_backbone_gives_tokens_and_a_vector(name):
    # Only shapes are computed on "meta": drawing the weights of the large ones takes seconds each. RegNetY is
    # built with an operation that "meta" does not support.
    device = "cpu" if declared()[name]["family"] == "regnet" else "meta"
    with torch.device(device), torch.inference_mode():
        backbone = Backbone(name, image_size=(96, 64))  # not square, so that a swap of sides is detected
        tokens, pooled = backbone.eval()(torch.zeros(1, 3, 64, 96))
    positions = (
        24 if declared()[name]["family"] == "vit" else 6
    )  # 4 × 6 patches of 16, or 2 × 3 after a stride of 32
    assert tokens.shape == (1, positions, backbone.token_width)
    assert pooled.shape == (1, backbone.pooled_width)


def test_there_are_29_backbones_and_the_library_has_them():
    assert len(declared()) == 29
    assert [name for name in declared() if not import_timm().is_model(name)] == []


def test_tokens_and_vectors_of_one_backbone_may_differ_in_width():
    backbone = Backbone(SMALL, image_size=(32, 32))
    assert (backbone.token_width, backbone.pooled_width) == (576, 1024)


@pytest.mark.slow
def test_swin_maps_are_read_channels_last():
    backbone = Backbone("swin_tiny_patch4_window7_224", image_size=(64, 64)).eval()
    images = torch.randn(1, 3, 64, 64)
    features = backbone.network.forward_features(images)  # (1, 2, 2, 768)
    tokens, _ = backbone(images)
    assert torch.equal(tokens[0, 1], features[0, 0, 1])


def test_tokens_of_a_vision_transformer_leave_out_the_class_token():
    backbone = Backbone("vit_small_patch16_224", image_size=(32, 32)).eval()
    images = torch.randn(1, 3, 32, 32)
    features = backbone.network.forward_features(images)  # (1, 1 + 4, 384)
    tokens, pooled = backbone(images)
    assert torch.equal(tokens, features[:, 1:])
    torch.testing.assert_close(pooled, backbone.network.fc_norm(features[:, 0]))


@pytest.mark.parametrize(
    ("stages", "frozen_stem", "frozen_head"), [(0, False, False), (2, True, False), ("all", True, True)]
)
def test_frozen_stages_neither_learn_nor_change_their_statistics(stages, frozen_stem, frozen_head):
    backbone = Backbone(SMALL, image_size=(32, 32), freeze_layers=stages).train()
    before = {name: tensor.clone() for name, tensor in backbone.state_dict().items()}
    _, pooled = backbone(torch.randn(4, 3, 32, 32))
    if stages != "all":
        pooled.sum().backward()
    after = backbone.state_dict()
    assert torch.equal(before["network.bn1.running_mean"], after["network.bn1.running_mean"]) == frozen_stem
    assert (backbone.network.conv_stem.weight.grad is None) == frozen_stem
    assert (backbone.network.conv_head.weight.grad is None) == frozen_head
    last = "network.blocks.5.0.bn1.running_mean"
    assert torch.equal(before[last], after[last]) == frozen_head


def test_more_stages_freeze_more():
    def trainable(stages: int | str) -> int:
        backbone = Backbone(SMALL, image_size=(32, 32), freeze_layers=stages)
        return sum(p.numel() for p in backbone.parameters() if p.requires_grad)

    counts = [trainable(stages) for stages in (0, 1, 2, 4, "all")]
    assert counts == sorted(counts, reverse=True)
    assert len(set(counts)) == 5
    assert counts[-1] == 0


def test_batch_norm_never_learns_from_a_batch_of_one():
    backbone = Backbone(SMALL, image_size=(32, 32)).train()
    before = backbone.network.bn1.running_mean.clone()
    _, pooled = backbone(torch.randn(1, 3, 32, 32))
    assert torch.isfinite(pooled).all()
    assert torch.equal(before, backbone.network.bn1.running_mean)
    assert backbone.network.bn1.training


def test_published_weights_that_are_not_on_this_machine_are_refused_at_once(tmp_path, monkeypatch):
    import_timm()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    connections = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments: connections.append(arguments))
    with pytest.raises(TrainerError) as caught:
        Backbone("resnet18", image_size=(32, 32), pretrained=True)
    assert caught.value.code == "WEIGHTS_UNAVAILABLE"
    assert connections == []
    assert "hf download" in caught.value.details
    assert sys.modules["huggingface_hub.constants"].HF_HUB_OFFLINE


@pytest.mark.parametrize("classes", [0, 7])
def test_weights_of_a_local_file_are_all_loaded(tmp_path, classes):
    torch.manual_seed(1)
    source = import_timm().create_model(SMALL, num_classes=classes)
    save_file(source.state_dict(), tmp_path / "weights.safetensors")
    torch.manual_seed(2)
    backbone = Backbone(SMALL, image_size=(32, 32), pretrained=str(tmp_path / "weights.safetensors"))
    expected = {
        name: tensor for name, tensor in source.state_dict().items() if not name.startswith("classifier.")
    }
    loaded = backbone.network.state_dict()
    assert loaded.keys() == expected.keys()
    assert all(torch.equal(loaded[name], expected[name]) for name in expected)


def test_a_file_that_lacks_a_tensor_is_refused_rather_than_filled_up_at_random(tmp_path):
    tensors = import_timm().create_model(SMALL, num_classes=0).state_dict()
    del tensors["blocks.2.0.conv_pw.weight"]
    save_file(tensors, tmp_path / "weights.safetensors")
    refused(tmp_path / "weights.safetensors", "blocks.2.0.conv_pw.weight")


def test_weights_of_another_network_are_refused(tmp_path):
    save_file({"a.weight": torch.zeros(3)}, tmp_path / "other.safetensors")
    refused(tmp_path / "other.safetensors", SMALL)


@pytest.mark.parametrize("name", ["model.pth", "pytorch_model.bin", "model.pt"])
def test_pickles_are_refused_with_a_remedy(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x80\x04.")
    error = refused(tmp_path / name, "pickle")
    assert "safetensors" in error.details


@pytest.mark.parametrize(
    ("name", "content"), [("absent.safetensors", None), ("broken.safetensors", b"junk"), ("a.npz", b"")]
)
def test_other_files_are_refused(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, name)


def refused(path: Path, place: str) -> TrainerError:
    with pytest.raises(TrainerError) as caught:
        Backbone(SMALL, image_size=(32, 32), pretrained=str(path))
    assert caught.value.code == "WEIGHTS_UNAVAILABLE"
    assert place in caught.value.message
    return caught.value
