"""Workbooks as people and other programs write them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest

from medloom_trainer.data.tables.excel import read_excel
from medloom_trainer.errors import TrainerError

HEADER = ["patient_id", "age", "grade"]


def workbook(rows: list[list[Any]], edit: Callable[[Any], None] = lambda sheet: None) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    edit(book.active)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def with_sheet(content: bytes, change: Callable[[str], str]) -> bytes:
    """The workbook with a changed text of its sheet."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, change(text.decode()).encode() if "sheet1" in name else text)
    return changed.getvalue()


@pytest.mark.parametrize("dimension", ["A1", "A1:B2"])
def test_a_wrong_dimension_loses_nothing(dimension: str) -> None:
    content = workbook([HEADER, *[[f"P{row}", 40 + row, "low"] for row in range(5)]])
    wrong = with_sheet(
        content, lambda text: re.sub(r'dimension ref="[^"]*"', f'dimension ref="{dimension}"', text)
    )
    table = read_excel(wrong, "t.xlsx")
    assert (table.columns, len(table)) == (tuple(HEADER), 5)


def test_merged_cells_have_their_value_in_each_row() -> None:
    rows = [HEADER, ["P0", 40, "low"], [None, 41, "high"], ["P1", 50, None]]
    table = read_excel(workbook(rows, lambda sheet: sheet.merge_cells("A2:A3")), "t.xlsx")
    assert table.cells["patient_id"] == ["P0", "P0", "P1"]
    assert table.cells["grade"] == ["low", "high", ""]
    (warning,) = table.warnings
    assert (warning["code"], "1 cell " in warning["message"]) == ("MERGED_CELLS_FILLED", True)


def test_titles_above_the_column_names_are_skipped() -> None:
    table = read_excel(workbook([["Registry export"], [], HEADER, ["P0", 40, "low"]]), "t.xlsx")
    assert (table.columns, table.lines.tolist()) == (tuple(HEADER), [4])
    assert [warning["code"] for warning in table.warnings] == ["TITLE_ROWS_SKIPPED"]


def test_a_sheet_of_one_column_has_no_titles() -> None:
    table = read_excel(workbook([["age"], [40], [41]]), "t.xlsx")
    assert (table.cells, table.warnings) == ({"age": ["40", "41"]}, [])


def test_an_empty_result_of_a_formula_is_an_empty_cell() -> None:
    saved = {"C2": "<v>low</v>", "C3": "<v></v>"}

    def with_results(text: str) -> str:
        for cell, value in saved.items():
            text = re.sub(
                rf'<c r="{cell}"[^>]*><f>([^<]*)</f><v ?/?>(</v>)?',
                rf'<c r="{cell}" t="str"><f>\1</f>{value}',
                text,
            )
        return text

    content = workbook([HEADER, ["P0", 40, '=IF(B2>40,"","low")'], ["P1", 41, '=IF(B3>40,"","low")']])
    assert read_excel(with_sheet(content, with_results), "t.xlsx").cells["grade"] == ["low", ""]
    with pytest.raises(TrainerError, match=r"cell C2: a formula without a saved value"):
        read_excel(content, "t.xlsx")
