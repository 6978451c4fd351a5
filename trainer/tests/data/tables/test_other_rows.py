"""Rows that are not cases, and files that are not tables, are refused with their place and a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from medloom_trainer.data.tables import read_csv, read_table_file
from medloom_trainer.errors import TrainerError


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


CASES = "".join(f"P{row},{30 + row},{row % 2}\n" for row in range(8))


@pytest.mark.parametrize(
    "below", ["Total,300,4\n", "Mittelwert,33.5,0.5\n", "Mean:,33.5,\n", ",Summe,4\n", "合计,300,4\n"]
)
def test_a_summary_below_the_rows_is_refused(tmp_path: Path, below: str) -> None:
    with pytest.raises(TrainerError, match="row 10: 1 row at the end is a total") as caught:
        read_csv(written(tmp_path, f"id,age,label\n{CASES}{below}"))
    assert caught.value.details == "Remove these rows from the table."


def test_footnotes_and_several_summaries_are_named_together(tmp_path: Path) -> None:
    with pytest.raises(TrainerError, match="rows 10, 11, 12: 3 rows"):
        read_csv(written(tmp_path, f"id,age,label\n{CASES}Mean,33.5,0.5\nSD,2,0.5\n* Source: registry,,\n"))


@pytest.mark.parametrize(
    "rows",
    [
        "partial,40,0\ntotal,41,1\npartial,42,0\npartial,43,1\ntotal,44,1\n",
        "partial,40,0\npartial,41,1\npartial,42,0\npartial,43,1\ntotal,44,1\n",
        "P1,40,0\nP2,41,1\nMeanwhile,42,0\n",
    ],
)
def test_a_category_that_is_a_word_of_summaries_is_a_value(tmp_path: Path, rows: str) -> None:
    assert len(read_csv(written(tmp_path, f"extent,age,label\n{rows}"))) == rows.count("\n")


def test_column_names_among_the_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainerError, match="row 10: 1 row repeats the column names") as caught:
        read_csv(written(tmp_path, f"id,age,label\n{CASES}id,age,label\n{CASES}"))
    assert caught.value.details == "Remove these rows."
    assert len(read_csv(written(tmp_path, f"P0,age,label\n{CASES}"))) == 8


@pytest.mark.parametrize(
    ("content", "message", "remedy"),
    [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 1\n", "Git LFS", "git lfs pull"),
        ("<!DOCTYPE html><html><body>Sign in</body></html>\n" * 3, "web page", "login"),
        ("\ufeff\n<html>\n<table>\n", "web page", "login"),
        ("HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!\n" * 3, "SAS", "medloom data adopt"),
    ],
)
def test_other_files_are_not_tables_of_one_column(
    tmp_path: Path, content: str, message: str, remedy: str
) -> None:
    with pytest.raises(TrainerError, match=message) as caught:
        read_csv(written(tmp_path, content))
    assert caught.value.code == "CSV_MALFORMED" and remedy in caught.value.details


def test_errors_and_summaries_of_a_workbook(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [("id", "age", "label"), *((f"P{row}", 30 + row, row % 2) for row in range(8))]:
        book.active.append(row)
    book.active["B3"], book.active["B4"] = "#DIV/0!", "#N/A"
    book.save(tmp_path / "t.xlsx")
    table = read_table_file(tmp_path / "t.xlsx", None, None)
    assert table.cells["age"][:4] == ["30", "", "", "33"]
    (found,) = table.warnings
    assert found["code"] == "CELL_ERRORS"
    assert found["message"].startswith("t.xlsx: 2 cells") and found["message"].endswith("B3, B4")
    book.active.append(("Mittelwert", 33.5, 0.5))
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(TrainerError, match="Sheet, row 10: 1 row at the end") as caught:
        read_table_file(tmp_path / "t.xlsx", None, None)
    assert caught.value.code == "DATASET_INVALID"
