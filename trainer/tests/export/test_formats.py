"""Every format gives the same predictions as the trained network, for all of its parts, and describes
itself."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from _pytest.mark.structures import ParameterSet

import medloom_trainer
from medloom_trainer.data.types import ColumnLayout, TableLayout
from medloom_trainer.errors import TrainerError
from medloom_trainer.export import FORMATS, export_model, load_model, torchscript
from medloom_trainer.export.document import to_text
from medloom_trainer.export.network import ExportedNetwork, outputs_of, sample_inputs
from medloom_trainer.export.onnx import run_onnx
from medloom_trainer.export.quantization import QUANTIZATIONS
from medloom_trainer.export.torchscript import run_torchscript
from medloom_trainer.model.aggregate import AGGREGATORS
from medloom_trainer.model.fusion import FUSIONS
from testing.export_models import CNN, TRANSFORMER

pytestmark = pytest.mark.slow

CONTRACT = Path(medloom_trainer.__file__).parent / "contract"
TINY = {"hidden_dim": 8, "num_heads": 2}
SEEING = {"vision_backbone": CNN, "scale": 1.5, **TINY}
"""With larger weights than those at the start of a training, predictions depend on the pixels."""
TABLE_ALONE = {"vision_backbone": "none", **TINY}
WITHOUT_ONNX = [
    pytest.param(format, marks=[pytest.mark.full] if format == "ONNX" else []) for format in FORMATS
]
"""ONNX only in the full run: several networks of a table are recorded with late fusion, and a regression with
the guide.
"""
_IN_FULL = [("ft_transformer", "both", "ONNX"), ("ft_transformer", "codes", "ONNX")]
"""Only in the full run: the encoder is recorded with numbers, and codes with the other encoder."""


def predict(format: str, content: bytes, inputs, folder: Path) -> np.ndarray:
    """Predict like a user who has only the file."""
    if format == "ONNX":
        return run_onnx(content, inputs)
    if format == "TorchScript":
        return run_torchscript(content, inputs)
    (folder / "model.safetensors").write_bytes(content)
    return outputs_of(load_model(folder / "model.safetensors").network, inputs)


def trained(saved, document, inputs) -> np.ndarray:
    """Predictions of the trained network itself: missing views do not pass through it."""
    given = dict(
        zip((facts["name"] for facts in document["inputs"]), map(torch.from_numpy, inputs), strict=True)
    )
    images = given.get("images")
    if images is not None:
        normalization = saved.state["image_normalization"]
        mean, std = (torch.tensor(normalization[key]).view(3, 1, 1) for key in ("mean", "std"))
        images = (images - mean) / std
    count = len(inputs[0])
    values = given.get("values", torch.zeros(count, 0))
    codes = given.get("codes", torch.zeros(count, 0, dtype=torch.long))
    present = given.get("present", torch.zeros(count, 0, dtype=torch.bool))
    with torch.inference_mode():
        output = saved.build_network()(images, given.get("view_mask"), values, codes, present)
    if document["label_normalization"] is None:
        return output.softmax(dim=1).numpy()
    return (output.squeeze(1) * 12.5 + 50.0).numpy()


def check(format: str, exported, saved, folder: Path, *, tolerance: float = 1e-4) -> None:
    """The file gives the same predictions as the network from which it was made."""
    for count in (1, 4):
        inputs = sample_inputs(exported.document, count, seed=7)
        found = predict(format, exported.content, inputs, folder)
        np.testing.assert_allclose(found, trained(saved, exported.document, inputs), atol=tolerance)


WITH_CNN = {
    fusion: {"fusion_type": fusion, "aggregator": aggregator, **SEEING}
    for fusion, aggregator in zip([*FUSIONS, "none"], [*AGGREGATORS, "mean"], strict=True)
}
"""Every fusion, each with a different aggregator."""
LATE = {"fusion_type": "late", "members": 2, **SEEING}
"""It reads every kind of input: images with their mask, numbers, codes and the cells that exist."""


def _every_fusion(fusions: Iterable[str], *, others: Collection[str]) -> list[ParameterSet]:
    """Every fusion in every format. Recording a whole network takes seconds, and the fusions and aggregators
    themselves are recorded together (test_recorded_parts.py). By default the networks of `others` are in the
    other formats, and none is in ONNX; the full run has all. By default ONNX has a convolutional network with
    late fusion, one of an image alone with fewer bits (test_quantization.py), and a transformer of the table.
    """

    def marks(fusion: str, kind: str) -> list[pytest.MarkDecorator]:
        return [] if kind != "ONNX" and fusion in others else [pytest.mark.full]

    return [pytest.param(fusion, kind, marks=marks(fusion, kind)) for fusion in fusions for kind in FORMATS]


@pytest.mark.parametrize(("fusion", "format"), _every_fusion(WITH_CNN, others=WITH_CNN))
def test_every_fusion_with_a_convolutional_network(tmp_path, saved, exported, fusion, format):
    check(format, exported(format, **WITH_CNN[fusion]), saved(**WITH_CNN[fusion]), tmp_path)


@pytest.mark.parametrize(("fusion", "format"), _every_fusion(WITH_CNN, others=("attention", "bilinear")))
def test_every_fusion_with_a_transformer(tmp_path, saved, exported, fusion, format):
    changes = {**WITH_CNN[fusion], "vision_backbone": TRANSFORMER}
    check(format, exported(format, **changes), saved(**changes), tmp_path)


@pytest.mark.parametrize(
    "aggregator",
    [pytest.param(name, marks=[] if name == "attention" else [pytest.mark.full]) for name in AGGREGATORS],
)
def test_every_aggregator_with_a_token_for_missing_views(tmp_path, saved, exported, aggregator):
    """With masks, each is combined with one of the fusions above, in every format."""
    changes = {"num_views": 3, "fusion_type": "none", "missing_view": "token", **SEEING}
    changes["aggregator"] = aggregator
    check("TorchScript", exported("TorchScript", **changes), saved(**changes), tmp_path)


@pytest.mark.parametrize(
    ("encoder", "columns", "format"),
    [
        pytest.param(
            *table, format, marks=[pytest.mark.full] if (*table, format) in _IN_FULL else []
        )
        for table in (
            ("mlp", "both"), ("ft_transformer", "both"), ("ft_transformer", "numbers"),
            ("ft_transformer", "codes"),
        )
        for format in FORMATS
    ],
)  # fmt: skip
def test_a_model_of_the_table_alone(tmp_path, saved, exported, encoder, columns, format):
    changes = table_of(columns, encoder)
    check(format, exported(format, **changes), saved(**changes), tmp_path)
    if format == "ONNX":
        content = exported(format, **changes).content
        session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
        expected = {"numbers": ["values"], "codes": ["codes"], "both": ["values", "codes"]}[columns]
        assert [facts.name for facts in session.get_inputs()] == [*expected, "present"]


def table_of(columns: str, encoder: str) -> dict[str, Any]:
    """A model of these columns."""
    number, code = ColumnLayout("age", "numeric", 0, 1, 0), ColumnLayout("ward", "embedding", 0, 1, 5)
    layout = {
        "numbers": TableLayout((number,), 1, 0),
        "codes": TableLayout((code,), 0, 1),
        "both": TableLayout((code, number), 1, 1),
    }[columns]
    return {"layout": layout, "tabular_encoder": encoder, "classes": ("no", "yes"), **TABLE_ALONE}


@pytest.mark.parametrize("format", WITHOUT_ONNX)
def test_the_networks_of_an_ensemble_of_the_table(tmp_path, saved, exported, format):
    changes = {"members": 3, "classes": ("no", "yes"), **TABLE_ALONE}
    assert len(saved(**changes).build_network().members) == 3
    check(format, exported(format, **changes), saved(**changes), tmp_path)


@pytest.mark.parametrize("format", ["ONNX"])
def test_late_fusion_predicts_by_what_is_there(tmp_path, saved, exported, format):
    """A case without images is predicted by the table, one without a table by its images."""
    made, checkpoint = exported(format, **LATE), saved(**LATE)
    check(format, made, checkpoint, tmp_path)
    names = [facts["name"] for facts in made.document["inputs"]]
    inputs = dict(zip(names, sample_inputs(made.document, 3, seed=5), strict=True))
    inputs["view_mask"][:], inputs["present"][:] = True, True
    inputs["view_mask"][0], inputs["present"][1] = False, False
    found = predict(format, made.content, list(inputs.values()), tmp_path)
    np.testing.assert_allclose(found, trained(checkpoint, made.document, list(inputs.values())), atol=1e-4)
    network = checkpoint.build_network()
    table = [torch.from_numpy(inputs[name]) for name in ("values", "codes", "present")]
    with torch.inference_mode():
        of_table = torch.stack([member(None, None, *table).softmax(dim=1) for member in network.members])
    np.testing.assert_allclose(found[0], of_table.mean(dim=0)[0], atol=1e-4)
    others = {**inputs, "values": inputs["values"] + 1}
    again = predict(format, made.content, list(others.values()), tmp_path)
    np.testing.assert_allclose(again[1], found[1], atol=1e-6)
    assert np.abs(again[2] - found[2]).max() > 1e-6


@pytest.mark.parametrize("format", WITHOUT_ONNX)
def test_a_regression_answers_in_the_units_of_the_label(tmp_path, saved, exported, format):
    made = exported(format, classes=None, **TABLE_ALONE)
    check(format, made, saved(classes=None, **TABLE_ALONE), tmp_path, tolerance=1e-3)
    assert made.document["outputs"][0] | {"description": ""} == {
        "name": "prediction",
        "dtype": "float32",
        "shape": ["batch"],
        "description": "",
    }
    inputs = sample_inputs(made.document, 4)
    assert abs(predict(format, made.content, inputs, tmp_path).mean() - 50) < 40


def embedded(format: str, content: bytes) -> dict:
    """The document, read with the format's own library."""
    if format == "ONNX":
        properties = onnx.load_from_string(content).metadata_props
        return json.loads({entry.key: entry.value for entry in properties}["medloom"])
    if format == "TorchScript":
        files = {"medloom.json": ""}
        torch.jit.load(io.BytesIO(content), _extra_files=files)
        return json.loads(files["medloom.json"])
    length = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["medloom"])


@pytest.mark.parametrize("format", FORMATS)
def test_the_file_describes_itself_and_no_place(saved, exported, format):
    trained, made = saved(**LATE), exported(format, **LATE)
    document = embedded(format, made.content)
    assert document == json.loads(to_text(made.document))
    assert document["classes"] == ["benign", "malignant", "unsure"]
    assert document["preprocessing"] == trained.state["preprocessing"]
    assert document["source"]["checkpoint_digest"] == trained.digest
    names = [facts["name"] for facts in document["inputs"]]
    assert names == ["images", "view_mask", "values", "codes", "present"]
    assert document["inputs"][0]["shape"] == ["batch", 2, 3, 32, 32]
    for place in (b"secret", b"site-packages", str(trained.folder.parent).encode(), b"/home/"):
        assert place not in made.content, place


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_checkpoint_gives_the_same_bytes(saved, exported, format):
    """Also after other models were exported by the same process."""
    table = table_of("both", "mlp")
    first = exported(format, **table).content
    exported(format, **LATE)
    assert export_model(saved(**table), format=format).content == first


def test_names_of_classes_in_torchscript_do_not_depend_on_earlier_exports(saved):
    """The first export of a process records the classes, which then have names already."""
    torchscript._forget_classes()
    first, second = (export_model(saved(**TABLE_ALONE), format="TorchScript").content for _ in range(2))
    assert first == second


def test_torchscript_holds_no_tables_of_source_lines(exported):
    content = exported("TorchScript", **TABLE_ALONE).content
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert not [name for name in names if "debug" in name or "traced_inputs" in name]


def test_onnx_is_valid_and_takes_batches_of_any_size(exported):
    made = exported("ONNX", **LATE)
    model = onnx.load_from_string(made.content)
    onnx.checker.check_model(model, full_check=True)
    shapes = [
        [dim.dim_param or dim.dim_value for dim in facts.type.tensor_type.shape.dim]
        for facts in model.graph.input
    ]
    assert shapes == [facts["shape"] for facts in made.document["inputs"]]
    assert run_onnx(made.content, sample_inputs(made.document, 9)).shape == (9, 3)


def test_a_case_is_predicted_alike_alone_and_among_others(exported):
    made = exported("ONNX", **LATE)
    inputs = sample_inputs(made.document, 3)
    alone = np.concatenate([run_onnx(made.content, [array[k : k + 1] for array in inputs]) for k in range(3)])
    np.testing.assert_allclose(alone, run_onnx(made.content, inputs), atol=1e-5)


def test_pixels_of_a_missing_view_do_not_count(exported):
    made = exported("TorchScript", **WITH_CNN["none"])
    images, mask = sample_inputs(made.document, 4)
    mask[:] = [[True, False], [False, True], [False, False], [True, True]]
    noise = np.where(mask[:, :, None, None, None], images, 1 - images)
    before, after = (run_torchscript(made.content, [array, mask]) for array in (images, noise))
    np.testing.assert_array_equal(before, after)


def test_a_format_that_cannot_record_a_network_says_so(saved, monkeypatch):
    forward = ExportedNetwork.forward

    def unrecordable(self, *inputs):
        if torch.compiler.is_exporting():
            raise NotImplementedError("the operator stands in no registry")
        return forward(self, *inputs)

    monkeypatch.setattr(ExportedNetwork, "forward", unrecordable)
    export_model(saved(**TABLE_ALONE), format="PyTorch")
    with pytest.raises(TrainerError) as caught:
        export_model(saved(**TABLE_ALONE), format="ONNX")
    assert caught.value.code == "EXPORT_UNSUPPORTED" and "PyTorch" in caught.value.details


def test_a_file_that_predicts_something_else_is_never_kept(saved, monkeypatch):
    honest = torchscript.run_torchscript
    monkeypatch.setattr(
        torchscript, "run_torchscript", lambda content, inputs: honest(content, inputs) + 0.01
    )
    with pytest.raises(TrainerError) as caught:
        export_model(saved(**TABLE_ALONE), format="TorchScript")
    assert caught.value.code == "EXPORT_UNSUPPORTED" and "0.01" in caught.value.message


@pytest.mark.parametrize("damage", ["cut", "foreign", "plain"])
def test_a_damaged_pytorch_file_is_refused(tmp_path, exported, damage):
    path = tmp_path / "model.safetensors"
    content = exported("PyTorch", **TABLE_ALONE).content
    if damage == "plain":
        from safetensors.torch import save

        content = save({"weight": torch.zeros(2)})
    path.write_bytes({"cut": content[:200], "foreign": b"PK\x03\x04" + content, "plain": content}[damage])
    with pytest.raises(TrainerError) as caught:
        load_model(path)
    assert caught.value.code == "CHECKPOINT_CORRUPT"
    with pytest.raises(TrainerError) as caught:
        load_model(tmp_path / "absent.safetensors")
    assert caught.value.code == "FILE_NOT_FOUND"


def test_the_registry_holds_what_the_catalog_names():
    (node,) = (
        node
        for node in json.loads((CONTRACT / "nodes.json").read_text())["nodes"]
        if node["type"] == "SaveModel"
    )
    assert list(FORMATS) == node["config"]["properties"]["format"]["enum"]
    assert list(QUANTIZATIONS) == node["config"]["properties"]["quantization"]["enum"]
