"""ExportPredictions: every format, where it was asked for, and nowhere else."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from typing import Any

import openpyxl
import pytest

from testing.checkpoints import write_table
from testing.node_runs import CATALOG, Nodes
from testing.trained_nodes import load_cases, train, written

FORMATS = CATALOG["ExportPredictions"]["config"]["properties"]["format"]["enum"]


@pytest.fixture
def predictions(nodes: Nodes) -> dict[str, Any]:
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    test = load_cases(nodes, "test.csv", seed=1, rows=8)
    return nodes.out("predictions", "EvaluateModel", model=model, test_dataset=test)


def rows(format: str, content: bytes) -> list[dict[str, Any]]:
    if format == "JSON":
        return json.loads(content)
    if format == "CSV":
        return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))
    header, *body = openpyxl.load_workbook(io.BytesIO(content)).active.values
    return [dict(zip(header, row, strict=True)) for row in body]


@pytest.mark.parametrize("format", FORMATS)
def test_every_prediction_is_written(nodes: Nodes, predictions: dict[str, Any], format: str) -> None:
    content = nodes.out("export_path", "ExportPredictions", {"format": format}, predictions=predictions)
    path = written(nodes, content)
    (facts,) = content["files"]
    assert content["kind"] == "export" and facts["path"].startswith("artifacts/predictions-")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == facts["blob"]["sha256"]
    assert path.suffix == facts["blob"]["suffix"]
    kept = nodes.cells({**load_cases(nodes, "test.csv"), "table": predictions["table"]})
    found = rows(format, path.read_bytes())
    assert list(found[0]) == predictions["columns"]
    for column, texts in kept.items():
        if format == "Excel" and column.startswith("probability_"):
            assert [row[column] for row in found] == pytest.approx([float(text) for text in texts], rel=1e-15)
        else:
            assert [str(row[column]) for row in found] == texts
    again = nodes.out("export_path", "ExportPredictions", {"format": format}, predictions=predictions)
    assert again == content


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("out/table.csv", "artifacts/out/table.csv"),
        ("table", "artifacts/table.csv"),
        ("table.txt", "artifacts/table.txt"),
    ],
)
def test_a_relative_path_lies_in_the_project(
    nodes: Nodes, predictions: dict[str, Any], path: str, place: str
) -> None:
    content = nodes.out("export_path", "ExportPredictions", {"path": path}, predictions=predictions)
    assert content["files"][0]["path"] == place and written(nodes, content).is_file()


def test_an_absolute_path_lies_inside_the_roots(nodes: Nodes, predictions: dict[str, Any]) -> None:
    target = nodes.folder / "results"
    target.mkdir()
    config = {"path": str(target)}
    content = nodes.out("export_path", "ExportPredictions", config, predictions=predictions)
    assert written(nodes, content).parent == target, "a folder is given a file"
    for path in ("/etc/medloom.csv", "../../elsewhere.csv"):
        nodes.refuse("PATH_NOT_ALLOWED", "ExportPredictions", {"path": path}, predictions=predictions)


def test_ids_that_look_like_formulas_stay_text(nodes: Nodes) -> None:
    write_table(nodes.folder / "train.csv")
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    nodes.write("test.csv", "case_id,patient_id,age,sex,label\n=1+1,p1,40,m,no\n@x,p2,50,f,yes\n")
    test = load_cases(nodes, "test.csv")
    assert nodes.cells(test)["case_id"] == ["=1+1", "@x"]
    predictions = nodes.out("predictions", "EvaluateModel", model=model, test_dataset=test)
    content = nodes.out("export_path", "ExportPredictions", predictions=predictions)
    assert [row["case_id"] for row in rows("CSV", written(nodes, content).read_bytes())] == ["'=1+1", "'@x"]


def test_a_store_that_lost_the_table_says_so(nodes: Nodes, predictions: dict[str, Any]) -> None:
    facts = predictions["table"]
    (nodes.folder / "artifacts" / facts["sha256"][:2] / f"{facts['sha256']}.csv").unlink()
    nodes.refuse("NODE_FAILED", "ExportPredictions", predictions=predictions)
