"""Fewer bits: the same numbers in every format, close to the original, or no file at all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from medloom_trainer.errors import TrainerError
from medloom_trainer.export import FORMATS, export_model, load_model
from medloom_trainer.export.network import outputs_of, sample_inputs
from medloom_trainer.export.onnx import run_onnx
from medloom_trainer.export.quantization import LARGEST_CHANGE, QUANTIZATIONS, quantize
from medloom_trainer.export.torchscript import run_torchscript
from testing.export_models import CNN

pytestmark = pytest.mark.slow

NETWORK = {"vision_backbone": CNN, "fusion_type": "none", "num_views": 1, "hidden_dim": 8}


@pytest.mark.parametrize(
    ("method", "formats"),
    [
        ("int8", list(FORMATS)),
        ("float16", [name for name in FORMATS if name != "ONNX"]),
        pytest.param("float16", list(FORMATS), marks=pytest.mark.full),
    ],
)
def test_every_format_stores_the_same_numbers_in_fewer_bytes(tmp_path, saved, exported, method, formats):
    whole = exported("PyTorch", **NETWORK)
    inputs = sample_inputs(whole.document, 5)
    original = outputs_of(_load(whole, tmp_path).network, inputs)
    found = {}
    for name in formats:
        smaller = export_model(saved(**NETWORK), format=name, quantization=method)
        assert smaller.document["quantization"] == method
        assert len(smaller.content) < len(whole.content) * {"float16": 0.62, "int8": 0.5}[method]
        assert 0 < smaller.change <= LARGEST_CHANGE[method] + 1e-4
        run = {"ONNX": run_onnx, "TorchScript": run_torchscript}.get(name)
        found[name] = (
            run(smaller.content, inputs) if run else outputs_of(_load(smaller, tmp_path).network, inputs)
        )
        assert np.abs(found[name] - original).max() <= LARGEST_CHANGE[method]
    for one, other in itertools.combinations(found.values(), 2):
        np.testing.assert_allclose(one, other, atol=1e-4)


def test_every_way_to_fewer_bits_is_compared_in_every_format():
    assert {name for name, kind in QUANTIZATIONS.items() if kind is not None} == {"int8", "float16"}


def _load(exported, folder):
    (folder / "model.safetensors").write_bytes(exported.content)
    return load_model(folder / "model.safetensors")


def test_the_change_is_measured_on_the_cases_that_are_given(tmp_path, saved, exported):
    """Random inputs are not representative of the cases of a study: rounding has a larger effect far from
    them."""
    table = {"vision_backbone": "none", "hidden_dim": 8}
    original = exported("PyTorch", **table)
    names = [facts["name"] for facts in original.document["inputs"]]
    near, far = sample_inputs(original.document, 70), sample_inputs(original.document, 70, seed=9)
    far = [array * 40 if name == "values" else array for name, array in zip(names, far, strict=True)]
    network = _load(original, tmp_path).network
    changes = []
    for inputs in (near, far):
        cases = dict(zip(names, inputs, strict=True))
        smaller = export_model(saved(**table), format="PyTorch", quantization="int8", cases=cases)
        rounded = _load(smaller, tmp_path).network
        expected = np.abs(outputs_of(network, inputs) - outputs_of(rounded, inputs)).max()
        assert smaller.change == pytest.approx(expected, abs=1e-6)
        changes.append(smaller.change)
    assert changes[0] != pytest.approx(changes[1], rel=1e-3)


def test_int8_rounds_each_output_channel_to_its_own_grid():
    torch.manual_seed(0)
    layer = nn.Sequential(nn.Linear(16, 4))
    with torch.no_grad():
        layer[0].weight *= torch.tensor([[0.01], [1.0], [100.0], [0.0]])
    before = layer[0].weight.clone()
    quantize(layer, "int8")
    largest = before.abs().amax(dim=1)
    assert ((layer[0].weight - before).abs().amax(dim=1) <= largest / 127 / 2 + 1e-12).all()
    assert torch.equal(layer[0].weight[3], torch.zeros(16)), "a channel of zeros stays zero"
    stored = layer.state_dict()
    assert stored["0.parametrizations.weight.original0"].dtype == torch.int8
    assert stored["0.bias"].dtype == torch.float32


def test_float16_rounds_as_ieee_does():
    layer = nn.Sequential(nn.Conv2d(3, 8, 3))
    before = layer[0].weight.detach().clone()
    quantize(layer, "float16")
    assert torch.equal(layer[0].weight, before.half().float())


def test_statistics_norms_and_biases_keep_their_bits(saved):
    network = saved(**NETWORK).build_network()
    quantize(network, "int8")
    for name, tensor in network.state_dict().items():
        small = "parametrizations" not in name
        assert not small or tensor.dtype in (torch.float32, torch.int64), name


@pytest.mark.parametrize("format", FORMATS)
def test_a_model_that_fewer_bits_would_change_is_refused_with_a_remedy(saved, format):
    """Weights beyond half precision become infinite."""
    large = saved(scale=1e6, vision_backbone="none", hidden_dim=8)
    with pytest.raises(TrainerError) as caught:
        export_model(large, format=format, quantization="float16")
    assert caught.value.code == "EXPORT_UNSUPPORTED"
    assert "float16 changes predictions" in caught.value.message and "quantization" in caught.value.details
