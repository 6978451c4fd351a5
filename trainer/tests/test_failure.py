"""Codes of what the system says, and what is made in a folder that is gone."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from medloom_trainer.errors import TrainerError
from medloom_trainer.failure import failure_of
from medloom_trainer.files import need_folder, write_json


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "DISK_FULL"),
        (errno.EACCES, "STORAGE_DENIED"),
        (errno.EROFS, "STORAGE_DENIED"),
        (errno.EIO, "STORAGE_FAILED"),
        (errno.EMFILE, "TOO_MANY_FILES"),
        (errno.ENAMETOOLONG, "PATH_TOO_LONG"),
        (errno.ENOENT, "TRAINER_FAILED"),
    ],
)
def test_what_the_system_says_has_a_code_of_its_own(number: int, code: str) -> None:
    failure = failure_of(OSError(number, os.strerror(number), "/data/patient.png"))
    assert failure.code == code
    assert errno.errorcode[number] in failure.message
    assert "patient" not in failure.message


def test_nothing_is_made_in_a_run_directory_that_is_gone(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    need_folder(run)
    write_json(run / "checkpoints" / "manifest.json", {})
    run.rename(tmp_path / "away")
    with pytest.raises(TrainerError) as caught:
        write_json(run / "checkpoints" / "manifest.json", {})
    assert caught.value.code == "RUN_DIRECTORY_MISSING"
    assert not run.exists()
