"""Tables in formats with types become the texts that a CSV would have."""

from __future__ import annotations

import datetime
import gzip
from pathlib import Path

import polars
import pyreadstat
import pytest

from medloom_trainer.data.tables import read_table_file
from medloom_trainer.errors import TrainerError
from testing.recipes import compiled, refused

FRAME = polars.DataFrame(
    {
        "id": ["00123", "B1"],
        "sex": [1.0, 2.0],
        "score": [99.0, 3.5],
        "weight": [None, 7],
        "seen": [datetime.date(2020, 1, 31), None],
        "alive": [True, False],
    }
)
LABELS = {"sex": {1.0: "male", 2.0: "female"}, "score": {99.0: "refused"}}


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.with_columns(small=polars.Series([0.1, None], dtype=polars.Float32)).write_parquet(path)
    table = read_table_file(path, None, None)
    assert table.cells == {
        "id": ["00123", "B1"],
        "sex": ["1", "2"],
        "score": ["99", "3.5"],
        "weight": ["", "7"],
        "seen": ["2020-01-31", ""],
        "alive": ["true", "false"],
        "small": ["0.1", ""],
    }
    assert table.place(1) == ("t.parquet", 3)


@pytest.mark.parametrize(
    ("name", "sex"), [("t.sav", ["male", "female"]), ("t.dta", ["male", "female"]), ("t.xpt", ["1", "2"])]
)
def test_files_of_statistics_programs(tmp_path: Path, name: str, sex: list[str]) -> None:
    """A column whose values all have labels contains these; codes of a few values stay codes."""
    path, frame = tmp_path / name, FRAME.drop("alive")
    if name.endswith(".sav"):
        pyreadstat.write_sav(frame, path, variable_value_labels=LABELS)
    elif name.endswith(".dta"):
        whole = frame.with_columns(polars.col("sex").cast(polars.Int32))
        labels = {"sex": {1: "male", 2: "female"}}
        pyreadstat.write_dta(whole, path, variable_value_labels=labels)
    else:
        pyreadstat.write_xport(frame, path)
    table = read_table_file(path, None, None)
    assert table.cells == {
        "id": ["00123", "B1"],
        "sex": sex,
        "score": ["99", "3.5"],
        "weight": ["", "7"],
        "seen": ["2020-01-31", ""],
    }


def test_a_packed_csv(tmp_path: Path) -> None:
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"id,x\n01,2\n"))
    assert read_table_file(tmp_path / "t.csv.gz", None, None).cells == {"id": ["01"], "x": ["2"]}
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"id,x\n01,2\n")[:-4])
    with pytest.raises(TrainerError) as caught:
        read_table_file(tmp_path / "t.csv.gz", None, None)
    assert caught.value.code == "CSV_MALFORMED"


@pytest.mark.parametrize("name", ["t.parquet", "t.sav", "t.dta", "t.sas7bdat", "t.xpt"])
def test_a_damaged_file_is_refused_with_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PAR1 and nothing else")
    with pytest.raises(TrainerError) as caught:
        read_table_file(tmp_path / name, None, None)
    assert caught.value.code == "DATASET_INVALID" and name in caught.value.message


def test_stacked_files_with_value_labels_in_only_one_are_refused(tmp_path: Path) -> None:
    for name, sex in (("a", [1.0, 2.0]), ("b", [1.0, 9.0])):
        frame = polars.DataFrame({"id": [f"{name}1", f"{name}2"], "sex": sex})
        pyreadstat.write_sav(frame, tmp_path / f"{name}.sav", variable_value_labels={"sex": LABELS["sex"]})
    files = [{"name": "t", "path": "{site}.sav"}]
    message = refused(tmp_path, "DATASET_INVALID", files=files)
    assert '"sex"' in message and "b.sav" in message
    (tmp_path / "b.sav").unlink()
    assert compiled(tmp_path, files=files).table.cells["sex"] == ["male", "female"]
