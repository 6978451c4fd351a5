"""validity.md rule 12: read strictly as text; accepted or refused with the row number."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medloom_trainer.data.tables import Table, read_csv
from medloom_trainer.data.tables.table_files import read_table_file
from medloom_trainer.errors import TrainerError
from medloom_trainer.unicode_text import plain_text


def read(folder: Path, content: bytes | str) -> Table:
    path = folder / "t.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_csv(path)


def refused(folder: Path, content: bytes | str) -> str:
    with pytest.raises(TrainerError) as caught:
        read(folder, content)
    assert caught.value.code == "CSV_MALFORMED"
    return caught.value.message


def test_texts_stay_as_they_are_written(tmp_path: Path) -> None:
    table = read(tmp_path, "id,code,note\n00123,NA,1e5\n1_000,NULL,True\n")
    assert table.cells == {"id": ["00123", "1_000"], "code": ["NA", "NULL"], "note": ["1e5", "True"]}


def test_blanks_around_a_cell_are_no_part_of_it(tmp_path: Path) -> None:
    assert read(tmp_path, "id , x\n P1 , 2\n").cells == {"id": ["P1"], "x": ["2"]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "a,b\n1,2\n1,2,3\n",
            "row 3: the number of fields is 3, but the header has 2; field 3 is unexpected",
        ),
        ("a,b,c\n1,2,3\n1,2\n", "row 3: the number of fields is 2, but the header has 3; field 3 is missing"),
        ('a,b\n1,"two\nlines"\n1\n', "row 4: the number of fields is 1"),
        ('a,b\n1,2\n"open,3\n', "quotes"),
        ('a,b\n"x"y,2\n', "quotes"),
        ("a,,c\n1,2,3\n", "field 2 of the header is empty"),
        ("a,b,a\n1,2,3\n", 'column "a" occurs 2 times'),
        (b"a,b\n1,2\n3,\x00\n", "row 3: a NUL byte"),
        ("", "empty"),
        ("\n\n", "empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"a,b\n1,\x81\n", "row 2: neither UTF-8 nor Windows-1252"),
        (b"\xef\xbb\xbfa,b\n1,\xe9\n", "row 2: not UTF-8, although the file starts with"),
        ("a,b;c\n1,2;3\n", "comma and semicolon are both possible"),
    ],
)
def test_what_cannot_be_told_is_refused_with_its_place(
    tmp_path: Path, content: bytes | str, said: str
) -> None:
    assert said in refused(tmp_path, content)


def test_a_message_about_a_row_does_not_tell_its_values(tmp_path: Path) -> None:
    assert "Smith" not in refused(tmp_path, "name,age\nSmith,40,surplus\n")


@pytest.mark.parametrize(("delimiter", "cell"), [(",", "a;b"), (";", "1,5"), ("\t", "1,5;2")])
def test_the_delimiter_is_the_one_that_gives_every_row_one_width(
    tmp_path: Path, delimiter: str, cell: str
) -> None:
    table = read(tmp_path, f"x{delimiter}y{delimiter}z\n1{delimiter}{cell}{delimiter}2\n")
    assert table.delimiter == delimiter
    assert table.cells["y"] == [cell]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    table = read(tmp_path, "größe,naïve\n1,é\n".encode(encoding))
    assert table.columns == ("größe", "naïve")
    assert table.cells["naïve"] == ["é"]
    assert table.encoding == encoding
    assert bool(table.warnings) == (encoding == "cp1252")


def test_rows_are_counted_as_an_editor_counts_lines(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\r\n1,"x\r\ny"\r\n\r\n2,z\r\n')
    assert table.lines.tolist() == [2, 5]
    assert table.cells["b"] == ["x\r\ny", "z"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(TrainerError) as caught:
            read_csv(path)
        assert caught.value.code == "FILE_NOT_FOUND"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails with EIO")
def test_a_file_that_the_disk_fails_to_read_is_named() -> None:
    for read_it in (read_csv, lambda path: read_table_file(path, "CSV", "auto")):
        with pytest.raises(TrainerError, match=r"^mem cannot be read .*\(Input/output error\)$"):
            read_it(Path("/proc/self/mem"))


texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=12).map(
    str.strip
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(st.lists(texts, min_size=n, max_size=n), min_size=1, max_size=6)
    )
)
def test_what_a_csv_writer_wrote_is_read_again(rows: list[list[str]]) -> None:
    header = [f"column {number}" for number in range(len(rows[0]))]
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])
    with tempfile.TemporaryDirectory() as folder:
        table = read(Path(folder), out.getvalue().encode())
    assert [list(row) for row in zip(*table.cells.values(), strict=True)] == [
        [plain_text(cell) for cell in row] for row in rows
    ]


def test_a_first_line_names_the_delimiter_for_excel(tmp_path: Path) -> None:
    table = read(tmp_path, "sep=;\na;b\n1,5;2\n")
    assert (table.columns, table.cells["a"], table.lines.tolist()) == (("a", "b"), ["1,5"], [3])


def test_vertical_bars_are_a_delimiter(tmp_path: Path) -> None:
    assert read(tmp_path, "a|b\n1|x\n2|y\n").cells == {"a": ["1", "2"], "b": ["x", "y"]}


def test_the_index_of_pandas_has_a_name(tmp_path: Path) -> None:
    assert read(tmp_path, ",a\n0,5\n1,6\n").columns == ("Unnamed: 0", "a")


def test_a_delimiter_at_the_end_of_every_line_is_not_a_column(tmp_path: Path) -> None:
    assert read(tmp_path, "a,b,\n1,x,\n2,y, \n").cells == {"a": ["1", "2"], "b": ["x", "y"]}
    assert "field 3 of the header is empty" in refused(tmp_path, "a,b,\n1,x,\n2,y,z\n")


@pytest.mark.parametrize(
    ("start", "named"),
    [(b"PK\x03\x04", "Excel"), (b"\x1f\x8b", "gzip"), (b"PAR1", "Parquet"), (b"$FL2", "SPSS")],
)
def test_another_format_is_named(tmp_path: Path, start: bytes, named: str) -> None:
    assert named in refused(tmp_path, start + bytes(100))
