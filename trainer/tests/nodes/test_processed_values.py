"""After TabularPreprocess users filter and export processed values; a training still gets the unprocessed
cases with the settings, and fits only on its own part."""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.tables import read_numbers
from testing.node_runs import Nodes
from testing.trained_nodes import written

AGES = ["20", "", "40", "60", "inf", "30", "NA", "50"]
SEXES = ["f", "m", "", "f", "m", "f", "m", "f"]


def table(nodes: Nodes, **columns: list[str]) -> Any:
    every = {"age": AGES, "sex": SEXES, "site": list("aabbaabb"), "label": ["no", "yes"] * 4, **columns}
    rows = [",".join(row) for row in zip(*every.values(), strict=True)]
    named = [f"c{n},{row}" for n, row in enumerate(rows)]
    nodes.write("t.csv", "\n".join([",".join(["case_id", *every]), *named]))
    return nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})


def processed(nodes: Nodes, source: Any, **config: Any) -> Any:
    return nodes.out("processed_data", "TabularPreprocess", config, dataframe=source)


def kept(nodes: Nodes, content: Any, condition: str) -> list[str]:
    found = nodes.out("filtered_dataset", "FilterData", {"filter_condition": condition}, dataset=content)
    return nodes.cells(found)["case_id"]


def exported(nodes: Nodes, content: Any, format: str = "CSV") -> list[dict[str, Any]]:
    files = nodes.out("export_path", "ExportPredictions", {"format": format}, predictions=content)
    text = written(nodes, files).read_text(encoding="utf-8")
    return json.loads(text) if format == "JSON" else list(csv.DictReader(text.splitlines()))


def codes(result: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in result["warnings"]]


def test_a_filled_value_is_filtered_by(nodes: Nodes) -> None:
    source = table(nodes)
    assert kept(nodes, source, "age is missing") == ["c1", "c6"]
    filled = processed(nodes, source, missing_strategy="median", scaling="none")
    assert kept(nodes, filled, "age = 40") == ["c1", "c2", "c6"], "the median of 20, 30, 40, 50 and 60"
    assert kept(nodes, filled, 'sex = "f"') == ["c0", "c2", "c3", "c5", "c7"], "the most frequent fills"
    assert kept(nodes, filled, '"sex=m" = 1 and age = 40') == ["c1", "c6"]
    nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "age is missing"}, dataset=filled)


def test_a_scaled_value_is_filtered_by_as_it_is_shown(nodes: Nodes) -> None:
    scaled = processed(nodes, table(nodes), missing_strategy="token", scaling="minmax")
    assert kept(nodes, scaled, "age >= 0.5") == ["c2", "c3", "c4", "c7"]
    assert kept(nodes, scaled, "age is missing") == ["c1", "c6"], "a token is still a gap"
    shown = {row["case_id"]: row["age"] for row in exported(nodes, scaled)}
    assert [name for name, age in shown.items() if age and float(age) >= 0.5] == ["c2", "c3", "c4", "c7"]
    error = nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "age > 1"}, dataset=scaled)
    assert "filter before preprocessing" in error.message


def test_a_condition_about_other_columns_fits_nothing(nodes: Nodes) -> None:
    """Target encoding could not be fitted here: only one class is left."""
    target = processed(nodes, table(nodes), encoding="target")
    one = nodes.out("filtered_dataset", "FilterData", {"filter_condition": 'label = "no"'}, dataset=target)
    result = nodes.run("FilterData", {"filter_condition": "case_id != c0"}, dataset=one)
    assert codes(result) == []
    assert nodes.cells(result["outputs"]["filtered_dataset"]["content"])["case_id"] == ["c2", "c4", "c6"]
    assert codes(nodes.run("FilterData", {"filter_condition": "age > 0"}, dataset=table(nodes))) == []


def test_a_mistake_is_told_with_the_names_of_the_view(nodes: Nodes) -> None:
    content = processed(nodes, table(nodes))
    error = nodes.refuse("FILTER_INVALID", "FilterData", {"filter_condition": '"sex=g" = 1'}, dataset=content)
    assert 'did you mean "sex=' in error.message


def test_rows_that_are_dropped_are_not_there(nodes: Nodes) -> None:
    content = processed(nodes, table(nodes), missing_strategy="drop", scaling="none")
    assert kept(nodes, content, "age > 0") == ["c0", "c3", "c4", "c5", "c7"]
    assert [row["case_id"] for row in exported(nodes, content)] == ["c0", "c3", "c4", "c5", "c7"]


def test_what_is_shown_is_said_to_be_for_people(nodes: Nodes) -> None:
    content = processed(nodes, table(nodes), missing_strategy="mean")
    for node, port, config in (
        ("FilterData", "dataset", {"filter_condition": "age > 0"}),
        ("ExportPredictions", "predictions", {}),
    ):
        (told,) = [
            warning["message"]
            for warning in nodes.run(node, config, **{port: content})["warnings"]
            if warning["code"] == "PROCESSED_VIEW"
        ]
        assert "means and scaling of all 8 cases" in told and "own training split" in told
    plain = processed(nodes, table(nodes), scaling="none")
    assert codes(nodes.run("ExportPredictions", predictions=plain)) == [], "nothing depends on other rows"


def test_only_the_training_rows_of_a_split_column_are_fitted_on(nodes: Nodes) -> None:
    source = table(nodes, age=list("1357") + ["900"] * 4, split=["train"] * 4 + ["test"] * 4)
    content = processed(nodes, source, scaling="minmax")
    rows = exported(nodes, content, "JSON")
    assert [row["age"] for row in rows[:4]] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert rows[4]["age"] == pytest.approx(899 / 6)
    result = nodes.run("ExportPredictions", predictions=content)
    assert "the 4 training cases" in result["warnings"][0]["message"]


def test_filtering_changes_neither_values_nor_settings(nodes: Nodes) -> None:
    source = table(nodes)
    content = processed(nodes, source, missing_strategy="median", scaling="robust")
    filtered = nodes.out(
        "filtered_dataset", "FilterData", {"filter_condition": "age > -0.9"}, dataset=content
    )
    assert filtered["settings"] == content["settings"]
    found, before = nodes.cells(filtered), nodes.cells(source)
    for number, name in enumerate(found["case_id"]):
        place = before["case_id"].index(name)
        assert {column: texts[number] for column, texts in found.items()} == {
            column: texts[place] for column, texts in before.items()
        }


def test_below_a_split_a_training_fits_on_its_part_and_applies_once(nodes: Nodes) -> None:
    """preprocess ─► filter ─► split ─► train"""
    rng = np.random.default_rng(5)
    rows = [
        {"case_id": f"c{n}", "age": int(rng.integers(20, 90)), "label": ["no", "yes"][n % 2]}
        for n in range(60)
    ]
    nodes.table("d.csv", rows)
    source = nodes.out("dataframe", "LoadTabular", {"path": "d.csv"})
    content = processed(nodes, source, missing_strategy="mean", scaling="standard")
    filtered = nodes.out("filtered_dataset", "FilterData", {"filter_condition": "age > -1"}, dataset=content)
    part = nodes.out("train_dataset", "DataSplit", dataset=filtered)
    digest = part["table"]["sha256"]
    settings = {key.removeprefix("data."): value for key, value in part["settings"].items()}
    prepared = nodes.prepare(
        model={"vision_backbone": "none"},
        train_csv=str(nodes.folder / "artifacts" / digest[:2] / f"{digest}.csv"),
        ignore_columns=["case_id"], **settings,
    )  # fmt: skip
    trained = [dict(zip(("file", "line"), place, strict=True)) for place in prepared.train.places or []]
    ages = np.asarray([rows[place["line"] - 2]["age"] for place in trained], dtype=float)
    (age,) = prepared.preprocessing["table"]["columns"]
    assert (age["center"], age["scale"]) == pytest.approx((ages.mean(), ages.std()))
    assert prepared.train.values[:, 0] == pytest.approx((ages - ages.mean()) / ages.std(), abs=1e-6)


@pytest.mark.parametrize("encoding", ["onehot", "label", "target"])
@pytest.mark.parametrize("strategy", ["token", "mode"])
def test_what_is_shown_is_what_a_training_on_the_same_rows_reads(
    nodes: Nodes, encoding: str, strategy: str
) -> None:
    content = processed(nodes, table(nodes), encoding=encoding, missing_strategy=strategy)
    rows = exported(nodes, content)
    assert set(rows[0]) - {"case_id", "label"} == {
        "age", "age (sign of infinity)",
        *{"onehot": ["sex=f", "sex=m", "site=a", "site=b"],
          "label": ["sex (code)", "site (code)"],
          "target": ["sex (target)", "site (target)"]}[encoding],
        *(["age (missing)"] if strategy == "mode" else []),
        *(["sex (missing)"] if strategy == "mode" and encoding != "label" else []),
    }  # fmt: skip
    fitted = nodes.run(
        "TabularPreprocess", {"encoding": encoding, "missing_strategy": strategy}, dataframe=table(nodes)
    )
    age = fitted["outputs"]["scaler"]["content"]["facts"]["table"]["columns"][0]
    numbers = read_numbers(AGES, ",").values
    for row, number in zip(rows, np.clip(numbers, *age["bounds"]), strict=True):
        filled = age["fill"] if np.isnan(number) else number
        expected = "" if filled is None else np.float32((filled - age["center"]) / age["scale"])
        assert row["age"] == "" if filled is None else float(row["age"]) == pytest.approx(expected)
    if strategy == "mode":
        assert [row["age (missing)"] for row in rows] == ["0", "1", "0", "0", "0", "0", "1", "0"]
    gaps = [row[name] == "" for row in rows for name in row if name.startswith("sex")]
    assert any(gaps) == (strategy == "token")


def test_columns_that_selection_leaves_out_are_not_shown(nodes: Nodes) -> None:
    told = [str(n % 2) for n in range(8)]
    content = processed(
        nodes, table(nodes, told=told), scaling="none",
        feature_selection={"method": "univariate", "keep": 1},
    )  # fmt: skip
    assert list(exported(nodes, content)[0]) == ["case_id", "label", "told"]
    assert kept(nodes, content, 'told = 1 and site = "a"') == ["c1", "c5"], "a filter may name them"


def test_cases_without_settings_are_exported_as_they_are(nodes: Nodes) -> None:
    source = table(nodes)
    assert [row["age"] for row in exported(nodes, source)] == ["20", "", "40", "60", "inf", "30", "", "50"]
    json_rows = exported(nodes, source, "JSON")
    assert json_rows[0]["age"] == 20 and json_rows[1]["age"] is None and json_rows[0]["sex"] == "f"


def test_a_view_is_made_in_pieces(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    content = processed(nodes, table(nodes), encoding="target", missing_strategy="median")
    whole = exported(nodes, content)
    monkeypatch.setattr("medloom_trainer.cases.views.table._CELLS_AT_ONCE", 20)
    assert exported(nodes, content) == whole


def test_a_name_that_is_taken_is_not_hidden(nodes: Nodes) -> None:
    nodes.write("t.csv", "site,site=a\nx,no\na,yes\nx,no\na,yes\n")
    source = nodes.out("dataframe", "LoadTabular", {"path": "t.csv", "label_column": "site=a"})
    first, second, *_ = exported(nodes, processed(nodes, source))
    assert (first["site=a"], first["site=a (processed)"]) == ("no", "0")
    assert (second["site=a"], second["site=a (processed)"]) == ("yes", "1")
