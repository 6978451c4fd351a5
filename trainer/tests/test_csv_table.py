"""No text of a CSV becomes a formula, and each is read back unchanged."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medloom_trainer.csv_table import original_text, write_csv
from medloom_trainer.evaluation.result import table_csv

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=1", "\r=1"]


def cells(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8"), newline="")))


@pytest.mark.parametrize("text", FORMULAS)
def test_predictions_hold_no_formula_in_names_labels_or_groups(text: str) -> None:
    header, row = cells(table_csv({f"{text}: truth": [text], "loss": [-0.5]}))
    assert header == [f"'{text}: truth", "loss"]
    assert row == [f"'{text}", "-0.5"]


@given(st.text(alphabet="'=+-@\t\ra1", max_size=6))
def test_each_text_is_read_back_as_it_was(text: str) -> None:
    file = io.BytesIO()
    write_csv(file, ["a", "b"], [[text, "end"]])
    assert original_text(cells(file.getvalue())[1][0]) == text
