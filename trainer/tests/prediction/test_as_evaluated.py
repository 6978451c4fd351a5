"""Predictions for cases without labels equal those of an evaluation bit for bit."""

import csv
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.export import export_model, load_model
from medloom_trainer.export.document import to_text
from medloom_trainer.export.network import outputs_of
from medloom_trainer.export.package import medloom_model, package_model
from medloom_trainer.export.package.medloom_model import TOLERANCE, Model
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.training.combine import combine
from testing.checkpoints import configuration, evaluation_params, write_checkpoint, write_table
from testing.export_models import operators_read_once
from testing.predictions import predicted, read_rows, without_columns

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]

STATED = (
    "predicted",
    "probability_",
    "prediction_set",
    "interval_",
    "risk",
    "survival_",
    "member_sd",
    "mutual",
)


def write_outcomes(path, *, seed=0, rows=90):
    """Two findings, and a time with an event, that depend on two numbers."""
    generator = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "age", "marker", "edema", "mass", "days", "dead"])
        for row in range(rows):
            age, marker = generator.integers(30, 90), generator.normal(0, 1)
            findings = [int(marker + generator.normal() > 0), int(age + generator.normal(0, 20) > 60)]
            days = generator.exponential(1000 / (1 + age / 30)) + 1
            event = int(generator.random() < 0.7)
            writer.writerow([f"p{row}", age, f"{marker:.3f}", *findings, f"{days:.1f}", event])
    return path


def small(folder, **changes):
    table = write_table(folder / "train.csv", rows=160)
    return write_checkpoint(folder / "best", configuration(table, **changes), folder / "cache")


def several_findings(folder):
    table = write_outcomes(folder / "train.csv")
    columns = {"data__label_columns": ["edema", "mass"], "data__ignore_columns": ["days", "dead"]}
    return write_checkpoint(folder / "best", configuration(table, **columns), folder / "cache")


def times(folder):
    table = write_outcomes(folder / "train.csv")
    columns = {"data__time_column": "days", "data__event_column": "dead", "model__survival_intervals": 5}
    ignored = {"data__ignore_columns": ["edema", "mass"]}
    return write_checkpoint(folder / "best", configuration(table, **columns, **ignored), folder / "cache")


def regression(folder):
    table = write_table(folder / "train.csv", rows=200, regression=True)
    return write_checkpoint(folder / "best", configuration(table), folder / "cache")


def with_images(folder):
    table = write_table(folder / "train.csv", rows=24, images=True)
    config = configuration(table, model__vision_backbone="mobilenetv3_small_100")
    return write_checkpoint(folder / "best", config, folder / "cache")


def ensemble(folder):
    members = []
    for seed in (3, 4):
        table = write_table(folder / f"member-{seed}" / "train.csv", seed=seed)
        run = folder / f"member-{seed}" / "run"
        members.append(write_checkpoint(run, configuration(table), folder / "cache"))
    params = {
        "members": [{"name": one.parts[-4], "checkpoint": str(one)} for one in members],
        "job_id": "1c9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f",
        "job_name": "together",
        "run_dir": str(folder / "best"),
        "data_dir": str(folder),
        "roots": [],
    }
    combine(params, lambda message, fraction: None)
    return folder / "best" / "checkpoints" / "best"


KINDS = {
    "classes": (small, lambda path: write_table(path, seed=7), ["label"]),
    "numbers": (regression, lambda path: write_table(path, seed=7, regression=True), ["label"]),
    "findings": (several_findings, lambda path: write_outcomes(path, seed=7), ["edema", "mass"]),
    "survival": (times, lambda path: write_outcomes(path, seed=7), ["days", "dead"]),
    "images": (with_images, lambda path: write_table(path, rows=11, seed=7, images=True), ["label"]),
    "ensemble": (ensemble, lambda path: write_table(path, seed=7), ["label"]),
}


@pytest.fixture(scope="module", params=list(KINDS))
def models(request, tmp_path_factory, quick_networks):
    """(checkpoint, table without labels, rows of predictions.csv of the evaluation of the labeled table)"""
    folder = tmp_path_factory.mktemp(request.param)
    make, write, labels = KINDS[request.param]
    checkpoint, table = make(folder), write(folder / "test.csv")
    params = evaluation_params(checkpoint, table, folder / "evaluated")
    evaluate(params | {"data_dir": str(folder)}, lambda message, fraction: None)
    unlabeled = without_columns(table, labels, folder / "new.csv")
    return checkpoint, unlabeled, read_rows(folder / "evaluated" / "predictions.csv")


def stated(row):
    return {name: text for name, text in row.items() if name.startswith(STATED)}


def test_a_table_of_new_cases(models, tmp_path):
    checkpoint, table, evaluated = models
    result = predicted(checkpoint, path=str(table), out_dir=str(tmp_path))
    rows = read_rows(tmp_path / result["file"])
    assert [stated(row) for row in rows] == [stated(row) for row in evaluated]
    assert [(row["file"], row["row"]) for row in rows] == [("new.csv", row["row"]) for row in evaluated]
    assert (result["num_cases"], result["num_failed"]) == (len(evaluated), 0)


def test_rows_of_a_request(models):
    """All of them, so that the batches are those of the evaluation."""
    checkpoint, table, evaluated = models
    state = load_checkpoint(checkpoint).state["preprocessing"]["table"]
    numeric = {column["name"] for column in state["columns"] if column["kind"] == "numeric"}
    rows = [
        {name: float(text) if name in numeric else text for name, text in row.items()}
        for row in read_rows(table)
    ]
    result = predicted(checkpoint, rows=rows, image_root=str(table.parent))
    for answer, row in zip(result["predictions"], evaluated, strict=True):
        assert answer["error"] is None
        assert answer["id"] == row["patient"]
        if isinstance(answer["predicted"], list):
            present = [name for name in ("edema", "mass") if row[f"predicted_{name}"] == "1"]
            assert answer["predicted"] == present
        elif answer["predicted"] is not None:
            assert str(answer["predicted"]) == row["predicted"]
        for name, value in (answer["probabilities"] or {}).items():
            assert value == float(row[f"probability_{name}"])
        if answer["survival"] is not None:
            curve = {f"survival_{at['time']:.9g}": at["survival"] for at in answer["survival"]}
            edges = {name: float(text) for name, text in row.items() if name.startswith("survival_")}
            assert {name: curve[name] for name in edges} == edges
            assert answer["risk"] == float(row["risk"])
            assert all(at["survival"] + at["risk"] == pytest.approx(1) for at in answer["survival"])
        if answer["set"] is not None:
            assert "|".join(answer["set"]) == row["prediction_set"]
        if answer["interval"] is not None:
            assert answer["interval"]["low"] == float(row["interval_low"])
    assert result["basis"]["checkpoint_digest"] == load_checkpoint(checkpoint).digest


class PyTorchSession:
    """The part of a session of ONNX Runtime that a package uses, with the network in PyTorch: recording a
    graph takes seconds.
    """

    def __init__(self, file, *_options, **_providers):
        self.model = load_model(Path(file).with_suffix(".safetensors"))

    def run(self, _outputs, given):
        inputs = [given[facts["name"]] for facts in self.model.document["inputs"]]
        return [outputs_of(self.model.network, inputs)]


def require_same_predictions(model, models, tmp_path):
    """Within 1e-5 of a probability, or of a number in units of its spread."""
    checkpoint, table, _ = models
    result = predicted(checkpoint, path=str(table), out_dir=str(tmp_path))
    rows = read_rows(tmp_path / result["file"])
    found = model.predict_csv(table)
    normalization = load_checkpoint(checkpoint).state["label_normalization"]
    survival = model.document["task"] == "survival"
    compared = 0
    for one, row in zip(found, rows, strict=True):
        for name, value in one.items():
            if not isinstance(value, float):
                assert str(value) == row[name]
                continue
            unit = normalization["std"] if normalization else 1.0
            if survival and name == "risk":
                unit = model.document["preprocessing"]["survival"]["edges"][-1]
            assert abs(value - float(row[name])) <= TOLERANCE * unit, name
            compared += 1
    assert compared >= len(rows)


def test_the_program_of_a_package_predicts_the_same(models, tmp_path, monkeypatch):
    exported = export_model(load_checkpoint(models[0]), format="PyTorch")
    (tmp_path / "model.safetensors").write_bytes(exported.content)
    (tmp_path / "description.json").write_text(to_text(exported.document), "utf-8")
    monkeypatch.setattr(medloom_model.onnxruntime, "InferenceSession", PyTorchSession)
    require_same_predictions(Model(tmp_path), models, tmp_path)


@pytest.mark.parametrize(
    "models",
    [pytest.param(kind, marks=[] if kind == "survival" else [pytest.mark.full]) for kind in KINDS],
    indirect=True,
)
def test_the_exported_network_predicts_the_same(models, tmp_path):
    """The package by ONNX Runtime."""
    with operators_read_once():
        exported, _ = package_model(
            load_checkpoint(models[0]),
            quantization="none",
            card="# Card\n",
            roots=[],
            cache_dir=tmp_path / "cache",
        )
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        archive.extractall(tmp_path / "package")
    require_same_predictions(Model(tmp_path / "package"), models, tmp_path)
