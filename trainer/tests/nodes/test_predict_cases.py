"""PredictCases: the predictions of the task `predict`, for cases of a workflow; labels are not read."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest

from medloom_trainer.contract.run_directory import RunDirectory
from testing.node_runs import Nodes
from testing.predictions import predicted
from testing.trained_nodes import load_cases, train, written


def rows(nodes: Nodes, result: dict[str, Any]) -> list[dict[str, str]]:
    facts = result["outputs"]["predictions"]["content"]["table"]
    path = nodes.folder / "artifacts" / facts["sha256"][:2] / f"{facts['sha256']}.csv"
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def messages(result: dict[str, Any]) -> dict[str, str]:
    return {warning["code"]: warning["message"] for warning in result["warnings"]}


def unlabeled(nodes: Nodes, *lines: str) -> dict[str, Any]:
    nodes.write("new.csv", "\n".join(["patient_id,age,sex", *lines]) + "\n")
    return load_cases(nodes, "new.csv")


@pytest.fixture
def model(nodes: Nodes) -> dict[str, Any]:
    return train(nodes, load_cases(nodes, "train.csv", split="train"))


def test_it_states_what_the_predict_task_states(nodes: Nodes, model: dict[str, Any]) -> None:
    cases = load_cases(nodes, "new.csv", seed=1)
    result = nodes.run("PredictCases", model=model, cases=cases)
    checkpoint = nodes.folder / "data" / model["checkpoint"]
    params = {"roots": [str(nodes.folder)], "data_dir": str(nodes.folder), "calibrated": True}
    out = nodes.folder / "out"
    out.mkdir()
    expected = predicted(checkpoint, path=str(nodes.folder / "new.csv"), out_dir=str(out), **params)
    assert result["outputs"]["basis"]["content"]["facts"] == expected["basis"]
    found = rows(nodes, result)
    assert list(found[0])[:4] == ["case_id", "patient_id", "file", "row"]
    assert [row.pop("case_id") for row in found] == nodes.cells(cases)["case_id"]
    with (out / "predictions.csv").open(newline="", encoding="utf-8") as file:
        theirs = list(csv.DictReader(file))
    assert len(found) == 60 and found == theirs


def test_labels_are_neither_required_nor_read(nodes: Nodes, model: dict[str, Any]) -> None:
    without = nodes.run("PredictCases", model=model, cases=unlabeled(nodes, "new-1,50,m", "new-2,60,f"))
    assert "LABELS_IGNORED" not in messages(without)
    nodes.write("labeled.csv", "patient_id,age,sex,label\nnew-1,50,m,no\nnew-2,60,f,maybe\n")
    labeled = nodes.run("PredictCases", model=model, cases=load_cases(nodes, "labeled.csv"))
    assert "LABELS_IGNORED" in messages(labeled)
    chances = [[row["probability_yes"] for row in rows(nodes, one)] for one in (without, labeled)]
    assert chances[0] == chances[1]


def test_warnings_count_the_cases_and_contain_no_values(nodes: Nodes, model: dict[str, Any]) -> None:
    cases = unlabeled(nodes, "new-1,,m", "new-2,155,f", "new-3,,f", "new-4,hidden-word,m", "new-5,50,m")
    result = nodes.run("PredictCases", model=model, cases=cases)
    found = messages(result)
    assert found["INPUT_MISSING"].startswith('2 cases: "age" is missing')
    assert found["VALUE_OUTSIDE_TRAINING"].startswith('1 case: "age" is above the training range')
    assert found["CASES_NOT_PREDICTED"].startswith("1 case has no prediction")
    said = json.dumps(result["warnings"])
    assert not any(value in said for value in ("new-", "155", "hidden-word"))
    assert result["outputs"]["predictions"]["summary"] == "4 predictions"
    table = {row["patient_id"]: row for row in rows(nodes, result)}
    assert [table[f"new-{case}"]["warnings"] for case in (1, 2, 5)] == [
        *("INPUT_MISSING", "VALUE_OUTSIDE_TRAINING", "")
    ]
    assert (table["new-4"]["predicted"], table["new-4"]["error"][:18]) == ("", "CASE_VALUE_INVALID")


def test_later_nodes_take_the_predictions(nodes: Nodes, model: dict[str, Any]) -> None:
    cases = unlabeled(nodes, "new-1,,m", "new-2,50,f")
    predictions = nodes.out("predictions", "PredictCases", model=model, cases=cases)
    condition = {"filter_condition": "warnings is missing and error is missing"}
    kept = nodes.out("filtered_dataset", "FilterData", condition, dataset=predictions)
    exported = nodes.out("export_path", "ExportPredictions", predictions=kept)
    lines = written(nodes, exported).read_text(encoding="utf-8").splitlines()
    assert [row["patient_id"] for row in csv.DictReader(lines)] == ["new-2"]


def test_a_case_without_a_prediction_is_exported_with_its_error(nodes: Nodes, model: dict[str, Any]) -> None:
    predictions = nodes.out(
        "predictions", "PredictCases", model=model, cases=unlabeled(nodes, "new-1,a,m", "new-2,50,f")
    )
    exported = nodes.out("export_path", "ExportPredictions", {"format": "JSON"}, predictions=predictions)
    failed, other = json.loads(written(nodes, exported).read_text(encoding="utf-8"))
    assert (failed["probability_yes"], failed["error"][:18]) == (None, "CASE_VALUE_INVALID")
    assert isinstance(other["probability_yes"], float) and not other["error"]


def test_a_registered_model_needs_no_connection(nodes: Nodes, model: dict[str, Any]) -> None:
    cases = unlabeled(nodes, "new-1,50,m")
    connected = nodes.run("PredictCases", model=model, cases=cases)
    registered = {name: model[name] for name in ("checkpoint", "checkpoint_digest")}
    assert nodes.run("PredictCases", {"registered": registered}, cases=cases) == connected
    replaced = registered | {"checkpoint_digest": "0" * 64}
    nodes.refuse("CHECKPOINT_CORRUPT", "PredictCases", {"registered": replaced}, cases=cases)


def test_images_without_a_table_are_named_by_their_case(nodes: Nodes) -> None:
    train_set = load_cases(nodes, "train/t.csv", split="train", rows=24, images=True)
    config = {"model__vision_backbone": "mobilenetv3_small_100", "model__fusion_type": "none"}
    model = train(nodes, train_set, **config)
    load_cases(nodes, "new/t.csv", seed=1, rows=4, images=True)
    images = nodes.out("images", "LoadImage", {"path": "new"})
    result = nodes.run("PredictCases", model=model, cases=images)
    found = rows(nodes, result)
    assert [row["case_id"] for row in found] == nodes.cells(images)["case_id"]
    assert not {"file", "row"} & set(found[0])
    assert all(row["image"].endswith(".png") and row["predicted"] for row in found)
    assert "PREDICTED_TRAINING_CASES" not in messages(result)
    again = nodes.out("images", "LoadImage", {"path": "train"})
    known = messages(nodes.run("PredictCases", model=model, cases=again))["PREDICTED_TRAINING_CASES"]
    assert known.startswith("24 images of these cases were")


class TestCasesOfTheTraining:
    def test_patients_are_counted(self, nodes: Nodes, model: dict[str, Any]) -> None:
        cases = load_cases(nodes, "train.csv")
        found = messages(nodes.run("PredictCases", model=model, cases=cases))
        assert found["PREDICTED_TRAINING_CASES"].startswith("30 patients of these cases were")
        assert "PREDICTED_TRAINING_CASES" not in messages(
            nodes.run("PredictCases", model=model, cases=unlabeled(nodes, "new-1,50,m"))
        )

    def test_without_patients_the_rows_of_one_table_are_recognized(self, nodes: Nodes) -> None:
        load_cases(nodes, "train.csv")
        text = (nodes.folder / "train.csv").read_text(encoding="utf-8")
        nodes.write("rows.csv", "\n".join(line.split(",", 1)[1] for line in text.splitlines()) + "\n")
        cases = load_cases(nodes, "rows.csv")
        model = train(nodes, cases)
        found = messages(nodes.run("PredictCases", model=model, cases=cases))
        assert found["PREDICTED_TRAINING_CASES"].startswith("60 of these cases were")

    def test_a_lost_record_is_a_warning(self, nodes: Nodes, model: dict[str, Any]) -> None:
        run = (nodes.folder / "data" / model["checkpoint"]).parents[1]
        RunDirectory(run).known_cases.unlink()
        found = messages(nodes.run("PredictCases", model=model, cases=unlabeled(nodes, "new-1,50,m")))
        assert "LEAK_CHECK_INCOMPLETE" in found


def test_what_cannot_be_predicted_is_refused(nodes: Nodes, model: dict[str, Any]) -> None:
    cases = unlabeled(nodes, "new-1,50,m")
    plan = {"content": "model_plan", "settings": {}, "num_classes": 2, "task": "classification"}
    assert (
        "is not trained" in nodes.refuse("INVALID_REQUEST", "PredictCases", model=plan, cases=cases).message
    )
    nodes.refuse("INVALID_REQUEST", "PredictCases", cases=cases)
    nodes.refuse("COLUMN_NOT_FOUND", "PredictCases", {"id_column": "none"}, model=model, cases=cases)
    point = {"operating_point": "cost:5:1"}
    nodes.refuse("OPERATING_POINT_NOT_FOUND", "PredictCases", point, model=model, cases=cases)
    nodes.write("other.csv", "x,y\n1,2\n")
    nodes.refuse("COLUMN_NOT_FOUND", "PredictCases", model=model, cases=load_cases(nodes, "other.csv"))
