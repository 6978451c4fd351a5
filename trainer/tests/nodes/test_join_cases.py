"""The step before a training: one set of cases at every port."""

from __future__ import annotations

from medloom_trainer.nodes import run_node
from testing.node_runs import Nodes


def test_what_meets_is_joined_and_what_is_alone_passes_unchanged(nodes: Nodes) -> None:
    for number, name in enumerate(("a", "b")):
        nodes.image(f"photos/{name}.png", number)
    nodes.write("t.csv", "case_id,age,label\nb,2,x\na,1,y\n")
    images = nodes.out("images", "LoadImage", {"path": "photos"})
    table = nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})
    inputs = {"train_dataset": [images, table], "val_dataset": [table]}
    params = {**nodes.params("LoadTabular", {"path": "t.csv"}, inputs), "type": "JoinCases", "config": {}}
    outputs = run_node(params, lambda message, fraction: None)["outputs"]
    train = outputs["train_dataset"]["content"]
    assert train["image_columns"] == ["image"] and train["feature_columns"] == ["age"]
    assert train["num_cases"] == 2 and outputs["train_dataset"]["summary"].startswith("2 cases")
    assert outputs["val_dataset"]["content"] == table
