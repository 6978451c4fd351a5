"""Dates in the notations of people and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from medloom_trainer.data.tables.dates import are_dates

ROWS = 60


def dates(column: str, text: Callable[[int], str]) -> bool:
    return are_dates(column, Counter(text(row) for row in range(ROWS)))


@pytest.mark.parametrize(
    "text",
    [
        lambda row: f"2020-01-{row % 28 + 1:02}",
        lambda row: f"2020/1/{row % 28 + 1}",
        lambda row: f"2020.01.{row % 28 + 1:02} 10:30",
        lambda row: f"2020年1月{row % 28 + 1}日",
        lambda row: f"2020년 1월 {row % 28 + 1}일",
        lambda row: f"{row % 28 + 1}.12.20",
        lambda row: f"1/{row % 28 + 1}/2020 10:30",
        lambda row: f"{row % 28 + 1}-Jan-2020",
        lambda row: f"{row % 28 + 1:02}MAR2020:11:12:13",
        lambda row: f"{row % 28 + 1}. Dezember 2020",
        lambda row: f"January {row % 28 + 1}, 2020",
        lambda row: f"Jan {2000 + row % 20}",
        lambda row: "0000-00-00" if row % 9 == 0 else f"2020-01-{row % 28 + 1:02}",
        lambda row: "unknown" if row == 0 else f"2020-01-{row % 28 + 1:02}",
        lambda row: f"202001{row % 28 + 1:02}",
        lambda row: f"202001{row % 28 + 1:02}.0",
        lambda row: "00000000" if row % 9 == 0 else f"202001{row % 28 + 1:02}",
        lambda row: "0.0" if row % 9 == 0 else f"202001{row % 28 + 1:02}.0",
        lambda row: f"202001{row % 28 + 1:02}235959",
    ],
)
def test_dates_in_any_column(text: Callable[[int], str]) -> None:
    assert dates("x", text)


@pytest.mark.parametrize("column", ["exam_date", "Visit date", "Geburtsdatum"])
@pytest.mark.parametrize(
    "text",
    [
        lambda row: f"2020{row % 12 + 1:02}",
        lambda row: f"2020-{row % 12 + 1:02}",
        lambda row: f"{row % 28 + 1:02}122020",
        lambda row: f"{row % 28 + 1}122020",
        lambda row: f"12{row % 28 + 1:02}2020",
        lambda row: f"2012{row % 28 + 1:02}",
        lambda row: f"{1_400_000_000 + row * 86_400}",
        lambda row: f"{1_400_000_000_000 + row * 86_400_000}",
        lambda row: f"{43831 + row}.25",
        lambda row: f"{10_000 + row}",
    ],
)
def test_dates_only_in_a_column_with_such_a_name(column: str, text: Callable[[int], str]) -> None:
    assert dates(column, text) and not dates("platelets", text)


@pytest.mark.parametrize("column", ["x", "exam_date", "visit"])
@pytest.mark.parametrize(
    "text",
    [
        lambda row: f"{row % 7}",
        lambda row: f"{2000 + row % 20}",
        lambda row: f"{130 + row % 30}/{80 + row % 9}",
        lambda row: f"{row % 20}.{row % 9}",
        lambda row: f"042_S_{row:04}",
        lambda row: f"12-34-{row:02}",
        lambda row: "0",
        lambda row: "00000000" if row % 3 else f"202001{row % 28 + 1:02}",
        lambda row: f"202001{row % 28 + 20}",
    ],
)
def test_other_values_are_no_dates(column: str, text: Callable[[int], str]) -> None:
    assert not dates(column, text)
