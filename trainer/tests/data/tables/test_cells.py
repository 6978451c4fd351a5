"""Values of a typed column that count as missing, as a number, and as neither."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medloom_trainer.data.tables import (
    are_codes,
    bounded,
    complete_rows,
    in_plain_notation,
    is_missing,
    make_table,
    name_rows,
    read_numbers,
    stack,
)
from medloom_trainer.data.tables.numbers import forms_of


@pytest.mark.parametrize("text", ["", "NA", "n/a", "NaN", "null", "None", "?"])
def test_missing(text: str) -> None:
    assert is_missing(text)
    assert math.isnan(read_numbers([text], ",").values[0])
    assert read_numbers([text], ",").texts == []


@pytest.mark.parametrize("text", ["UNK", "0", "False", "unknown", "-"])
def test_not_missing(text: str) -> None:
    assert not is_missing(text)


@pytest.mark.parametrize(
    ("texts", "delimiter", "values"),
    [
        (["1.5", "-2", "+3e-2", ".5", "4."], ",", [1.5, -2, 0.03, 0.5, 4]),
        (["1,5", "2", "-0,25"], ";", [1.5, 2, -0.25]),
        (["1,5", "2,25"], ",", [1.5, 2.25]),
        (["1,500"], ";", [1.5]),
        (["\u22120.37", "\u20130.2"], ",", [-0.37, -0.2]),
        (["12 %", "3.5%"], ",", [12, 3.5]),
        (["$1,234.50", "$3"], ",", [1234.5, 3]),
        (["1,234.5", "12,000"], ",", [1234.5, 12000]),
        (["1.234,5", "2,5"], ";", [1234.5, 2.5]),
        (["12 345", "1'234"], ",", [12345, 1234]),
        (["058Y", "7Y"], ",", [58, 7]),
        (["\u2212 1.5", "\ufe632", "\uff0d3", "- 4", "5"], ",", [-1.5, -2, -3, -4, 5]),
        (["5 mg", "1.96mg", "<3 mg"], ",", [5, 1.96, 3]),
        (["1,5 mg/dL", "2,25 mg/dl"], ",", [1.5, 2.25]),
        (["19 years old", "7 years old"], ",", [19, 7]),
        (["4.2x10^9/L", "5 x10^9/L"], ",", [4.2, 5]),
        (["USD 1.5", "usd 2"], ",", [1.5, 2]),
        (["90 mL/min/1.73m2", "60 mL/min/1.73 m2"], ",", [90, 60]),
    ],
)
def test_numbers_and_the_decimal_comma(texts: list[str], delimiter: str, values: list[float]) -> None:
    numbers = read_numbers(texts, delimiter)
    assert numbers.values.tolist() == values
    assert numbers.texts == []


@pytest.mark.parametrize(
    "texts",
    [
        ["1,500", "2,000"],
        ["1,5", "1.5"],
        ["1_000"],
        ["0x1f"],
        ["12 mm", "3"],
        ["12 mm", "3 cm"],
        ["042S", "043S"],
        ["2D", "3D"],
        ["1,5,0"],
        ["True"],
        ["12%", "0.5"],
        ["$5", "5%"],
        ["900000000000000001"],
    ],
)
def test_what_could_mean_two_things_is_no_number(texts: list[str]) -> None:
    assert read_numbers(texts, ",").texts


@pytest.mark.parametrize(
    ("texts", "codes"),
    [(["1E10", "2E05"], True), (["1E10", "2.5"], False), (["1e5", "1e-5"], False), (["5", "7"], False)],
)
def test_exponents_alone_are_codes(texts: list[str], codes: bool) -> None:
    assert are_codes(texts) == codes


def test_a_copy_has_numbers_in_plain_notation() -> None:
    assert in_plain_notation(["$1,234.50", "$3", ""], ",") == ["1234.50", "3", ""]
    assert in_plain_notation(["<5 %", "7 %"], ",") == ["<5", "7"]
    assert in_plain_notation(["5 %", "low"], ",") == ["5 %", "low"]


def test_values_people_have() -> None:
    numbers = read_numbers(["89+", ">89", "<0.1", "inf", "-Infinity", "1e999", "7"], ",")
    np.testing.assert_array_equal(numbers.values, [89, 89, 0.1, np.inf, -np.inf, np.inf, 7])
    assert (numbers.censored, numbers.infinite, numbers.texts) == ([0, 1, 2], [3, 4, 5], [])


def test_infinity_is_no_gap() -> None:
    table = make_table("t.csv", {"age": ["1", "inf", ""]})
    assert complete_rows(table, ["age"], []).tolist() == [0, 1]
    assert bounded(np.asarray([1.0, np.inf, -np.inf, 5, np.nan])).tolist()[:4] == [1, 5, 1, 5]


def test_forms_tell_no_value() -> None:
    assert forms_of(["12 mm", "Jane", "47 mm"]) == '"99 aa", "aaaa"'


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_comes_back(value: float) -> None:
    assert read_numbers([repr(value)], ",").values[0] == value


def test_rows_are_named_up_to_twenty() -> None:
    table = make_table("t.csv", {"age": ["1"] * 100})
    assert name_rows(table, [0]) == "row 2"
    assert name_rows(table, range(25)).endswith("20, 21 and 5 more")


def test_rows_of_several_files_are_named_by_their_place_in_each() -> None:
    parts = [
        replace(make_table(name, {"age": ["1"] * len(lines)}), lines=np.asarray(lines))
        for name, lines in (("train.csv", [2, 3, 7]), ("test.csv", [2, 5]))
    ]
    table = stack(parts, name="study")
    assert name_rows(table, [2, 4]) == "rows 7 of train.csv, 5 of test.csv"
    assert name_rows(table.take(np.asarray([3])), [0]) == "row 2 of test.csv"


def test_complete_rows_have_every_value() -> None:
    table = make_table("t.csv", {"x": ["1", "", "3", "inf"], "c": ["a", "b", "", "a"]})
    assert complete_rows(table, ["x"], ["c"]).tolist() == [0, 3]
    assert complete_rows(table, ["x"], []).tolist() == [0, 2, 3]
    assert complete_rows(table, [], []).tolist() == [0, 1, 2, 3]
