"""Numbers that may be codes for missing values, also if a column has several of them."""

from __future__ import annotations

import pytest

from medloom_trainer.data.checks.values import suspected_dates, suspected_sentinels
from medloom_trainer.data.tables import make_table


def suspected(values: list[float]) -> list[str]:
    table = make_table("t.csv", {"x": [str(value) for value in values]})
    return [found["message"] for found in suspected_sentinels(table, ["x"])]


YEARS = [*range(8, 21)] * 5


@pytest.mark.parametrize("codes", [[99, 98], [-1, -3], [999, 998], [-9], [97]])
def test_codes_are_reported_with_their_counts(codes: list[int]) -> None:
    (message,) = suspected([*YEARS, *codes * 3])
    assert all(f"{code} (3)" in message for code in codes)


@pytest.mark.parametrize(
    "values",
    [
        YEARS,
        [*range(2, 10), *range(10, 60, 5)] * 3,
        [*range(40, 100)],
        [value / 10 for value in range(-50, 50)],
    ],
)
def test_measurements_are_not(values: list[float]) -> None:
    assert suspected(values) == []


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([1_400_000_000 + row * 86_400 for row in range(40)], "seconds or milliseconds since 1970"),
        ([1_400_000_000_123 + row * 86_400_000 for row in range(40)], "seconds or milliseconds since 1970"),
        ([f"{1 + row % 28}{1 + row % 12:02}2011" for row in range(40)], "31012024"),
        ([f"11{1 + row % 12:02}{1 + row % 28:02}" for row in range(40)], "240131"),
        ([f"{2000 + row // 12}{1 + row % 12:02}" for row in range(40)], "202401"),
    ],
)
def test_other_numbers_that_may_be_dates_are_reported(values: list[object], form: str) -> None:
    (found,) = suspected_dates(make_table("t.csv", {"x": [str(value) for value in values]}), ["x"])
    assert form in found["message"] and "40 different numbers" in found["message"]


@pytest.mark.parametrize(
    "values",
    [
        [150_000 + row * 1000 for row in range(40)],  # platelets
        [100_000_000 + row * 1_000_003 for row in range(40)],
        [131 + row for row in range(40)],
    ],
)
def test_other_whole_numbers_are_not_suspected(values: list[int]) -> None:
    assert suspected_dates(make_table("t.csv", {"x": [str(value) for value in values]}), ["x"]) == []


def test_days_of_a_workbook_are_reported() -> None:
    days = make_table("t.csv", {"x": [str(43831 + row * 13) for row in range(40)]})
    (found,) = suspected_dates(days, ["x"])
    assert found["code"] == "DATES_SUSPECTED" and "40 different numbers" in found["message"]
    for other in ([str(7252 + row) for row in range(40)], [str(43831.5 + row) for row in range(40)]):
        assert suspected_dates(make_table("t.csv", {"x": other}), ["x"]) == []
