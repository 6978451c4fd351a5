"""SaveModel: the file of a trained model, which is sufficient to predict new cases."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.export import export_model, load_model, model_inputs
from medloom_trainer.export.inputs import validation_inputs
from medloom_trainer.export.network import outputs_of
from medloom_trainer.export.onnx import run_onnx
from medloom_trainer.export.torchscript import run_torchscript
from medloom_trainer.inference.checkpoint import load_checkpoint
from testing.checkpoints import write_table
from testing.export_models import CNN, operators_read_once
from testing.node_runs import CATALOG, Nodes
from testing.short_backbones import short_backbones
from testing.trained_nodes import load_cases, train, written

pytestmark = pytest.mark.slow

FIELDS = CATALOG["SaveModel"]["config"]["properties"]


@pytest.fixture(scope="module", autouse=True)
def quick_exports() -> Iterator[None]:
    with short_backbones(), operators_read_once():
        yield


TOGETHER = [("PyTorch", "int8"), ("ONNX", "none"), ("TorchScript", "float16")]
"""Each format and each quantization once; the other pairs in the full run."""


@pytest.mark.parametrize(
    ("format", "quantization"),
    [
        pytest.param(*pair, marks=[] if pair in TOGETHER else [pytest.mark.full])
        for pair in itertools.product(FIELDS["format"]["enum"], FIELDS["quantization"]["enum"])
    ],
)
def test_every_pair_is_written_where_it_belongs_and_names_no_place_and_no_patient(
    nodes: Nodes, format: str, quantization: str
) -> None:
    model = train(nodes, load_cases(nodes, "train.csv", split="train"), model__members=1)
    config = {"format": format, "quantization": quantization}
    result = nodes.run("SaveModel", config, model=model)["outputs"]["model_path"]
    path = written(nodes, result["content"])
    suffix = {"PyTorch": ".safetensors", "ONNX": ".onnx", "TorchScript": ".pt"}[format]
    assert result["content"]["kind"] == "model_file"
    (file,) = result["content"]["files"]
    assert re.fullmatch(rf"artifacts/model-[0-9a-f]{{8}}{re.escape(suffix)}", file["path"])
    assert path.suffix == suffix
    content = path.read_bytes()
    assert str(nodes.folder).encode() not in content and b"secret" not in content
    assert result["summary"].startswith(format) and "differ by at most" in result["summary"]
    if quantization == "int8":  # once for each format
        assert nodes.run("SaveModel", config, model=model)["outputs"]["model_path"] == result


@pytest.mark.parametrize("images", [False, True])
def test_fewer_bits_are_judged_by_the_validation_cases(nodes: Nodes, images: bool) -> None:
    backbone = CNN if images else "none"
    cases = load_cases(nodes, "train.csv", split="train", rows=24, images=images)
    model = train(nodes, cases, model__vision_backbone=backbone)
    checkpoint = load_checkpoint(nodes.folder / "data" / model["checkpoint"])
    found = validation_inputs(checkpoint, roots=[nodes.folder], cache_dir=nodes.cache)
    assert found is not None and len(found["values"]) > 1 and ("images" in found) == images
    judged = export_model(checkpoint, format="PyTorch", quantization="int8", cases=found)
    result = nodes.run("SaveModel", {"quantization": "int8"}, model=model)
    assert result["outputs"]["model_path"]["summary"].endswith(f"at most {judged.change:.1g}")
    assert not result["warnings"]
    (nodes.folder / "artifacts" / cases["table"]["sha256"][:2] / f"{cases['table']['sha256']}.csv").unlink()
    (warned,) = nodes.run("SaveModel", {"quantization": "int8"}, model=model)["warnings"]
    assert warned["code"] == "PARITY_ON_RANDOM_INPUTS"


@pytest.mark.parametrize(
    ("backbone", "format"),
    [
        # Networks of images are recorded for ONNX in export/test_formats.py.
        pytest.param(
            backbone, format, marks=[pytest.mark.full] if (backbone, format) == (CNN, "ONNX") else []
        )
        for backbone in ("none", CNN)
        for format in FIELDS["format"]["enum"]
    ],
)
def test_the_file_alone_predicts_what_the_evaluation_says(nodes: Nodes, format: str, backbone: str) -> None:
    """From a table of new cases without labels to the same probabilities."""
    images = backbone != "none"
    model = train(
        nodes,
        load_cases(nodes, "train.csv", split="train", rows=24, images=images),
        model__vision_backbone=backbone,
        model__members=1,
    )
    test = load_cases(nodes, "test.csv", seed=1, rows=12, images=images)
    kept = nodes.cells(
        test | {"table": nodes.out("predictions", "EvaluateModel", model=model, test_dataset=test)["table"]}
    )
    path = written(nodes, nodes.out("model_path", "SaveModel", {"format": format}, model=model))
    reference = written(nodes, nodes.out("model_path", "SaveModel", model=model))
    document = load_model(reference).document
    lines = (nodes.folder / "test.csv").read_text(encoding="utf-8").splitlines()
    nodes.write("new.csv", "\n".join(line.rpartition(",")[0] for line in lines) + "\n")
    arrays = model_inputs(document, nodes.folder / "new.csv")
    assert [array.shape[1:] for array in arrays.values()] == [
        tuple(facts["shape"][1:]) for facts in document["inputs"]
    ]
    assert [str(array.dtype) for array in arrays.values()] == [facts["dtype"] for facts in document["inputs"]]
    inputs = list(arrays.values())
    found = {
        "PyTorch": lambda: outputs_of(load_model(path).network, inputs),
        "ONNX": lambda: run_onnx(path.read_bytes(), inputs),
        "TorchScript": lambda: run_torchscript(path.read_bytes(), inputs),
    }[format]()
    expected = [float(chance) for chance in kept["probability_yes"]]
    np.testing.assert_allclose(found[:, 1], expected, atol=1e-4)


def test_a_model_that_was_not_trained_cannot_be_saved(nodes: Nodes) -> None:
    plan: dict[str, Any] = {
        "content": "model_plan",
        "settings": {},
        "num_classes": 2,
        "task": "classification",
    }
    error = nodes.refuse("EXPORT_UNSUPPORTED", "SaveModel", model=plan)
    assert "is not trained" in error.message and "TrainModel" in error.details


def test_a_damaged_checkpoint_is_not_saved(nodes: Nodes) -> None:
    write_table(nodes.folder / "train.csv")
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    (weights,) = (nodes.folder / "data" / model["checkpoint"]).glob("model.*.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1])
    assert "Force the node" in nodes.refuse("CHECKPOINT_CORRUPT", "SaveModel", model=model).details


def test_weights_that_are_a_link_to_outside_are_not_read(nodes: Nodes, tmp_path: Path) -> None:
    write_table(nodes.folder / "train.csv")
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    (weights,) = (nodes.folder / "data" / model["checkpoint"]).glob("model.*.safetensors")
    outside = tmp_path / "outside.safetensors"
    weights.rename(outside)
    weights.symlink_to(outside)
    error = nodes.refuse("PATH_NOT_ALLOWED", "SaveModel", model=model)
    assert weights.name in error.message and "link" in error.message


def test_settings_of_the_training_travel_in_the_file(nodes: Nodes) -> None:
    model = train(nodes, load_cases(nodes, "train.csv", split="train"), data__scaling="robust")
    document = load_model(written(nodes, nodes.out("model_path", "SaveModel", model=model))).document
    assert document["config"]["data"]["scaling"] == "robust"
    assert document["classes"] == ["no", "yes"] and document["positive_class"] == "yes"
    assert json.dumps(document, allow_nan=False)
