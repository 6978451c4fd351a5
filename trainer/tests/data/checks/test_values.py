"""Numbers and categories that may be codes for missing values, also if a column has several of them."""

from __future__ import annotations

import pytest

from medloom_trainer.data.checks.values import (
    suspected_categories,
    suspected_dates,
    suspected_gaps,
    suspected_sentinels,
)
from medloom_trainer.data.tables import make_table


def suspected(values: list[float]) -> list[str]:
    table = make_table("t.csv", {"x": [str(value) for value in values]})
    return [found["message"] for found in suspected_sentinels(table, ["x"])]


def spread(low: float, high: float, count: int = 200, digits: int = 0) -> list[float]:
    """Evenly spread values."""
    return [round(low + (high - low) * row / (count - 1), digits) for row in range(count)]


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


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([1, 2, 3, 4, 5], [8, 9]),
        ([0, 1, 2, 3], [8, 9]),
        ([1, 2], [7, 9]),
        ([0, 1], [-1]),
        ([0, 1], [-2]),
        ([0, 1, 2, 3, 4], [-1]),
        (spread(20, 94), [-10, -3, -1]),
        (spread(35, 39, digits=1), [99.9]),
        (spread(15, 40, digits=1), [888.8]),
        (spread(15, 40, digits=1), [1111]),
        (spread(15, 40, digits=1), [1e20]),
        (spread(20, 94), [300]),
        (spread(20, 98), [99]),
        (spread(40, 1200), [999]),
        ([*spread(20, 94), 3000], [888]),
    ],
)
def test_codes_are_judged_by_the_other_values(values: list[float], codes: list[float]) -> None:
    (message,) = suspected([*values * (40 // len(values) or 1), *codes * 30])
    assert [f"{code:.10g} (30)" in message for code in codes] == [True] * len(codes)
    assert message.count("(") == len(codes) + 1


@pytest.mark.parametrize(
    "counts",
    [
        dict.fromkeys(range(1, 10), 20),
        dict.fromkeys(range(0, 11), 20),
        dict.fromkeys(range(0, 7), 20),
        dict.fromkeys(range(1, 6), 20),
        dict.fromkeys(range(3, 16), 20),
        {3: 1, 5: 2, 6: 4, 7: 9, 8: 20, 9: 60, 10: 40},
        {6: 30, 7: 60, 8: 10, 9: 8, 10: 2},
        {90: 2, 91: 1, 92: 3, 93: 5, 94: 8, 95: 15, 96: 30, 97: 60, 98: 80, 99: 50, 100: 20},
        {0: 150, 1: 60, 2: 30, 3: 12, 4: 6, 5: 3, 6: 2, 9: 1},
        {-3: 4, -2: 10, -1: 30, 0: 60, 1: 30, 2: 10, 3: 4},
        {-2: 10, -1: 30, 0: 60, 1: 30, 2: 10},
        {10: 5, 20: 9, 40: 12, 80: 9, 160: 5, 320: 2, 640: 2, 1280: 2},
        {1: 30, 10: 30, 100: 30, 1000: 30, 10000: 30, 100000: 30},
        {1: 20, 2: 24, 3: 38, 4: 110, 5: 115, 6: 26, 7: 17, 8: 24, 24: 132},
        {0: 200, **dict.fromkeys(range(5000, 9000, 100), 1)},
        {4: 11, 6: 7, 8: 14},
        {18 + age: 1 + age % 4 for age in range(82)},
    ],
)
def test_honest_scales_and_counts_are_not_in_question(counts: dict[int, int]) -> None:
    assert suspected([value for value, count in counts.items() for _ in range(count)]) == []


@pytest.mark.parametrize(
    ("texts", "named"),
    [
        (
            ["a", "b", "Not Collected", "[Not Available]", "Unknown"],
            ['"Not Collected" (9)', '"[Not Available]" (9)'],
        ),
        (["ja", "nein", "unklar", "fehlend", "k.A."], ['"unklar"', '"fehlend"', '"k.A."']),
        (["mild", "severe", "-", ".", "NR"], ['"-"', '"."', '"NR"']),
        (["M", "F", "U"], ['"U"']),
        (["yes", "no", "9"], ['"9"']),
        (["yes", "no", "don\u2019t know", "other/unknown"], ['"don\u2019t know"', '"other/unknown"']),
    ],
)
def test_categories_that_may_be_missing_are_reported(texts: list[str], named: list[str]) -> None:
    (found,) = suspected_categories(make_table("t.csv", {"x": texts * 9}), ["x"])
    assert found["code"] == "CATEGORY_MAY_BE_MISSING"
    assert all(text in found["message"] for text in named)
    assert not any(f'"{text}"' in found["message"] for text in ("a", "b", "ja", "nein", "M", "yes", "mild"))


@pytest.mark.parametrize(
    "texts",
    [
        ["-", "+"],
        ["R", "NR"],
        ["DE", "DK", "SE", "NO", "FI"],
        ["0-39g/day", "40-79", "80-119", "120+"],
        ["Unknown"],
    ],
)
def test_other_categories_are_not(texts: list[str]) -> None:
    assert suspected_categories(make_table("t.csv", {"x": texts * 9}), ["x"]) == []


def test_none_among_words_is_in_question() -> None:
    texts = {"x": ["mild", "None", "severe"] * 9, "y": ["1", "None", "2"] * 9, "z": ["a", "NA", "b"] * 9}
    (found,) = suspected_gaps(make_table("t.csv", texts), ["x", "y", "z"])
    assert found["code"] == "NONE_READ_AS_MISSING"
    assert found["message"].startswith('in column "x", "None" is read as a missing value in 9 cases')
