"""The origin of cases is always a row of the user's file: after splits, merges and filters, and in
predictions."""

from __future__ import annotations

import csv
import json
from typing import Any

import pytest

from medloom_trainer.contract.case_table import FILE_COLUMN, ROW_COLUMN
from medloom_trainer.data.tables import read_csv
from testing.node_runs import Nodes
from testing.trained_nodes import load_cases, train, written

HEADER = "case_id,patient_id,age,sex,label"


def table(
    nodes: Nodes,
    name: str,
    first: int,
    count: int,
    ages: dict[int, str] | None = None,
    classes: tuple[str, str] = ("no", "yes"),
    **sexes: str,
) -> Any:
    """The cases of a table of patients; ages: row → another age; row5="x": another sex."""
    rows = [
        f"{name}{n},p{first + n},{(ages or {}).get(n + 2, 30 + n)},{sexes.get(f'row{n + 2}', 'mf'[n % 2])},"
        f"{classes[n % 2]}"
        for n in range(count)
    ]
    nodes.write(name, "\n".join([HEADER, *rows]) + "\n")
    return nodes.out("dataframe", "LoadTabular", {"path": name})


def merged(nodes: Nodes, *sources: Any, **config: Any) -> Any:
    inputs = {f"dataset{number}": source for number, source in enumerate(sources, start=1)}
    return nodes.out("merged_dataset", "MergeDatasets", config, **inputs)


def places(nodes: Nodes, content: Any) -> list[tuple[str, int]]:
    cases = nodes.read(content).table
    return [cases.place(row) for row in range(len(cases))]


def blob(nodes: Nodes, facts: dict[str, Any]) -> str:
    path = nodes.folder / "artifacts" / facts["sha256"][:2] / f"{facts['sha256']}{facts['suffix']}"
    return path.read_text(encoding="utf-8")


def prepared(nodes: Nodes, content: Any) -> Any:
    """Data that a training of these cases reads, started like by the service: with the table of the store."""
    digest = content["table"]["sha256"]
    return nodes.prepare(
        model={"vision_backbone": "none"},
        train_csv=str(nodes.folder / "artifacts" / digest[:2] / f"{digest}.csv"),
        label_column="label", patient_column="patient_id", ignore_columns=["case_id"],
    )  # fmt: skip


@pytest.mark.parametrize("strategy", ["concat", "interleave"])
def test_a_merge_a_split_and_a_filter_keep_the_place_of_every_case(nodes: Nodes, strategy: str) -> None:
    both = merged(nodes, table(nodes, "a.csv", 0, 20), table(nodes, "b.csv", 50, 12), merge_strategy=strategy)
    outputs = nodes.run("DataSplit", dataset=both)["outputs"]
    for part in outputs.values():
        kept = nodes.out(
            "filtered_dataset", "FilterData", {"filter_condition": "age > 31"}, dataset=part["content"]
        )
        named = [f"{file}{row - 2}" for file, row in places(nodes, kept)]
        assert named == nodes.cells(kept)["case_id"] and named
        assert not {FILE_COLUMN, ROW_COLUMN} & set(nodes.cells(kept)), "no column of the cases"


def test_a_warning_of_a_training_names_file_and_row_of_the_user(nodes: Nodes) -> None:
    both = merged(
        nodes, table(nodes, "a.csv", 0, 20, {7: "inf"}), table(nodes, "b.csv", 50, 20, {5: "inf"}),
        merge_strategy="interleave",
    )  # fmt: skip
    kept = nodes.out("filtered_dataset", "FilterData", {"filter_condition": "not age < 32"}, dataset=both)
    warnings = {found["code"]: found["message"] for found in prepared(nodes, kept).summary["warnings"]}
    told = warnings["INFINITE_NUMBERS"]
    assert "5 of b.csv" in told and "7 of a.csv" in told and "a.csv and b.csv" in told


def test_behind_a_split_the_file_is_named_once(nodes: Nodes) -> None:
    source = table(nodes, "study.csv", 0, 30, {9: "inf", 12: "inf", 20: "inf"})
    part = nodes.out("train_dataset", "DataSplit", {"seed": 1}, dataset=source)
    inside = [row for row in (9, 12, 20) if ("study.csv", row) in places(nodes, part)]
    warnings = {found["code"]: found["message"] for found in prepared(nodes, part).summary["warnings"]}
    assert (
        f"study.csv, row{'s' if len(inside) > 1 else ''} {', '.join(map(str, inside))}"
        in (warnings["INFINITE_NUMBERS"])
    )


def test_a_warning_of_an_evaluation_behind_a_merge_names_file_and_row(nodes: Nodes) -> None:
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    both = merged(nodes, table(nodes, "a.csv", 100, 6), table(nodes, "b.csv", 200, 6, row4="x"))
    warnings = nodes.run("EvaluateModel", model=model, test_dataset=both)["warnings"]
    (told,) = [found["message"] for found in warnings if found["code"] == "UNSEEN_CATEGORIES"]
    assert told.endswith("a.csv and b.csv, row 4 of b.csv")


def test_predictions_name_file_row_split_and_patient(nodes: Nodes) -> None:
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    both = merged(
        nodes, table(nodes, "a.csv", 100, 10), table(nodes, "b.csv", 200, 10, classes=("yes", "no")),
        merge_strategy="interleave",
    )  # fmt: skip
    shares = {"train_ratio": 0.1, "val_ratio": 0.1, "test_ratio": 0.8}
    test = nodes.out("test_dataset", "DataSplit", shares, dataset=both)
    outputs = nodes.run("EvaluateModel", model=model, test_dataset=test)["outputs"]
    predictions = outputs["predictions"]["content"]
    kept = nodes.out("filtered_dataset", "FilterData", {"filter_condition": "row > 2"}, dataset=predictions)
    exported = nodes.out("export_path", "ExportPredictions", predictions=kept)
    rows = list(csv.DictReader(written(nodes, exported).read_text(encoding="utf-8").splitlines()))
    assert rows and {row["split"] for row in rows} == {"test"}
    for row in rows:
        number = int(row["row"]) - 2
        first = {"a.csv": 100, "b.csv": 200}[row["file"]]
        assert (row["case_id"], row["patient"]) == (f"{row['file']}{number}", f"p{first + number}")
    failures = json.loads(blob(nodes, outputs["metrics"]["content"]["document"]))["failures"]
    every = csv.DictReader(blob(nodes, predictions["table"]).splitlines())
    wrong = {(row["file"], row["row"]) for row in every if row["correct"] == "false"}
    assert wrong, "alike in both tables, and labeled differently"
    assert {(case["file"], str(case["row"])) for case in failures} <= wrong


def test_columns_of_these_names_that_say_something_else_are_columns(nodes: Nodes) -> None:
    for row in ("", "first", "-3", "1.5"):
        path = nodes.write("own.csv", f"{FILE_COLUMN},{ROW_COLUMN},age\na.csv,{row},3\n")
        assert read_csv(path).columns == (FILE_COLUMN, ROW_COLUMN, "age"), row
        assert read_csv(path).place(0) == ("own.csv", 2)
