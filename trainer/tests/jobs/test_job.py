"""The process of a job, run like by the service: spec.json in, events, checkpoints and exactly one terminal
event out.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from medloom_trainer.__main__ import main
from medloom_trainer.exchange.control import Control
from medloom_trainer.jobs.job import run_job
from testing.contracts import require_contract
from testing.eventually import eventually
from testing.forked import forked_job
from testing.medical_files import nifti_file
from testing.synthetic import epochs_of, events_of
from testing.trainer_process import terminal, wait_for, write_spec

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]


def test_log_and_status_say_how_volumes_became_views(tmp_path, signals, capsys):
    study = tmp_path / "study"
    study.mkdir()
    random = np.random.default_rng(0)
    for case in range(16):
        nifti_file(study / f"{case}.nii", random.integers(0, 900, (8, 9, 10)).astype(np.int16))
    rows = [f"{case}.nii,p{case},{case % 5},{'ab'[case % 2]}" for case in range(16)]
    (study / "train.csv").write_text("\n".join(["image,patient_id,age,label", *rows, ""]))
    slices = {"count": 2, "axis": "coronal", "spread": "volume"}
    assert run_job(write_spec(tmp_path / "run", study, epochs=1, slices=slices)) == 0
    said = "VOLUMES_AS_SLICES: 16 volumes are read as 2 coronal slices, evenly spaced over their whole extent"
    assert said in capsys.readouterr().out
    (event,) = events_of(tmp_path / "run", "prepared")
    assert event["prepared"]["volumes"] == {"count": 16, "slices": slices}
    require_contract(event, "event")


def test_a_signal_stops_the_process_of_a_job_and_it_saves(tmp_path, study):
    run_dir = tmp_path / "run"
    process = forked_job(write_spec(run_dir, study, epochs=5000))
    wait_for(run_dir, "epoch_end")
    os.kill(process.pid, signal.SIGTERM)
    assert process.exit_code() == 0
    end = terminal(run_dir)
    assert (end["status"], end["reason"]) == ("stopped", "stopped on request")
    assert end["reason_phrases"] == [{"code": "stopped_on_request"}]
    assert (run_dir / end["best_checkpoint"] / "checkpoint.json").exists()


def test_a_request_to_stop_saves_and_resume_completes_it(tmp_path, study, signals):
    first, second = tmp_path / "first", tmp_path / "second"

    def stop() -> None:
        wait_for(first, "epoch_end")
        (first / "control.1.json").write_text('{"request": "stop"}')

    spec = write_spec(first, study, epochs=5000)
    service = threading.Thread(target=stop)
    service.start()
    assert run_job(spec) == 0
    service.join()
    end = terminal(first)
    assert (end["status"], end["reason"]) == ("stopped", "stopped on request")
    done = len(epochs_of(first))
    assert done >= 1
    spec = write_spec(second, study, epochs=done + 1, resume_from=first / "checkpoints" / "last")
    assert run_job(spec) == 0
    assert terminal(second)["status"] == "completed"
    assert epochs_of(second)[:done] == epochs_of(first)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_both_signals_mean_stop(tmp_path, signals, number):
    control = Control(tmp_path, 1)
    control.listen_to_signals()
    assert not control.stops()
    os.kill(os.getpid(), number)
    assert control.stops()


@pytest.mark.parametrize("content", ["{", "{}", '{"attempt": 3, "schema_version": 1}'])
def test_a_spec_that_cannot_be_used_is_an_error_event_beside_it(tmp_path, content):
    (tmp_path / "spec.json").write_text(content)
    assert run_job(tmp_path / "spec.json") == 1
    assert json.loads((tmp_path / "result.json").read_text())["code"] in ("INVALID_JSON", "INVALID_CONFIG")


@pytest.mark.parametrize(
    ("what", "attempt", "begins"), [("train", 1, True), ("train", 2, False), ("group", 2, False)]
)
def test_a_process_that_begins_late_leaves_an_attempt_that_is_not_its_own_alone(
    tmp_path, signals, what, attempt, begins
):
    run_dir = tmp_path / "run"
    spec = write_spec(run_dir, tmp_path, train_csv=str(tmp_path / "absent.csv"))
    assert main([what, f"--attempt={attempt}", str(spec)]) == (1 if begins else 75)
    assert (run_dir / "events.1.jsonl").exists() == begins
    assert (run_dir / "result.json").exists() == begins


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"train_csv": "absent.csv"}, None),
        ({"device": "cuda:63"}, "DEVICE_UNAVAILABLE"),
        ({"batch_size": 60_000}, "BATCH_TOO_LARGE"),
        ({"pretrained": "weights.pth"}, "WEIGHTS_UNAVAILABLE"),
        ({"class_weights": {"no": 1, "perhaps": 2}}, "INVALID_CONFIG"),
        ({"learning_rate": -1}, "INVALID_CONFIG"),
        ({"learning_rate": 10, "optimizer": "sgd", "gradient_clip": None, "epochs": 40}, "LOSS_NOT_FINITE"),
    ],
)
def test_what_goes_wrong_is_one_error_event_with_a_code_and_a_remedy(
    tmp_path, study, capfd, signals, changes, code
):
    status = run_job(write_spec(tmp_path / "run", study, **changes))
    end = terminal(tmp_path / "run")
    assert (status, end["type"]) == (1, "error")
    assert end["code"] == (code or end["code"])
    assert end["message"]
    assert end["details"]
    assert end["trace"] is None
    assert end["code"] in capfd.readouterr().err


def test_an_unforeseen_failure_shows_its_trace_without_folders_of_the_machine(tmp_path, study, signals):
    spec = write_spec(tmp_path / "run", study)
    (tmp_path / "run" / "checkpoints").write_text("a file where a folder belongs")
    assert run_job(spec) == 1
    end = terminal(tmp_path / "run")
    assert end["code"] == "TRAINER_FAILED"
    assert "medloom_trainer/inference/checkpoint.py" in end["trace"]
    assert str(Path(sys.modules["medloom_trainer"].__file__).parents[1]) not in end["trace"]


def test_a_training_beats_with_every_batch_and_stands_still_while_it_hangs(tmp_path, study):
    run_dir = tmp_path / "run"
    process = forked_job(write_spec(run_dir, study, epochs=5000))
    try:
        wait_for(run_dir, "epoch_end")

        def beat() -> dict:
            return json.loads((run_dir / "heartbeat.1.json").read_text())

        first = beat()["steps"]
        eventually(beat, lambda found: found["steps"] >= first + 10)
        assert beat()["process"].startswith(f"process {process.pid} on ")
        assert beat()["patience_seconds"] >= 60
        os.kill(process.pid, signal.SIGSTOP)
        held = psutil.Process(process.pid)
        eventually(held.status, lambda status: status == psutil.STATUS_STOPPED)
        steps, file = beat()["steps"], run_dir / "heartbeat.1.json"
        # During training it is written once per second.
        eventually(lambda: time.time() - file.stat().st_mtime, lambda age: age > 1.5)
        assert beat()["steps"] == steps
    finally:
        os.kill(process.pid, signal.SIGCONT)
        os.kill(process.pid, signal.SIGTERM)
        process.exit_code()


def test_a_spec_that_is_gone_creates_no_folder(tmp_path, capsys):
    assert run_job(tmp_path / "runs" / "a" / "spec.json") == 1
    assert not (tmp_path / "runs").exists()
    assert "spec.json" in capsys.readouterr().err


def test_a_run_directory_that_moves_during_a_training_ends_with_its_code(tmp_path, study, signals):
    run_dir, away = tmp_path / "run", tmp_path / "away"

    def move() -> None:
        wait_for(run_dir, "epoch_end")
        run_dir.rename(away)

    spec = write_spec(run_dir, study, epochs=5000)
    mover = threading.Thread(target=move)
    mover.start()
    assert run_job(spec) == 1
    mover.join()
    assert not run_dir.exists()
    last = json.loads((away / "events.1.jsonl").read_text().splitlines()[-1])
    assert (last["type"], last["code"]) == ("error", "RUN_DIRECTORY_MISSING")
