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


def test_days_of_a_workbook_are_reported() -> None:
    days = make_table("t.csv", {"x": [str(43831 + row * 13) for row in range(40)]})
    (found,) = suspected_dates(days, ["x"])
    assert found["code"] == "DATES_SUSPECTED" and "40 different numbers" in found["message"]
    for other in ([str(7252 + row) for row in range(40)], [str(43831.5 + row) for row in range(40)]):
        assert suspected_dates(make_table("t.csv", {"x": other}), ["x"]) == []
