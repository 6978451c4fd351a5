"""Codes of system errors, and new files in a folder that has disappeared."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.events import Events
from medloom_trainer.failure import failure_of, placed
from medloom_trainer.files import loss_of, need_folder, write_atomically, write_json


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


def test_the_terminal_event_has_the_phrases_of_its_error(tmp_path: Path) -> None:
    message = phrase("label_constant", column="grade")
    failure = failure_of(TrainerError("LABEL_INVALID", message, phrase("remove_positive_class")))
    with Events(tmp_path, 1) as events:
        events.error(failure)
    event = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert event["message"] == 'label "grade" has only one value, so there is nothing to learn'
    assert event["message_phrases"] == [{"code": "label_constant", "values": {"column": "grade"}}]
    assert event["details_phrases"] == [{"code": "remove_positive_class"}]


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


def test_the_end_of_a_training_whose_data_folder_moved_is_in_its_event_file(tmp_path: Path) -> None:
    data, away = tmp_path / "data", tmp_path / "away"
    run = data / "runs" / "a"
    run.mkdir(parents=True)
    with Events(run, 1) as events:
        data.rename(away)
        loss = loss_of(run)
        assert loss is not None and loss.code == "DATA_FOLDER_MISSING"
        events.error(failure_of(loss), epoch=2)
    assert not data.exists()
    assert "DATA_FOLDER_MISSING" in (away / "runs" / "a" / "events.1.jsonl").read_text()


def test_a_fault_of_the_machine_names_the_file_in_the_nearest_folder_of_the_training() -> None:
    folders = {Path("/data"): "the root data", Path("/data/run"): "the run directory"}

    def message(file: str | None) -> str:
        return placed(failure_of(OSError(errno.EACCES, "denied", file)), folders).message

    unplaced = message(None)
    assert message("/data/run/metrics/a.json") == f"metrics/a.json in the run directory: {unplaced}"
    assert message("/data/train.csv") == f"train.csv in the root data: {unplaced}"
    assert message("/data/run") == f"the run directory: {unplaced}"
    assert message("/database/a") == unplaced
    # An error of the trainer itself is a defect, and names no file.
    assert failure_of(FileNotFoundError(errno.ENOENT, "", "/data/run/a")).file is None


def test_an_event_of_a_failure_holds_no_path_of_the_machine(tmp_path: Path) -> None:
    with Events(tmp_path, 1) as events:
        events.error(failure_of(OSError(errno.EACCES, "denied", str(tmp_path / "a"))), epoch=0)
    assert str(tmp_path) not in (tmp_path / "events.1.jsonl").read_text()


def test_an_error_of_a_write_names_the_file_that_was_to_be_written(tmp_path: Path) -> None:
    def refuse(_file: object) -> None:
        raise OSError(errno.EIO, "a write to an open file names none")

    with pytest.raises(OSError) as caught:
        write_atomically(tmp_path / "result.json", refuse)
    assert caught.value.filename == str(tmp_path / "result.json")
