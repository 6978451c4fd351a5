"""The reader of large CSVs gives the same tables and the same refusals as the strict reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medloom_trainer.data.tables import Table, plain_csv, read_csv
from medloom_trainer.data.tables.source_text import SourceText
from medloom_trainer.data.tables.table_files import read_text
from medloom_trainer.errors import TrainerError

CELL = st.text(st.sampled_from('a1 .,;"\n\r\t-é\u3000\u2028\x0b'), max_size=4)


def outcome(text: str) -> object:
    try:
        table = read_text(SourceText(text, "utf-8", text.encode()), "t.csv", "")
    except TrainerError as error:
        return error.message
    return table.cells, table.lines.tolist(), table.delimiter, table.warnings


@given(
    st.lists(st.lists(CELL, min_size=1, max_size=4), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t"]),
)
def test_any_text_gives_the_same_result(rows: list[list[str]], delimiter: str) -> None:
    text = "\n".join(["id" + delimiter + "x", *(delimiter.join(row) for row in rows)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_csv, "_FEWEST_CHARACTERS", 10**9)
        strict = outcome(text)
        patch.setattr(plain_csv, "_FEWEST_CHARACTERS", 0)
        assert outcome(text) == strict
        patch.setattr(plain_csv, "_BLOCK_BYTES", 3)
        assert outcome(text) == strict


@pytest.mark.parametrize(
    ("text", "quick"),
    [
        ("id,x\n007,a\n008,\n", True),
        ("id,x\r\n007,a\r\n008,b", True),
        ("id,x\n007,a\n\n008,b\n", False),
        ('id,x\n007,"a"\n', False),
        ("id,x\n007\n008,b,c\n", False),
        ("id,x\n007,a,b\n008\n", False),
        ("id,x\r007,a\r", False),
    ],
)
def test_what_is_not_plain_is_left_to_the_strict_reader(
    text: str, quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_csv, "_FEWEST_CHARACTERS", 0)
    assert (plain_csv.read_plain_rows(SourceText(text, "utf-8"), ",", 2) is not None) == quick


def test_equal_texts_of_a_large_table_are_stored_once(tmp_path: Path) -> None:
    rows = "".join(f"P{row:06d},{row % 7},site {row % 3}\n" for row in range(300_000))
    path = tmp_path / "t.csv"
    path.write_text(f"id,grade,site\n{rows}")
    table: Table = read_csv(path)
    assert table.cells["id"][299_999] == "P299999" and table.lines[-1] == 300_001
    assert len({id(text) for text in table.cells["site"]}) == 3
