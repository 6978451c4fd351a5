"""What is no table that can be read: told by size and sort, before anything of it is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
