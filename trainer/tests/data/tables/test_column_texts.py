"""Codes and levels of a column agree with its rows."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from medloom_trainer.data.tables import Levels, coded, make_table, read_levels, read_numbers, sorted_codes
from medloom_trainer.data.tables.column_texts import ColumnTexts, take_texts

TEXTS = st.lists(st.sampled_from(["b", "a", "", "NA", "é", "10", "9"]), min_size=1, max_size=30)
NUMBERS = st.lists(
    st.sampled_from(["1", "1.0", "-2", "0.5", "", "NA", "1e3", "inf"]), min_size=1, max_size=30
)


@given(TEXTS, st.data())
def test_taken_rows_have_the_codes_of_a_column_with_their_texts(
    texts: list[str], data: st.DataObject
) -> None:
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=30))
    taken = take_texts(ColumnTexts(texts), np.asarray(rows, dtype=np.int64))
    expected = ColumnTexts([texts[row] for row in rows])
    assert taken == expected
    assert coded(taken)[0] == coded(expected)[0]
    assert coded(taken)[1].tolist() == coded(expected)[1].tolist()


@given(TEXTS)
def test_codes_in_alphabetical_order_are_those_of_numpy(texts: list[str]) -> None:
    assert sorted_codes(texts).tolist() == np.unique(texts, return_inverse=True)[1].tolist()


@given(NUMBERS)
def test_levels_are_the_numbers_of_the_column(texts: list[str]) -> None:
    values = read_numbers(texts, ",").values
    for levels in (read_levels(ColumnTexts(texts), ","), Levels.of(values)):
        np.testing.assert_array_equal(levels.values(), values)
        assert levels.known.tolist() == [not math.isnan(value) for value in values]
        assert levels.ascending.tolist() == sorted(set(values[levels.known].tolist()))
        assert levels.counts(levels.known).sum() == levels.known.sum()


def test_all_rows_of_a_table_are_the_same_columns() -> None:
    table = make_table("t.csv", {"x": ["b", "a"]})
    assert table.take(np.arange(2)).cells["x"] is table.cells["x"]
    assert table.take(np.asarray([1, 0])).cells["x"] == ["a", "b"]
    assert table.take(np.asarray([], dtype=np.int64)).cells["x"] == []
