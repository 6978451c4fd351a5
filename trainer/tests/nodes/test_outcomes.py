"""Several labels, and times to an event, from node to node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from testing.node_runs import Nodes
from testing.trained_nodes import train

ROWS = 60
TIMES = {"time_column": "days", "event_column": "dead"}
FLAGS = {"label_columns": ["a", "b"]}


def table(nodes: Nodes, name: str = "d.csv") -> None:
    """Few rows have the rare label b; patients have one row each."""
    random = np.random.default_rng(0)
    rows = [
        {
            "patient_id": f"{name}-{n}", "age": n % 31, "dose": round(random.normal(), 2),
            "a": n % 2, "b": int(n % 10 == 0), "days": 1 + n * 7 % 50, "dead": int(n % 3 == 0),
        }
        for n in range(ROWS)
    ]  # fmt: skip
    nodes.table(name, rows)


def load(nodes: Nodes, names: dict[str, Any], node: str = "LoadDataset") -> Any:
    table(nodes)
    if node == "LoadTabular":
        return nodes.out("dataframe", node, {"path": "d.csv", **names})
    return nodes.out("dataset", node, {"dataset_id": "d.csv", **names})


@pytest.mark.parametrize("node", ["LoadDataset", "LoadTabular"])
def test_a_source_names_them_and_they_are_no_features(nodes: Nodes, node: str) -> None:
    found = load(nodes, TIMES, node)
    assert (found["task"], found["classes"], found["label_column"]) == ("survival", None, None)
    assert found["settings"] == {"data.time_column": "days", "data.event_column": "dead"}
    assert not {"days", "dead"} & {*found["feature_columns"]}
    flags = load(nodes, FLAGS, node)
    assert (flags["task"], flags["classes"]) == ("multilabel", ["a", "b"])
    assert not {"a", "b"} & {*flags["feature_columns"]} and "days" in flags["feature_columns"]


def test_a_registered_time_and_event_need_no_name_and_their_events_are_counted(nodes: Nodes) -> None:
    table(nodes)
    record = {
        "path": str(nodes.folder / "d.csv"), "image_root": None, "label_columns": ["dead", "days"],
        "patient_column": None, "ignore_columns": ["a"], "positive_class": None, **TIMES,
    }  # fmt: skip
    outputs = nodes.run("LoadDataset", {"dataset_id": "some-uuid", "dataset": record})["outputs"]
    assert outputs["dataset"]["content"]["settings"] == {
        "data.time_column": "days", "data.event_column": "dead",
    }  # fmt: skip
    assert outputs["metadata"]["content"]["facts"]["classes"] == {"event": 20}


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"time_column": "days"}, "event_column is missing"),
        ({**FLAGS, **TIMES}, "label_columns and time_column both define the label"),
        ({**TIMES, "label_column": "a"}, "label_column and time_column both define the label"),
    ],
)
def test_an_outcome_that_is_named_by_half_or_twice_is_refused(nodes: Nodes, names, message) -> None:
    table(nodes)
    assert message in nodes.refuse("INVALID_CONFIG", "LoadDataset", {"dataset_id": "d.csv", **names}).message


def test_a_split_has_labels_and_events_in_proportion(nodes: Nodes) -> None:
    shares = {"train_ratio": 0.5, "val_ratio": 0.0, "test_ratio": 0.5}
    for names, column, count in ((FLAGS, "b", 3), (TIMES, "dead", 10)):
        parts = nodes.run("DataSplit", shares, dataset=load(nodes, names))["outputs"]
        for part in ("train", "test"):
            content = parts[f"{part}_dataset"]["content"]
            assert nodes.cells(content)[column].count("1") == count, (column, part)
            assert content["task"] in ("multilabel", "survival") and content["settings"]


def test_merged_data_sets_name_the_same_outcome(nodes: Nodes) -> None:
    first = load(nodes, TIMES)
    table(nodes, "e.csv")
    second = nodes.out("dataset", "LoadDataset", {"dataset_id": "e.csv", **TIMES})
    merged = nodes.out("merged_dataset", "MergeDatasets", {}, dataset1=first, dataset2=second)
    assert (merged["task"], merged["num_cases"]) == ("survival", 2 * ROWS)
    other = nodes.out("dataset", "LoadDataset", {"dataset_id": "e.csv", **FLAGS})
    refused = nodes.refuse("DATASET_INVALID", "MergeDatasets", {}, dataset1=first, dataset2=other)
    assert "have different label columns" in refused.message


def test_preprocessing_ranks_columns_by_them(nodes: Nodes) -> None:
    """By the martingale residual, and by the strongest of the labels."""
    settings = {"feature_selection": {"method": "univariate", "keep": 1}}
    for names in (TIMES, FLAGS):
        outputs = nodes.run("TabularPreprocess", settings, dataframe=load(nodes, names))["outputs"]
        kept = outputs["processed_data"]["content"]["settings"]
        assert all(kept[f"data.{name}"] == value for name, value in names.items())
        assert outputs["scaler"]["content"]["facts"]


@pytest.mark.parametrize(
    ("names", "first"),
    [(TIMES, ["uno_c", "c_index", "integrated_brier"]), (FLAGS, ["accuracy", "auc", "f1_score"])],
)
def test_evaluation_hands_on_the_metrics_of_the_task(nodes: Nodes, names, first) -> None:
    content = load(nodes, names)
    model = train(
        nodes, content, model__members=1,
        **{f"data__{key}": value for key, value in names.items()},
    )  # fmt: skip
    table(nodes, "test.csv")
    tested = nodes.out("dataset", "LoadDataset", {"dataset_id": "test.csv", **names}) | {"split": "test"}
    outputs = nodes.run("EvaluateModel", {}, model=model, test_dataset=tested)["outputs"]
    metrics = outputs["metrics"]["content"]["metrics"]
    assert set(first) <= metrics.keys() and metrics[first[0]] is not None
    assert outputs["confusion_matrix"]["content"]["matrix"] is None
    assert outputs["predictions"]["content"]["num_cases"] == ROWS


@pytest.mark.slow
def test_the_model_takes_their_task(nodes: Nodes) -> None:
    parts = {
        "backbone_config": nodes_config({"model.vision_backbone": "none"}),
        "fusion_config": nodes_config({"model.fusion_type": "concatenate"}),
    }
    for task in ("multilabel", "survival"):
        plan = nodes.out("model", "BuildModel", {"task_type": task, "survival_intervals": 7}, **parts)
        assert (plan["task"], plan["settings"]["model.task"]) == (task, task)


def nodes_config(settings: dict[str, Any]) -> dict[str, Any]:
    return {"content": "config", "settings": settings, "facts": {}}
