"""DataSplit keeps patients together; MergeDatasets neither loses nor duplicates cases."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medloom_trainer.cases.merge import interleaved, settle_ids
from testing.node_runs import Nodes

PARTS = ("train", "val", "test")


def dataset(nodes: Nodes, rows: list[dict[str, Any]], name: str = "d.csv") -> Any:
    nodes.table(name, rows)
    return nodes.out("dataset", "LoadDataset", {"dataset_id": name})


def numbers(count: int, per_patient: int = 3, positive: int = 4) -> list[dict[str, Any]]:
    return [
        {
            "patient_id": f"P{n // per_patient}",
            "age": n,
            "label": "yes" if (n // per_patient) % positive == 0 else "no",
        }
        for n in range(count)
    ]


def split(nodes: Nodes, source: Any, **config: Any) -> dict[str, Any]:
    outputs = nodes.run("DataSplit", config, dataset=source)["outputs"]
    return {part: outputs[f"{part}_dataset"]["content"] for part in PARTS}


def test_patients_stay_together_and_classes_in_proportion(nodes: Nodes) -> None:
    source = dataset(nodes, numbers(240))
    parts = split(nodes, source)
    patients = {part: set(nodes.cells(content)["patient_id"]) for part, content in parts.items()}
    assert (
        not patients["train"] & patients["val"]
        | patients["train"] & patients["test"]
        | patients["val"] & patients["test"]
    )
    assert sum(content["num_cases"] for content in parts.values()) == 240
    for content, share in zip(parts.values(), (0.7, 0.15, 0.15), strict=True):
        assert abs(content["num_cases"] / 240 - share) < 0.03
        assert abs(Counter(nodes.cells(content)["label"])["yes"] / content["num_cases"] - 0.25) < 0.06
    assert {content["split_of"] for content in parts.values()} != {None}
    assert [content["split"] for content in parts.values()] == list(PARTS)


def test_the_seed_decides_and_the_whole_is_named_alike(nodes: Nodes) -> None:
    source = dataset(nodes, numbers(60))
    first, again, other = (split(nodes, source, seed=seed) for seed in (1, 1, 2))
    assert first == again and first["train"]["table"] != other["train"]["table"]
    assert first["train"]["split_of"] == other["train"]["split_of"]


@pytest.mark.parametrize("stratify", [True, False])
def test_other_shares(nodes: Nodes, stratify: bool) -> None:
    config = {"train_ratio": 0.5, "val_ratio": 0.5, "test_ratio": 0.0, "stratify": stratify}
    parts = split(nodes, dataset(nodes, numbers(120)), **config)
    assert [parts[part]["num_cases"] for part in PARTS] == [60, 60, 0]
    nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "age > 0"}, dataset=parts["test"])


def test_cases_that_share_an_image_stay_together(nodes: Nodes) -> None:
    name = nodes.image("images/shared.png", 1)
    rows = [
        {"image": name if n % 3 == 0 else nodes.image(f"images/{n}.png", n), "label": "ab"[n % 2]}
        for n in range(30)
    ]
    parts = split(nodes, dataset(nodes, rows))
    assert sum(any("shared" in cell for cell in nodes.cells(part)["image"]) for part in parts.values()) == 1


def test_an_old_split_column_does_not_survive(nodes: Nodes) -> None:
    rows = [{**row, "split": "train"} for row in numbers(30)]
    assert all("split" not in nodes.cells(part) for part in split(nodes, dataset(nodes, rows)).values())


def test_a_regression_is_stratified_by_quantity(nodes: Nodes) -> None:
    rows = [{"age": n % 7, "label": n * 1.5} for n in range(100)]
    parts = split(nodes, dataset(nodes, rows))
    for content in parts.values():
        values = sorted(map(float, nodes.cells(content)["label"]))
        assert values[0] < 30 and values[-1] > 120


def test_too_few_patients(nodes: Nodes) -> None:
    nodes.refuse("DATASET_INVALID", "DataSplit", dataset=dataset(nodes, numbers(3)))


def merge(nodes: Nodes, *sources: Any, strategy: str = "concat") -> tuple[Any, dict[str, str]]:
    inputs = {f"dataset{number}": source for number, source in enumerate(sources, start=1)}
    result = nodes.run("MergeDatasets", {"merge_strategy": strategy}, **inputs)
    warnings = {warning["code"]: warning["message"] for warning in result["warnings"]}
    return result["outputs"]["merged_dataset"]["content"], warnings


def test_concat_and_interleave_of_several(nodes: Nodes) -> None:
    sources = [
        dataset(
            nodes,
            [{"case_id": f"{name}{n}", "age": n, "label": "xy"[n % 2]} for n in range(count)],
            f"{name}.csv",
        )
        for name, count in (("a", 3), ("b", 1), ("c", 2))
    ]
    concat, _ = merge(nodes, *sources)
    assert nodes.cells(concat)["case_id"] == ["a0", "a1", "a2", "b0", "c0", "c1"]
    turns, _ = merge(nodes, *sources, strategy="interleave")
    assert nodes.cells(turns)["case_id"] == ["a0", "b0", "c0", "a1", "c1", "a2"]


def test_ports_are_taken_in_the_order_of_their_numbers(nodes: Nodes) -> None:
    sources = {
        f"dataset{number}": dataset(
            nodes, [{"case_id": str(number), "age": 1}, {"case_id": f"{number}x", "age": 2}]
        )
        for number in (1, 2, 10, 9)
    }
    content = nodes.out("merged_dataset", "MergeDatasets", {}, **sources)
    assert nodes.cells(content)["case_id"][::2] == ["1", "2", "9", "10"]


def test_columns_unite_and_gaps_are_missing(nodes: Nodes) -> None:
    one = dataset(nodes, [{"age": n, "label": "xy"[n % 2]} for n in range(4)], "one.csv")
    two = dataset(nodes, [{"label": "xy"[n % 2], "weight": n} for n in range(4)], "two.csv")
    content, _ = merge(nodes, one, two)
    assert content["feature_columns"] == ["age", "weight"]
    assert nodes.cells(content)["age"][4:] == [""] * 4 and content["classes"] == ["x", "y"]


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            [{"age": "old", "label": "x"}, {"age": "young", "label": "y"}],
            '"age" contains numbers in dataset 1, texts',
        ),
        (
            [{"age": 1, "outcome": "x"}, {"age": 2, "outcome": "y"}],
            'for the label: "label" and "outcome"',
        ),
    ],
)
def test_columns_that_disagree_are_refused(nodes: Nodes, other: list[dict[str, Any]], told: str) -> None:
    one = dataset(nodes, [{"age": n, "label": "xy"[n % 2]} for n in range(4)], "one.csv")
    two = dataset(nodes, other, "two.csv")
    error = nodes.refuse("DATASET_INVALID", "MergeDatasets", {}, dataset1=one, dataset2=two)
    assert told in error.message


def test_a_case_that_stands_twice(nodes: Nodes) -> None:
    one = dataset(nodes, [{"case_id": "a", "age": 1}, {"case_id": "b", "age": 2}], "one.csv")
    two = dataset(nodes, [{"case_id": "a", "age": 1}, {"case_id": "b", "age": 9}], "two.csv")
    content, warnings = merge(nodes, one, two)
    assert nodes.cells(content) == {"case_id": ["a", "b", "b#2"], "age": ["1", "2", "9"]}
    assert warnings["DUPLICATE_CASES"].startswith("1 case") and warnings["CASE_IDS_RENAMED"].startswith(
        "1 case"
    )


def test_patients_are_the_same_everywhere(nodes: Nodes) -> None:
    one, two = (dataset(nodes, numbers(12)[start : start + 6], f"{start}.csv") for start in (0, 3))
    content, warnings = merge(nodes, one, two)
    assert content["num_patients"] == 3 and warnings["SHARED_PATIENTS"].startswith("1 patient ID")


@pytest.mark.slow
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5))
def test_interleaving_is_an_arrangement(counts: list[int]) -> None:
    order = interleaved(counts)
    assert sorted(order) == list(range(sum(counts)))


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.tuples(st.sampled_from(["a", "a#2", "a#3", "b"]), st.sampled_from("xyz")), max_size=12))
def test_settled_ids_are_unique_and_every_different_row_is_kept(rows: list[tuple[str, str]]) -> None:
    ids, keep, renamed = settle_ids(rows, 0)
    assert len(set(ids)) == len(ids) == len(set(rows))
    assert [rows[place] for place in keep] == list(dict.fromkeys(rows))
    assert renamed == sum(name != rows[place][0] for name, place in zip(ids, keep, strict=True))


def labeled(nodes: Nodes, name: str, *labels: object) -> Any:
    """Two rows of each label."""
    return dataset(nodes, [{"age": n, "label": label} for n, label in enumerate(labels * 2)], f"{name}.csv")


@pytest.mark.parametrize(
    ("one", "two", "told"),
    [
        (
            ("benign", "malignant"),
            ("0", "1"),
            'dataset 1 has the classes "benign", "malignant", but dataset 2',
        ),
        (
            ("benign", "malignant"),
            ("0.5", "1.7"),
            'dataset 1 .*"malignant", but dataset 2 has a numeric label',
        ),
        (("0", "1"), ("0.5", "1.7", "2.2"), 'has the classes "0", "1", but dataset 2 has a numeric label'),
        (
            ("benign", "malignant"),
            ("a", "b", "c"),
            '"malignant", but dataset 2 has the classes "a", "b", "c"',
        ),
    ],
)
def test_labels_that_have_nothing_in_common_are_refused_by_name(
    nodes: Nodes, one: tuple[str, ...], two: tuple[str, ...], told: str
) -> None:
    sources = {"dataset1": labeled(nodes, "one", *one), "dataset2": labeled(nodes, "two", *two)}
    error = nodes.refuse("DATASET_INVALID", "MergeDatasets", **sources)
    assert re.search(f"the labels are not compatible: .*{told}", error.message), error.message
    assert "same class names" in error.details


@pytest.mark.parametrize(
    ("sources", "classes"),
    [
        ([("a", "b"), ("a", "b", "c")], ["a", "b", "c"]),
        ([("a", "b"), ("b", "c")], ["a", "b", "c"]),
        ([("a", "b"), ("c", "d"), ("b", "c")], ["a", "b", "c", "d"]),
        ([("no",), ("yes",)], ["no", "yes"]),
        ([("0", "1"), ("0.0", "1.0")], ["0", "1"]),
        ([("1", "2", "3"), ("1.5", "2.5")], None),
    ],
)
def test_classes_that_hang_together_are_one_label(
    nodes: Nodes, sources: list[tuple[str, ...]], classes: list[str] | None
) -> None:
    parts = [labeled(nodes, f"s{number}", *labels) for number, labels in enumerate(sources)]
    content, _ = merge(nodes, *parts)
    assert content["classes"] == classes
