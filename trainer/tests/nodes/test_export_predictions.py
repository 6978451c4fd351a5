"""ExportPredictions: every prediction in every format, written only into the store."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from typing import Any

import openpyxl
import pytest
import torch

from testing.checkpoints import write_table
from testing.node_runs import CATALOG, Nodes
from testing.trained_nodes import load_cases, train, written

FORMATS = CATALOG["ExportPredictions"]["config"]["properties"]["format"]["enum"]


@pytest.fixture
def predictions(nodes: Nodes) -> dict[str, Any]:
    torch.manual_seed(0)  # the untrained network is wrong for some of the cases
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


NUMBERS = ("probability_", "member_sd", "mutual_information")
"""Excel stores 15 digits of these."""


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
        if format == "Excel" and column.startswith(NUMBERS):
            assert [row[column] for row in found] == pytest.approx([float(text) for text in texts], rel=1e-15)
        else:
            assert [str(row[column]) for row in found] == texts
    again = nodes.out("export_path", "ExportPredictions", {"format": format}, predictions=predictions)
    assert again == content


def test_wrong_predictions_alone(nodes: Nodes, predictions: dict[str, Any]) -> None:
    wrong = nodes.out(
        "filtered_dataset", "FilterData", {"filter_condition": "correct == false"}, dataset=predictions
    )
    written_rows = rows(
        "CSV", written(nodes, nodes.out("export_path", "ExportPredictions", predictions=wrong)).read_bytes()
    )
    every = rows(
        "CSV",
        written(nodes, nodes.out("export_path", "ExportPredictions", predictions=predictions)).read_bytes(),
    )
    assert written_rows == [row for row in every if row["truth"] != row["predicted"]]
    assert wrong["num_cases"] == len(written_rows) > 0


@pytest.mark.parametrize("format", FORMATS)
def test_where_no_prediction_is_left_the_file_has_no_rows(
    nodes: Nodes, predictions: dict[str, Any], format: str
) -> None:
    none = nodes.out(
        "filtered_dataset", "FilterData", {"filter_condition": "probability_yes > 2"}, dataset=predictions
    )
    assert none["content"] == "predictions" and none["num_cases"] == 0
    content = nodes.out("export_path", "ExportPredictions", {"format": format}, predictions=none)
    assert rows(format, written(nodes, content).read_bytes()) == []


def test_a_worker_writes_nowhere_but_into_the_store(nodes: Nodes, predictions: dict[str, Any]) -> None:
    source = nodes.folder / "train.csv"
    before = {path: path.read_bytes() for path in nodes.folder.rglob("*") if path.is_file()}
    for path in (str(source), "out/table.csv", "../../elsewhere.csv"):
        nodes.out("export_path", "ExportPredictions", {"path": path}, predictions=predictions)
    after = {path for path in nodes.folder.rglob("*") if path.is_file()}
    assert all(path.is_relative_to(nodes.folder / "artifacts") for path in after - set(before))
    assert all(path.read_bytes() == content for path, content in before.items())


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
