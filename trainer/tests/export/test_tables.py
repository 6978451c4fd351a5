"""Predictions as CSV, JSON and Excel: the written values are read back, and no cell becomes a formula."""

from __future__ import annotations

import csv
import io
import json
import time
import zipfile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medloom_trainer.errors import TrainerError
from medloom_trainer.export import tables
from medloom_trainer.export.tables import WRITERS, typed
from testing.eventually import eventually

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", "\r=1"]
TABLE = {
    "case_id": ["007", "a,b", 'say "no"', "Größe\nzwei"],
    "truth": ["no", "yes", "no", "no"],
    "predicted": ["no", "no", "yes", "no"],
    "probability_no": [0.1, 1 / 3, 1e-20, 1.0],
    "probability_yes": [0.9, 2 / 3, 1.0, 0.0],
}


def written(format, table):
    """The file of a table, whose rows can only be iterated once."""
    file = io.BytesIO()
    WRITERS[format][1](file, list(table), iter(zip(*table.values(), strict=True)))
    return file.getvalue()


def sheet(content: bytes):
    return list(openpyxl.load_workbook(io.BytesIO(content)).active.iter_rows())


def test_csv_keeps_ids_and_full_precision():
    rows = list(csv.DictReader(io.StringIO(written("CSV", TABLE).decode("utf-8"), newline="")))
    assert [row["case_id"] for row in rows] == TABLE["case_id"]
    assert [float(row["probability_no"]) for row in rows] == TABLE["probability_no"]


def test_json_is_one_object_per_case_with_numbers_as_numbers():
    rows = json.loads(written("JSON", TABLE))
    assert rows == [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]


def test_excel_keeps_ids_as_text_and_numbers_as_numbers():
    header, *rows = [[cell.value for cell in row] for row in sheet(written("Excel", TABLE))]
    assert header == list(TABLE)
    assert [row[0] for row in rows] == TABLE["case_id"]
    assert [row[3] for row in rows] == TABLE["probability_no"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_becomes_a_formula(text):
    table = {text: ["x"], "case_id": [text]}
    ((csv_header, csv_id),) = [
        list(csv.reader(io.StringIO(written("CSV", table).decode("utf-8"), newline="")))
    ]
    assert csv_header == [f"'{text}", "case_id"] and csv_id == ["x", f"'{text}"]
    header, row = sheet(written("Excel", table))
    assert header[0].data_type == row[1].data_type == "s"
    assert row[1].value.strip() == text.strip()
    assert json.loads(written("JSON", table)) == [table | {text: "x", "case_id": text}]


def test_negative_numbers_stay_numbers():
    table = {"case_id": ["a"], "predicted": [-1.5]}
    assert written("CSV", table) == b'"case_id","predicted"\n"a",-1.5\n'
    assert sheet(written("Excel", table))[1][1].value == -1.5


@pytest.mark.slow
@pytest.mark.parametrize("format", WRITERS)
def test_the_same_table_gives_the_same_bytes(format):
    first = written(format, TABLE)
    second = int(time.time())  # the properties of a workbook would contain it
    eventually(lambda: int(time.time()), lambda now: now > second)
    assert written(format, TABLE) == first


def test_a_table_that_no_sheet_holds_is_refused(monkeypatch):
    monkeypatch.setattr(tables, "_EXCEL_ROWS", 4)
    with pytest.raises(TrainerError, match="an Excel sheet"):
        written("Excel", TABLE)


def test_an_excel_file_says_nothing_of_when_it_was_made():
    with zipfile.ZipFile(io.BytesIO(written("Excel", TABLE))) as archive:
        assert {facts.date_time for facts in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"dcterms:created" not in archive.read("docProps/core.xml")


SOME_TEXTS = st.lists(st.text(max_size=8), min_size=1, max_size=4)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(SOME_TEXTS)
def test_any_text_can_be_written(texts):
    write_and_read(texts)


@pytest.mark.full
@settings(max_examples=100, deadline=None)
@given(SOME_TEXTS)
def test_any_of_many_texts_can_be_written(texts):
    write_and_read(texts)


def write_and_read(texts):
    table = {"case_id": texts}
    assert [row["case_id"] for row in json.loads(written("JSON", table))] == texts
    assert written("CSV", table) and len(sheet(written("Excel", table))) == len(texts) + 1


def test_types_of_columns_follow_from_their_names():
    texts = {"case_id": ["007"], "truth": ["1"], "predicted": ["0"], "probability_0": ["0.75"]}
    assert typed(texts) == texts | {"probability_0": [0.75]}
    assert typed({"case_id": ["1"], "truth": ["1"], "predicted": ["0.5"]}) == {
        "case_id": ["1"],
        "truth": [1.0],
        "predicted": [0.5],
    }
