"""BuildModel: the merged settings of its parts; its summary has the sizes of the model that a training
builds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from medloom_trainer.model.ensemble import build_network
from medloom_trainer.model.summary import summarize
from medloom_trainer.nodes.build_model import _complete
from testing.families import every_backbone
from testing.node_runs import CATALOG, Nodes
from testing.short_backbones import short_backbones
from testing.synthetic import LAYOUT

FUSIONS = CATALOG["SelectFusion"]["config"]["properties"]["strategy"]["enum"]
AGGREGATORS = CATALOG["SelectAggregator"]["config"]["properties"]["method"]["enum"]
PAIRS = list(zip(FUSIONS, itertools.cycle(AGGREGATORS), strict=False))
"""Each fusion and each aggregator at least once; the other pairs in the full run."""


@pytest.fixture
def quick_networks() -> Iterator[None]:
    with short_backbones():
        yield


def part(**settings: Any) -> dict[str, Any]:
    """Output of SelectBackbone, SelectFusion or SelectAggregator."""
    return {
        "content": "config",
        "settings": {f"model.{key}": value for key, value in settings.items()},
        "facts": {},
    }


def parts(aggregator: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    backbone = {
        "vision_backbone": "resnet18",
        "pretrained": False,
        "freeze_layers": 0,
        "image_dim": None,
    }
    fusion = {"fusion_type": "concatenate", "hidden_dim": 32, "num_heads": 4, "dropout": 0.1}
    for key, value in changes.items():
        (backbone if key in backbone else fusion)[key] = value
    ports = {"backbone_config": part(**backbone), "fusion_config": part(**fusion)}
    return ports if aggregator is None else {**ports, "aggregator_config": part(**aggregator)}


def summary(nodes: Nodes, config: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    return nodes.out("model_summary", "BuildModel", config, **parts(**changes))["facts"]


def layer(facts: dict[str, Any], name: str) -> dict[str, Any]:
    return next(layer for layer in facts["layers"] if layer["name"] == name)


def complete(**model: Any) -> dict[str, Any]:
    settings = {f"model.{key}": value for key, value in model.items()} | {"data.image_size": [32, 32]}
    return {
        "model": _complete("ModelConfig", "model", settings),
        "data": _complete("DataConfig", "data", settings),
    }


@pytest.mark.usefixtures("quick_networks")
def test_the_plan_carries_the_settings_of_every_part(nodes: Nodes) -> None:
    aggregator = {"aggregator": "cross_view", "aggregator_learnable": False, "missing_view": "token"}
    inputs = parts(aggregator, image_dim=48, freeze_layers=2, fusion_type="gated", dropout=0.3)
    plan = nodes.out("model", "BuildModel", {"num_classes": 3}, **inputs)
    assert (plan["content"], plan["num_classes"], plan["task"]) == ("model_plan", 3, "classification")
    expected = {key: value for content in inputs.values() for key, value in content["settings"].items()}
    assert plan["settings"] == expected | {"model.task": "classification"}


@pytest.mark.usefixtures("quick_networks")
def test_the_plan_names_the_weights_by_their_content(nodes: Nodes) -> None:
    inputs = parts()
    assert "weights_sha256" not in nodes.out("model", "BuildModel", **inputs)
    for digest in ("a" * 64, "b" * 64):
        inputs["backbone_config"]["facts"] = {"weights_sha256": digest}
        assert nodes.out("model", "BuildModel", **inputs)["weights_sha256"] == digest


@pytest.mark.usefixtures("quick_networks")
def test_the_same_parts_give_the_same_bytes(nodes: Nodes) -> None:
    assert nodes.run("BuildModel", **parts()) == nodes.run("BuildModel", **parts())


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks")
@pytest.mark.parametrize(
    ("fusion", "aggregator"),
    [
        pytest.param(fusion, aggregator, marks=[] if (fusion, aggregator) in PAIRS else [pytest.mark.full])
        for fusion in FUSIONS
        for aggregator in AGGREGATORS
    ],
)
def test_with_everything_known_the_count_is_that_of_the_trained_network(fusion: str, aggregator: str) -> None:
    config = complete(
        vision_backbone="mobilenetv3_small_100", fusion_type=fusion, aggregator=aggregator, hidden_dim=16
    )
    found = summarize(config, num_outputs=3, layout=LAYOUT, num_views=2)
    network = build_network(config, layout=LAYOUT, num_views=2, num_outputs=3, task="classification")
    assert found["complete"] and not found["notes"]
    assert found["parameters"] == sum(parameter.numel() for parameter in network.parameters())
    assert all(layer["output"] for layer in found["layers"])


@pytest.mark.usefixtures("quick_networks")
def test_what_is_not_known_is_left_open_and_said(nodes: Nodes) -> None:
    facts = summary(nodes, aggregator={"aggregator": "learned_weight"})
    open_parts = [row["name"] for row in facts["layers"] if row["parameters"] is None]
    assert set(open_parts) == {"aggregator", "table encoder", "head"}
    assert not facts["complete"] and len(facts["notes"]) == 3
    assert facts["parameters"] == sum(row["parameters"] or 0 for row in facts["layers"])
    assert layer(facts, "head")["output"] == ["B", "classes"]
    known = summary(nodes, {"num_classes": 3}, fusion_type="none")
    assert known["complete"] and known["notes"] == [] and layer(known, "head")["output"] == ["B", 3]


@pytest.mark.slow
def test_output_sizes_come_from_a_dry_run(nodes: Nodes) -> None:
    facts = summary(nodes, {"num_classes": 2}, image_dim=48, fusion_type="cross_attention")
    assert layer(facts, "backbone.layer4")["output"] == ["B·V", 512, "H", "W"]
    assert layer(facts, "image embedding")["output"] == ["B", "V", "P", 32]
    assert layer(facts, "table encoder")["output"] == ["B", "C", 32]
    assert layer(facts, "fusion")["output"] == ["B", 32]
    regression = summary(nodes, {"task_type": "regression"}, fusion_type="none")
    assert layer(regression, "head")["output"] == ["B", 1]


def of_images(size: list[int] | None, **model: Any) -> dict[str, Any]:
    config = complete(**{"vision_backbone": "resnet18", "fusion_type": "none", **model})
    return summarize({**config, "data": {"image_size": size}}, num_outputs=2, layout=None, num_views=None)


def test_with_the_size_of_the_images_maps_and_positions_have_numbers() -> None:
    facts = of_images([224, 96])
    assert layer(facts, "backbone.layer4")["output"] == ["B·V", 512, 3, 7]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["resnet18", "vit_small_patch16_224", "swin_tiny_patch4_window7_224"])
@pytest.mark.usefixtures("quick_networks")
def test_without_the_size_of_the_images_no_number_depends_on_it(name: str) -> None:
    facts = of_images(None, vision_backbone=name)
    sizes = ([32, 32], [96, 160], [384, 256])
    told = {row["name"]: row["output"] for row in facts["layers"] if row["output"]}
    counts: list[set[tuple[str, int]]] = []
    for size in sizes:
        config = complete(vision_backbone=name, fusion_type="none") | {"data": {"image_size": size}}
        network = build_network(config, layout=LAYOUT, num_views=1, num_outputs=2, task="classification")
        counts.append({(key, parameter.numel()) for key, parameter in network.named_parameters()})
        true = {row["name"]: row["output"] for row in of_images(size, vision_backbone=name)["layers"]}
        for row, output in told.items():
            same = [one if isinstance(one, str) else two for one, two in zip(output, true[row], strict=True)]
            assert same == output
    assert facts["parameters"] == sum(count for _, count in set.intersection(*counts))
    assert facts["complete"] == (name == "resnet18") and len(facts["notes"]) == (name != "resnet18")


@pytest.mark.slow
def test_output_dim_is_the_width_of_the_image_embedding(nodes: Nodes) -> None:
    narrow, wide = (summary(nodes, image_dim=width) for width in (8, 64))
    # Linear(512, d), its norm, Linear(d, 32) and that norm.
    for width, facts in ((8, narrow), (64, wide)):
        expected = 512 * width + width + 2 * width + width * 32 + 32 + 64
        assert layer(facts, "image embedding")["parameters"] == expected


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks")
def test_frozen_stages_are_counted_as_not_trainable(nodes: Nodes) -> None:
    free, some, none = (summary(nodes, freeze_layers=stages) for stages in (0, 2, "all"))
    assert free["trainable_parameters"] == free["parameters"]
    assert none["trainable_parameters"] < some["trainable_parameters"] < free["trainable_parameters"]
    assert all(
        row["trainable_parameters"] == 0 for row in none["layers"] if row["name"].startswith("backbone.")
    )


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks")
def test_an_aggregator_that_is_not_learnable_has_only_its_token_to_train(nodes: Nodes) -> None:
    settings = {"aggregator": "attention", "aggregator_learnable": False}
    row = layer(summary(nodes, aggregator=settings), "aggregator")
    assert row["kind"] == "Attention" and row["trainable_parameters"] == 32 < row["parameters"]


@pytest.mark.slow
@pytest.mark.parametrize("name", every_backbone())
def test_every_backbone_is_summarized_without_memory_for_its_weights(name: str) -> None:
    found = of_images(None, vision_backbone=name)
    assert found["complete"] or len(found["notes"]) == 1
    assert found["parameters"] > 1_000_000
    assert found["layers"][-1]["output"] == ["B", 2]


def test_a_model_of_the_table_alone(nodes: Nodes) -> None:
    classes = {"num_classes": 2}
    one = summary(nodes, classes, vision_backbone="none", members=1)
    assert [row["name"] for row in one["layers"]] == ["table encoder", "head"]
    five = summary(nodes, classes, vision_backbone="none")
    parts = ["table encoder", "head", "linear model"]
    assert [row["name"] for row in five["layers"]] == [f"5 of table: {part}" for part in parts]
    assert five["layers"][1]["parameters"] == 5 * one["layers"][1]["parameters"]


@pytest.mark.usefixtures("quick_networks")
def test_late_fusion_is_a_network_of_the_image_and_several_of_the_table(nodes: Nodes) -> None:
    image = summary(nodes, fusion_type="none")
    table = summary(nodes, vision_backbone="none", members=1)
    late = summary(nodes, fusion_type="late", members=3)
    assert late["parameters"] == image["parameters"] + 3 * table["parameters"]
    assert {row["name"].split(": ")[0] for row in late["layers"]} == {"image", "3 of table"}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"vision_backbone": "none", "fusion_type": "none"}, "neither a backbone nor a fusion"),
        ({"vision_backbone": "none", "fusion_type": "gated"}, "fuses image and table"),
        ({"fusion_type": "attention", "hidden_dim": 30}, "hidden_dim 30 is not a multiple"),
        ({"aggregator": {"aggregator": "cross_view"}, "hidden_dim": 30}, "not a multiple"),
    ],
)
def test_parts_that_do_not_fit_are_refused(nodes: Nodes, changes: dict[str, Any], says: str) -> None:
    assert says in nodes.refuse("INVALID_CONFIG", "BuildModel", **parts(**changes)).message


def test_a_model_that_is_too_large_is_refused(nodes: Nodes) -> None:
    nodes.refuse("MODEL_TOO_LARGE", "BuildModel", **parts(fusion_type="bilinear", hidden_dim=8192))


def test_weights_that_are_not_there_are_missed_at_once(nodes: Nodes) -> None:
    nodes.refuse("FILE_NOT_FOUND", "BuildModel", **parts(pretrained="absent.safetensors"))
    nodes.write("weights.pth", b"")
    nodes.refuse("WEIGHTS_UNAVAILABLE", "BuildModel", **parts(pretrained="weights.pth"))
    nodes.refuse("PATH_NOT_ALLOWED", "BuildModel", **parts(pretrained="/etc/hosts"))
