"""Tables that cannot be read: refused by size and kind, before their content is read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from medloom_trainer.contract.limits import MOST_COLUMNS
from medloom_trainer.data.tables.json_table import read_json
from medloom_trainer.data.tables.table_files import read_csv, read_table_file
from medloom_trainer.errors import TrainerError


@pytest.mark.parametrize("node", [False, True])
def test_a_pipe_and_a_device_are_not_waited_for(tmp_path: Path, node: bool) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    for name, kind in (("pipe.csv", "named pipe"), ("device.csv", "device")):
        path = tmp_path / name
        with pytest.raises(TrainerError, match=f"{name} is a {kind}") as caught:
            read_table_file(path, None, "auto") if node else read_csv(path)
        assert caught.value.code == "FILE_NOT_REGULAR" and "regular file" in caught.value.details


@pytest.mark.parametrize("node", [False, True])
def test_a_file_far_larger_than_the_memory_is_refused_by_its_size(tmp_path: Path, node: bool) -> None:
    path = tmp_path / "sparse.csv"
    with path.open("wb") as file:
        file.write(b"age,label\n40,yes\n")
        file.truncate(200 * 1024**3)
    with pytest.raises(TrainerError, match=r"sparse\.csv has 214,748,364,800 bytes") as caught:
        read_table_file(path, None, "auto") if node else read_csv(path)
    assert caught.value.code == "TABLE_TOO_LARGE"
    assert "batch" not in caught.value.message + caught.value.details


def _names(count: int, delimiter: str) -> str:
    return delimiter.join(f'"gene {column}"' for column in range(count))


@pytest.mark.parametrize("node", [False, True])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_table_with_too_many_columns_is_refused_by_its_header(
    tmp_path: Path, node: bool, delimiter: str
) -> None:
    path = tmp_path / "wide.csv"
    # The rows are not valid UTF-8 and have another width than the header: they are not read.
    path.write_bytes(f"\n{_names(MOST_COLUMNS + 1, delimiter)}\n".encode() + b"\xff\x81\n")
    with pytest.raises(TrainerError, match=r"wide\.csv, row 2: the header has 25,001 columns") as caught:
        read_table_file(path, None, "auto") if node else read_csv(path)
    assert caught.value.code == "TABLE_TOO_LARGE" and "Remove columns" in caught.value.details


def test_delimiters_in_names_do_not_count_as_columns(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text(f'"{"a,b" * MOST_COLUMNS}\n",{"x;y|" * MOST_COLUMNS},label\n1,2,3\n')
    assert len(read_csv(path).columns) == 3


def test_a_quote_inside_a_name_does_not_join_the_header_with_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "quote.csv"
    path.write_text('height 5",label\n' + "1,2\n" * (MOST_COLUMNS + 1))
    assert read_csv(path).columns == ('height 5"', "label")


def test_a_header_that_is_too_long_to_be_examined_first_is_refused_once_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medloom_trainer.data.tables.table_width._HEADER_BYTES", 100)
    path = tmp_path / "long.csv"
    path.write_text(f"{_names(MOST_COLUMNS + 1, ',')}\n1\n")
    with pytest.raises(TrainerError, match="25,001 columns") as caught:
        read_csv(path)
    assert caught.value.code == "TABLE_TOO_LARGE"


def test_json_has_as_many_columns_as_a_csv() -> None:
    wide = dict.fromkeys(map(str, range(MOST_COLUMNS + 1)), 1)
    lists = {name: [1] for name in wide}
    for document, place in (([wide], "t.json, record 1:"), (lists, "t.json:")):
        with pytest.raises(TrainerError, match=place) as caught:
            read_json(json.dumps(document).encode(), "t.json")
        assert caught.value.code == "TABLE_TOO_LARGE"


@pytest.mark.parametrize("node", [False, True])
@pytest.mark.parametrize(
    ("start", "what", "remedy"),
    [
        (b"PK\x03\x04", "an Excel workbook", "save the sheet as CSV"),
        (b"\x1f\x8b", "compressed with gzip", "Decompress it"),
        (b"PAR1", "a Parquet file", "export the table as CSV"),
        (b"\x89PNG", "an image", "folder that contains them"),
        (b"\x72\x02\x01\x00", "a Stata file", "medloom data adopt"),
        (b"\x69\x01\x01\x00", "a Stata file", "medloom data adopt"),
        (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf", "a SAS file", "medloom data adopt"),
    ],
)
def test_another_format_given_as_csv_has_its_own_remedy(
    tmp_path: Path, node: bool, start: bytes, what: str, remedy: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(start + b"\0\1\n")
    with pytest.raises(TrainerError, match=what) as caught:
        read_table_file(path, None, "auto") if node else read_csv(path)
    assert remedy in caught.value.details and "row" not in caught.value.details


def test_rows_of_another_width_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n1\n1,2\n1,2,3\n4\n")
    with pytest.raises(TrainerError, match=r"row 3: the number of fields is 1.*; other rows .*: 5, 6$"):
        read_csv(path)


def test_keys_that_are_equal_in_one_form_of_unicode_are_refused() -> None:
    composed, divided = "\u00e9t\u00e9", "e\u0301te\u0301"
    for document in ([{composed: 1, divided: 2}], {composed: [1], divided: [2]}):
        with pytest.raises(TrainerError, match="twice in one object"):
            read_json(json.dumps(document).encode(), "t.json")
    table = read_json(json.dumps([{composed: 1}, {divided: 2}]).encode(), "t.json")
    assert table.cells == {composed: ["1", "2"]}
