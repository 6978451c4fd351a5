"""LoadTabular: the strict reader for CSV, Excel and JSON; every encoding; every refusal with its place."""

from __future__ import annotations

import datetime
import io
import json
import os

import openpyxl
import polars
import pytest

from testing.node_runs import Nodes

ROWS = "patient_id;age;Größe;label\n007;40;1,5;no\n008;;2,25;yes\n009;50;3;no\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252", "iso-8859-1", "iso-8859-15"])
def test_every_encoding_gives_the_same_cases(nodes: Nodes, encoding: str) -> None:
    nodes.write("t.csv", ROWS.encode(encoding))
    cells = nodes.cells(nodes.out("dataframe", "LoadTabular", {"path": "t.csv", "encoding": encoding}))
    assert list(cells)[1:] == ["patient_id", "age", "Größe", "label"]
    assert cells["patient_id"] == ["007", "008", "009"], "ids stay texts"
    assert cells["Größe"] == ["1.5", "2.25", "3"], "the copy is divided by commas"
    assert cells["age"] == ["40", "", "50"], "missing stays missing"


@pytest.mark.parametrize(
    ("encoding", "word"), [("gb18030", "年龄"), ("shift_jis", "年齢"), ("euc-kr", "나이")]
)
def test_east_asian_encodings(nodes: Nodes, encoding: str, word: str) -> None:
    nodes.write("t.csv", f"{word},label\n1,a\n2,b\n".encode(encoding))
    content = nodes.out("dataframe", "LoadTabular", {"path": "t.csv", "encoding": encoding})
    assert content["feature_columns"] == [word]
    assert "row 1" in nodes.refuse("CSV_MALFORMED", "LoadTabular", {"path": "t.csv"}).message


def test_auto_takes_the_byte_order_mark_and_never_guesses(nodes: Nodes) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        nodes.write("t.csv", ROWS.encode(encoding))
        assert "Größe" in nodes.cells(nodes.out("dataframe", "LoadTabular", {"path": "t.csv"}))
    nodes.write("t.csv", ROWS.encode("cp1252"))
    assert "Set the encoding" in nodes.refuse("CSV_MALFORMED", "LoadTabular", {"path": "t.csv"}).details


@pytest.mark.parametrize("source", ["LoadTabular", "LoadDataset"])
def test_what_names_do_not_say_is_named(nodes: Nodes, source: str) -> None:
    nodes.write("t.csv", "subject_no;mri;secret;grade\na;1;5;low\na;2;6;high\nb;3;7;low\n")
    port, at = ("dataframe", "path") if source == "LoadTabular" else ("dataset", "dataset_id")
    named = {"label_column": "grade", "patient_column": "subject_no", "ignore_columns": ["secret"]}
    content = nodes.out(port, source, {at: "t.csv", **named, "positive_class": "low"})
    assert (content["label_column"], content["patient_column"]) == ("grade", "subject_no")
    assert (content["num_patients"], content["classes"]) == (2, ["high", "low"])
    assert content["feature_columns"] == ["mri"]
    assert "secret" not in nodes.cells(content)
    for field, error in [("label_column", "gradee"), ("patient_column", "subject")]:
        refused = nodes.refuse("COLUMN_NOT_FOUND", source, {at: "t.csv", **named, field: error})
        assert error in refused.message


def test_roles_and_columns(nodes: Nodes) -> None:
    nodes.write("t.csv", ROWS)
    result = nodes.run("LoadTabular", {"path": "t.csv"})
    content = result["outputs"]["dataframe"]["content"]
    assert (content["label_column"], content["patient_column"]) == ("label", "patient_id")
    assert content["feature_columns"] == ["age", "Größe"]
    assert (content["task"], content["classes"]) == ("classification", ["no", "yes"])
    assert (content["num_cases"], content["num_patients"]) == (3, 3)
    assert content["image_columns"] == [] and content["images_digest"] is None
    roles = {
        fact["name"]: fact["role"] for fact in result["outputs"]["columns"]["content"]["facts"]["columns"]
    }
    assert roles == {"patient_id": "patient", "age": "numeric", "Größe": "numeric", "label": "label"}


def test_image_cells_become_absolute_and_are_part_of_the_digest(nodes: Nodes) -> None:
    rows = nodes.cases(4)
    nodes.table("sub.csv", rows)
    content = nodes.out("dataframe", "LoadTabular", {"path": "sub.csv"})
    assert content["image_columns"] == ["image"]
    assert nodes.cells(content)["image"][0] == str(nodes.folder / "images/0.png")
    nodes.image("images/0.png", seed=99)
    again = nodes.out("dataframe", "LoadTabular", {"path": "sub.csv"})
    assert again["table"] == content["table"] and again["images_digest"] != content["images_digest"]


def test_the_same_file_gives_the_same_bytes_also_when_touched(nodes: Nodes) -> None:
    path = nodes.write("t.csv", ROWS)
    first = nodes.run("LoadTabular", {"path": "t.csv"})
    os.utime(path, (1, 1))
    assert nodes.run("LoadTabular", {"path": "t.csv"}) == first
    nodes.write("t.csv", "age;patient_id;Größe;label\n40;007;1,5;no\n;008;2,25;yes\n50;009;3;no\n")
    moved = nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})
    assert moved["table"] != first["outputs"]["dataframe"]["content"]["table"], "reordered columns differ"


def test_own_case_ids_are_kept_and_bad_ones_replaced(nodes: Nodes) -> None:
    nodes.write("t.csv", "x,case_id\n1,a\n2,b\n")
    assert nodes.cells(nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})) == {
        "case_id": ["a", "b"],
        "x": ["1", "2"],
    }
    nodes.write("t.csv", "x,case_id\n1,a\n2,a\n")
    result = nodes.run("LoadTabular", {"path": "t.csv"})
    assert "CASE_IDS_REPLACED" in {warning["code"] for warning in result["warnings"]}
    assert len(set(nodes.cells(result["outputs"]["dataframe"]["content"])["case_id"])) == 2


def workbook(*rows: list[object]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_excel_cells_have_one_meaning(nodes: Nodes) -> None:
    day = datetime.datetime(2024, 2, 29)
    nodes.write(
        "t.xlsx",
        workbook(
            ["id", "age", "dose", "seen", "ok", "why"],
            ["007", 40, 1.5, day, True, "#N/A"],
            [],
            ["008", 41.0, None, day.replace(hour=5), False, " x "],
        ),
    )
    cells = nodes.cells(nodes.out("dataframe", "LoadTabular", {"path": "t.xlsx"}))
    assert cells["id"] == ["007", "008"] and cells["age"] == ["40", "41"]
    assert cells["dose"] == ["1.5", ""] and cells["ok"] == ["true", "false"]
    assert cells["seen"] == ["2024-02-29", "2024-02-29T05:00:00"] and cells["why"] == ["", "x"]


@pytest.mark.parametrize(
    ("rows", "place"),
    [
        ([["a", "b"], [1, "=A2+1"]], "cell B2: a formula without a saved value"),
        ([["a", "a"], [1, 2]], 'column "a" occurs 2 times'),
        ([["a", ""], [1, 2]], "cell B2: a value to the right"),
        ([["a", None, "c"], [1, 2, 3]], "field 2 of the header is empty"),
        ([["a"]], "no rows"),
    ],
)
def test_excel_refusals_name_the_place(nodes: Nodes, rows: list[list[object]], place: str) -> None:
    nodes.write("t.xlsx", workbook(*rows))
    assert place in nodes.refuse("DATASET_INVALID", "LoadTabular", {"path": "t.xlsx"}).message


def test_files_that_are_no_workbook(nodes: Nodes) -> None:
    nodes.write("t.xlsx", b"\xd0\xcf\x11\xe0" + bytes(100))
    assert ".xls" in nodes.refuse("DATASET_INVALID", "LoadTabular", {"path": "t.xlsx"}).message
    nodes.write("t.xlsx", "a,b\n1,2\n")
    nodes.refuse("DATASET_INVALID", "LoadTabular", {"path": "t.xlsx"})
    assert nodes.out("dataframe", "LoadTabular", {"path": "t.xlsx", "format": "CSV"})["num_cases"] == 1


def test_a_format_of_any_table_is_named_without_its_extension(nodes: Nodes) -> None:
    nodes.write("export.data", b"")
    polars.DataFrame({"age": [44], "code": ["007"]}).write_parquet(nodes.folder / "export.data")
    table = nodes.out("dataframe", "LoadTabular", {"path": "export.data", "format": "Parquet"})
    assert table["num_cases"] == 1


def test_json_records_and_columns_are_the_same_table(nodes: Nodes) -> None:
    nodes.write("r.json", '[{"age": 1.10, "sex": "f"}, {"age": null, "ok": true}]')
    nodes.write("c.json", '{"age": [1.10, null], "sex": ["f", null], "ok": [null, true]}')
    records = nodes.cells(nodes.out("dataframe", "LoadTabular", {"path": "r.json"}))
    columns = nodes.cells(nodes.out("dataframe", "LoadTabular", {"path": "c.json"}))
    del records["case_id"], columns["case_id"]
    assert records == columns == {"age": ["1.10", ""], "sex": ["f", ""], "ok": ["", "true"]}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[{"a": 1}\n{"a": 2}]', "line 2, column 1"),
        ('[{"a": {"b": 1}}]', 'record 1, "a" is not a string'),
        ('[{"a": 1}, 5]', "record 2 is not an object"),
        ('[{"a": 1, "a": 2}]', 'contains the key "a" twice'),
        ('{"a": [1], "b": [1, 2]}', 'differ in length: "a" 1, "b" 2'),
        ('{"a": 5}', 'column "a" is not a list'),
        ('[{"a": NaN}]', "NaN is not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("5", "neither a list of records"),
        ("[{}]", "no fields"),
    ],
)
def test_json_refusals_name_the_place(nodes: Nodes, text: str, place: str) -> None:
    nodes.write("t.json", text)
    assert place in nodes.refuse("DATASET_INVALID", "LoadTabular", {"path": "t.json"}).message


def test_paths_stay_inside_the_roots(nodes: Nodes) -> None:
    nodes.refuse("PATH_NOT_ALLOWED", "LoadTabular", {"path": "../t.csv"})
    nodes.refuse("FILE_NOT_FOUND", "LoadTabular", {"path": "absent.csv"})
    nodes.write("t.feather", "x")
    assert "use CSV" in nodes.refuse("DATASET_INVALID", "LoadTabular", {"path": "t.feather"}).message


def test_no_cell_reaches_a_message(nodes: Nodes) -> None:
    nodes.write("t.json", json.dumps([{"name": "Jane Roe", "x": {"y": 1}}]))
    assert "Roe" not in nodes.refuse("DATASET_INVALID", "LoadTabular", {"path": "t.json"}).message
