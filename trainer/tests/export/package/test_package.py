"""A package predicts in a process that has nothing of Medloom, and notices a changed file."""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from medloom_trainer.export import load_model
from medloom_trainer.export.document import to_text
from medloom_trainer.export.file import export_file
from medloom_trainer.export.formats import Exported, export_model
from medloom_trainer.export.package import package_model, write
from medloom_trainer.export.package.medloom_model import InputError, Model, _load_pyfunc, prediction_problems
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from testing.checkpoints import configuration, write_checkpoint, write_table
from testing.export_models import CNN

pytestmark = pytest.mark.slow

FILES = {
    *("Dockerfile", "LICENSES.md", "MLmodel", "MODEL_CARD.md", "README.md", "SHA256SUMS"),
    *("example.py", "medloom_model.py", "description.json", "model.onnx", "model.safetensors"),
    *("python_env.yaml", "requirements.txt", "test_case/cases.csv", "test_case/expected.json"),
}
_ABSENT = ("medloom_trainer", "torch", "pandas", "scipy", "imagecodecs")
CARD = "# Größe of the card\n"


def checkpoint_of(folder: Path, **changes) -> Checkpoint:
    regression = changes.pop("regression", False)
    table = write_table(
        folder / "secret place" / "train.csv",
        images="model__vision_backbone" in changes,
        regression=regression,
    )
    config = configuration(table, model__members=1, **changes)
    return load_checkpoint(write_checkpoint(folder / "best", config, folder / "cache"))


def packaged(checkpoint: Checkpoint) -> bytes:
    exported, _ = package_model(
        checkpoint, quantization="none", card=CARD, roots=[], cache_dir=checkpoint.folder
    )
    return exported.content


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Without libraries of Medloom. -I ignores the variables and the folder of the caller."""
    program = (
        f"import sys, runpy; sys.modules.update(dict.fromkeys({_ABSENT!r})); "
        f"sys.path.insert(0, {str(folder)!r}); sys.argv = {list(words)!r}; "
        f"runpy.run_path({str(folder / words[0])!r}, run_name='__main__')"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, cwd=folder, env=environment
    )


@pytest.fixture(scope="module")
def recorded() -> dict[str, Exported]:
    """Format → the model of `fused`."""
    return {}


@pytest.fixture(scope="module")
def fused(tmp_path_factory, recorded) -> tuple[Checkpoint, bytes]:
    checkpoint = checkpoint_of(
        tmp_path_factory.mktemp("fused"), model__vision_backbone=CNN, model__num_heads=2
    )

    def export(*arguments, format: str, **options) -> Exported:
        recorded[format] = export_model(*arguments, format=format, **options)
        return recorded[format]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(write, "export_model", export)
        return checkpoint, packaged(checkpoint)


def test_a_package_predicts_in_another_process_until_a_byte_is_changed(tmp_path, fused):
    _, content = fused
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {*archive.namelist()} == {*FILES, "test_case/image-1.png"}
        archive.extractall(tmp_path)
    tested = run(tmp_path, "medloom_model.py", "--test")
    assert (tested.returncode, tested.stderr) == (0, ""), tested
    printed = run(tmp_path, "example.py", "test_case/cases.csv")
    assert printed.returncode == 0, printed
    header, *rows = printed.stdout.splitlines()
    expected = json.loads((tmp_path / "test_case" / "expected.json").read_text())["predictions"]
    assert header.split(",") == ["row", *expected[0]] and len(rows) == len(expected) == 4
    model = load_model(tmp_path / "model.safetensors")
    assert to_text(model.document) == (tmp_path / "description.json").read_text("utf-8")
    assert (tmp_path / "MODEL_CARD.md").read_text("utf-8") == CARD
    weights = bytearray((tmp_path / "model.onnx").read_bytes())
    weights[len(weights) // 2] ^= 1
    (tmp_path / "model.onnx").write_bytes(weights)
    tampered = run(tmp_path, "medloom_model.py", "--test")
    assert tampered.returncode == 1 and "model.onnx" in tampered.stderr


def test_other_predictions_are_noticed_whatever_the_sums(tmp_path, fused):
    with zipfile.ZipFile(io.BytesIO(fused[1])) as archive:
        archive.extractall(tmp_path)
    assert prediction_problems(tmp_path) == []
    file = tmp_path / "test_case" / "expected.json"
    expected = json.loads(file.read_text())
    expected["predictions"][1]["probability_yes"] += 2e-5
    file.write_text(json.dumps(expected))
    assert prediction_problems(tmp_path) == [
        "test_case/cases.csv, row 2: probability_yes differs from the trained model"
    ]


def test_the_same_checkpoint_gives_the_same_bytes_without_places_and_patients(fused, recorded, monkeypatch):
    """The models themselves have the same bytes: test_formats.py."""
    checkpoint, content = fused
    monkeypatch.setattr(write, "export_model", lambda *_, format, **options: recorded[format])
    assert packaged(checkpoint) == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        for name in archive.namelist():
            for place in (b"secret", str(checkpoint.folder.parent).encode(), b"site-packages", b"/home/"):
                assert place not in archive.read(name), (name, place)


@pytest.mark.parametrize("quantization", ["none", pytest.param("int8", marks=pytest.mark.full)])
def test_the_task_writes_a_package_of_an_ensemble_of_the_table(tmp_path, quantization):
    """A regression, with two networks in one model."""
    table = write_table(tmp_path / "data" / "train.csv", regression=True)
    config = configuration(table, model__members=2)
    checkpoint = write_checkpoint(tmp_path / "best", config, tmp_path / "cache")
    places = {
        "out_dir": str(tmp_path / "out"),
        "data_dir": str(tmp_path),
        "cache_dir": str(tmp_path / "cache"),
    }
    chosen = {"format": "Package", "quantization": quantization, "card": CARD, "roots": [str(table.parent)]}
    written = export_file({"checkpoint": str(checkpoint), **chosen, **places}, lambda *_: None)
    assert written["file"] == ("best.zip" if quantization == "none" else "best-int8.zip")
    with zipfile.ZipFile(tmp_path / "out" / written["file"]) as archive:
        assert {*archive.namelist()} == FILES
        archive.extractall(tmp_path / "package")
    model = Model(tmp_path / "package")
    rows = [{"age": 63, "sex": "f"}, {"age": "63.0", "sex": "f", "other": 1}, {"age": None, "sex": "m"}]
    first, second, third = (row["predicted"] for row in model.predict(rows))
    assert first == second != third
    assert model.predict([]) == []
    with pytest.raises(InputError, match='"age"'):
        model.predict([{"sex": "f"}])


def test_images_are_read_from_paths_and_data_urls_and_other_cells_are_refused(tmp_path, fused):
    with zipfile.ZipFile(io.BytesIO(fused[1])) as archive:
        archive.extractall(tmp_path)
    model = Model(tmp_path)
    image = tmp_path / "test_case" / "image-1.png"
    encoded = "data:image/png;base64," + base64.b64encode(image.read_bytes()).decode()
    values = {"age": 50, "sex": "m"}
    ways = [
        {**values, "image": way} for way in (str(image), "test_case/image-1.png", encoded, image.read_bytes())
    ]
    assert len({row["probability_yes"] for row in model.predict(ways, image_root=tmp_path)}) == 1
    (tmp_path / "scan.dcm").write_bytes(b"\0" * 128 + b"DICM" + b"\0" * 300)
    for cell, reason in [("scan.dcm", "DICOM"), ("absent.png", "cannot be opened"), ("", "no image")]:
        with pytest.raises(InputError, match=f"Row 2.*{reason}"):
            model.predict([ways[0], {**values, "image": cell}], image_root=tmp_path)


class Frame:
    """The part of a data frame of pandas that a package uses."""

    def __init__(self, content) -> None:
        rows = [] if isinstance(content, dict) else content
        self.cells = (
            content if isinstance(content, dict) else {name: [row[name] for row in rows] for name in rows[0]}
        )
        self.columns = list(self.cells)

    def __getitem__(self, name: str) -> np.ndarray:
        return np.array(self.cells[name], dtype=object)


def test_mlflow_finds_a_module_that_predicts_data_frames(tmp_path, fused):
    with zipfile.ZipFile(io.BytesIO(fused[1])) as archive:
        archive.extractall(tmp_path)
    described = json.loads((tmp_path / "MLmodel").read_text())
    flavor = described["flavors"]["python_function"]
    assert (tmp_path / flavor["code"] / f"{flavor['loader_module']}.py").is_file()
    assert (tmp_path / flavor["env"]["virtualenv"]).is_file()
    image = str(tmp_path / "test_case" / "image-1.png")
    frame = Frame({"age": [50.0, float("nan")], "sex": ["m", None], "image": [image, image]})
    inputs, outputs = (json.loads(described["signature"][key]) for key in ("inputs", "outputs"))
    assert {facts["name"] for facts in inputs} == {*frame.columns}
    predicted = _load_pyfunc(str(tmp_path)).predict(frame)
    assert predicted.columns == [facts["name"] for facts in outputs]
    assert [type(value) for value in predicted["predicted"]] == [str, str]
