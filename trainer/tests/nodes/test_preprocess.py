"""Preprocessing nodes record settings for the training, and fit on the training part that they see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from testing.node_runs import Nodes


def dataset(nodes: Nodes, count: int = 24) -> Any:
    nodes.table("d.csv", nodes.cases(count))
    return nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})


@pytest.mark.parametrize("normalize", ["zscore", "minmax", "imagenet"])
@pytest.mark.parametrize("augmentation", ["none", "light", "medium", "strong"])
def test_image_settings(nodes: Nodes, normalize: str, augmentation: str) -> None:
    config = {"normalize": normalize, "augmentation": augmentation, "resize": {"width": 40, "height": 30}}
    source = dataset(nodes, 4)
    content = nodes.out("processed_images", "ImagePreprocess", config, images=source)
    assert content["settings"] == {
        "data.image_size": [40, 30],
        "data.normalize": normalize,
        "data.augmentation": augmentation,
    }
    assert content["table"] == source["table"], "pixels are touched when a training prepares them"


@pytest.mark.parametrize("node", ["ImagePreprocess", "DataAugmentation"])
def test_settings_are_recorded_without_reading_table_and_images(nodes: Nodes, node: str) -> None:
    source = dataset(nodes, 4)
    for image in nodes.folder.rglob("*.png"):
        image.unlink()
    (output,) = nodes.run(node, {}, images=source)["outputs"].values()
    content = output["content"]
    step = {"sha256": source["table"]["sha256"], "step": node, "split": "all"}
    changed = {"settings": content["settings"], "lineage": [*source["lineage"], step]}
    assert content["settings"] and content == {**source, **changed}


def test_chosen_methods_are_recorded_and_outlive_a_named_strength(nodes: Nodes) -> None:
    plan = {"methods": ["noise", "blur"], "probability": 0.4, "intensity": 0.2}
    content = nodes.out("augmented_images", "DataAugmentation", plan, images=dataset(nodes, 4))
    assert content["settings"] == {"data.augmentation": plan}
    after = nodes.out("processed_images", "ImagePreprocess", {}, images=content)
    assert after["settings"]["data.augmentation"] == plan


@pytest.mark.parametrize(("strength", "told"), [("strong", True), ("none", True), ("light", False)])
def test_a_strength_that_chosen_methods_outlive_is_told_unless_it_is_the_default(
    nodes: Nodes, strength: str, told: bool
) -> None:
    methods = {"methods": ["noise"]}
    above = nodes.out("augmented_images", "DataAugmentation", methods, images=dataset(nodes, 4))
    result = nodes.run("ImagePreprocess", {"augmentation": strength}, images=above)
    assert ("SETTING_WITHOUT_EFFECT" in {w["code"] for w in result["warnings"]}) == told


def test_a_table_without_images_has_nothing_to_preprocess(nodes: Nodes) -> None:
    nodes.write("t.csv", "age,label\n1,a\n2,b\n")
    table = nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})
    for node in ("ImagePreprocess", "DataAugmentation"):
        assert "no image columns" in nodes.refuse("DATASET_INVALID", node, images=table).message


def scaler(nodes: Nodes, source: Any, **config: Any) -> dict[str, Any]:
    result = nodes.run("TabularPreprocess", config, dataframe=source)
    facts: dict[str, Any] = result["outputs"]["scaler"]["content"]["facts"]
    return facts


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["token", "drop", "mean", "median", "mode"])
@pytest.mark.parametrize("encoding", ["onehot", "label", "target"])
@pytest.mark.parametrize("scaling", ["standard", "quantile", "minmax", "robust", "none"])
def test_every_choice_is_recorded_and_fitted(
    nodes: Nodes, strategy: str, encoding: str, scaling: str
) -> None:
    nodes.write("t.csv", "age,sex,label\n1,f,a\n2,m,b\n4,f,a\n,m,b\n9,,a\n3,f,b\n")
    table = nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})
    config = {"missing_strategy": strategy, "encoding": encoding, "scaling": scaling}
    facts = scaler(nodes, table, **config)
    content = nodes.out("processed_data", "TabularPreprocess", config, dataframe=table)
    assert content["settings"]["data.missing_strategy"] == strategy
    assert content["settings"]["data.categorical_encoding"] == encoding
    age, sex = facts["table"]["columns"]
    seen = np.array([1, 2, 4, 3] if strategy == "drop" else [1, 2, 4, 9, 3], dtype=float)
    expected = {
        "standard": (seen.mean(), seen.std()),
        "minmax": (seen.min(), np.ptp(seen)),
        "robust": (np.median(seen), np.subtract(*np.percentile(seen, [75, 25]))),
        "none": (0, 1),
    }
    if scaling == "quantile":
        assert age["quantiles"] == pytest.approx(sorted(seen))
    else:
        assert (age["center"], age["scale"]) == pytest.approx(expected[scaling])
    fills = {"mean": seen.mean(), "median": np.median(seen), "mode": 1.0}
    assert age["fill"] == (pytest.approx(fills[strategy]) if strategy in fills else None)
    assert sex["kind"] == {"onehot": "onehot", "label": "embedding", "target": "target"}[encoding]
    assert facts["fitted_on"]["rows_dropped"] == (2 if strategy == "drop" else 0)


def test_feature_selection_is_fitted_and_recorded(nodes: Nodes) -> None:
    rows = [f"{(n or 1) % 2},{(n * 7) % 11},5,{'ab'[n % 2]}" for n in range(30)]
    nodes.write("t.csv", "told,noise,same,label\n" + "\n".join(rows))
    table = nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})
    for method in ("univariate", "mutual_information"):
        facts = scaler(nodes, table, feature_selection={"method": method, "keep": 1})
        assert [column["name"] for column in facts["table"]["columns"]] == ["told"]
        assert facts["selection"]["dropped"] == ["noise"]


def test_only_the_training_rows_are_fitted_on(nodes: Nodes) -> None:
    rows = [
        f"{age},{'ab'[n % 2]},{split}"
        for n, (age, split) in enumerate([(1, "train"), (3, "train"), (900, "test")])
    ]
    nodes.write("t.csv", "age,label,split\n" + "\n".join(rows) + "\n")
    table = nodes.out("dataset", "LoadDataset", {"dataset_id": "t.csv"})
    facts = scaler(nodes, table)
    assert facts["table"]["columns"][0]["center"] == 2 and facts["fitted_on"]["cases"] == 2


def test_a_scaler_fitted_above_a_split_is_told(nodes: Nodes) -> None:
    result = nodes.run("TabularPreprocess", {}, dataframe=dataset(nodes, 8))
    assert "FITTED_ON_ALL" in {warning["code"] for warning in result["warnings"]}
    assert result["outputs"]["processed_data"]["content"]["lineage"][-1]["step"] == "TabularPreprocess"


def test_target_encoding_needs_a_label(nodes: Nodes) -> None:
    nodes.write("t.csv", "age,sex\n1,f\n2,m\n3,f\n")
    table = nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})
    nodes.refuse("LABEL_NOT_FOUND", "TabularPreprocess", {"encoding": "target"}, dataframe=table)
