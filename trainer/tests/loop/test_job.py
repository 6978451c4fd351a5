"""The process of a job, as the service runs it: spec.json in, events, checkpoints and exactly one terminal
event out.
"""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from jsonschema import validate
from PIL import Image

from loop.synthetic import configuration, epochs_of, events_of
from medloom_trainer.control import Control
from medloom_trainer.job import run_job
from medloom_trainer.spec import contract


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """48 cases: a picture that is brighter above for "yes", a number with gaps, a category."""
    folder = tmp_path_factory.mktemp("study")
    random = np.random.default_rng(0)
    rows = []
    for i in range(48):
        yes = i % 2
        pixels = random.integers(0, 120, (32, 32, 3)).astype(np.uint8)
        pixels[:16] += 60 * yes
        Image.fromarray(pixels).save(folder / f"{i}.png")
        age = round(float(random.normal() + yes), 3) if i % 6 else ""
        rows.append([f"{i}.png", f"p{i}", age, "abc"[i % 3], ["no", "yes"][yes]])
    with (folder / "train.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["image", "patient_id", "age", "site", "label"], *rows])
    return folder


@pytest.fixture
def signals() -> Iterator[None]:
    """A job in this process listens to signals; afterwards this process does again."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def write_spec(run_dir: Path, study: Path, *, resume_from: Path | None = None, **changes) -> Path:
    run_dir.mkdir(parents=True)
    spec = {
        "schema_version": 1,
        "job_id": str(uuid.uuid4()),
        "job_name": "test",
        "attempt": 1,
        "run_dir": str(run_dir),
        "cache_dir": str(study / "cache"),
        "roots": [str(study)],
        "resume_from": str(resume_from) if resume_from else None,
        "config": configuration(**{"train_csv": str(study / "train.csv"), "num_workers": 1, **changes}),
    }
    (run_dir / "spec.json").write_text(json.dumps(spec))
    return run_dir / "spec.json"


def start(*arguments: str, **options) -> subprocess.Popen:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "medloom_trainer", *arguments]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, **options)


def train(spec: Path) -> tuple[int, str]:
    process = start("train", str(spec), stdout=subprocess.DEVNULL)
    _, errors = process.communicate(timeout=300)
    return process.returncode, errors


def wait_for(run_dir: Path, kind: str, seconds: float = 120) -> None:
    path, deadline = run_dir / "events.1.jsonl", time.monotonic() + seconds
    while not (
        path.exists() and any(json.loads(line)["type"] == kind for line in path.read_text().splitlines())
    ):
        assert time.monotonic() < deadline, f"no {kind} event came"
        time.sleep(0.05)


def terminal(run_dir: Path) -> dict:
    """The one terminal event: the last line, and what result.json says."""
    events = events_of(run_dir)
    for event in events:
        validate(event, contract("event"))
    ends = [event for event in events if event["type"] in ("completed", "error")]
    assert ends == events[-1:]
    assert json.loads((run_dir / "result.json").read_text()) == ends[0]
    return ends[0]


def test_a_spare_process_takes_a_job_trains_evaluates_and_writes_its_log(tmp_path, study):
    spec = write_spec(tmp_path / "run", study, missing_strategy="mean")
    spare = start("spare", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, errors = spare.communicate(f"{spec}\n", timeout=300)
    assert (spare.returncode, out, errors) == (0, "", "")
    end = terminal(tmp_path / "run")
    assert (end["status"], end["best_checkpoint"]) == ("completed", "checkpoints/best")
    assert end["best"]["metrics"]["val_auc"] is not None
    assert "prepared" in (tmp_path / "run" / "logs" / "training.log").read_text()
    validation = json.loads((tmp_path / "run" / "metrics" / "validation.json").read_text())
    validate(validation, contract("evaluation"))
    assert validation["metrics"]["auc"] == pytest.approx(end["best"]["metrics"]["val_auc"])
    assert (tmp_path / "run" / "metrics" / validation["predictions"]).exists()
    missing = events_of(tmp_path / "run", "prepared")[0]["prepared"]["missing"]
    assert sum(part["columns"]["age"] for part in missing.values()) == 8
    assert validation["missing"] == missing["val"]["columns"]
    phases = [event["phase"] for event in events_of(tmp_path / "run", "phase")]
    assert phases[:4] == ["preparing", "training", "validating", "checkpointing"]


def test_a_spare_that_is_not_needed_goes_away():
    spare = start("spare", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert spare.communicate("", timeout=120) == ("", "")
    assert spare.returncode == 0


@pytest.mark.parametrize("way", [signal.SIGTERM, "control"])
def test_stop_saves_and_resume_completes_it(tmp_path, study, way):
    first = tmp_path / "first"
    process = start("train", str(write_spec(first, study, epochs=5000)), stdout=subprocess.DEVNULL)
    wait_for(first, "epoch_end")
    if way == "control":
        (first / "control.1.json").write_text('{"request": "stop"}')
    else:
        process.send_signal(way)
    process.communicate(timeout=60)
    assert process.returncode == 0
    end = terminal(first)
    assert (end["status"], end["reason"]) == ("stopped", "stopped on request")
    done = len(epochs_of(first))
    assert done >= 1
    if way == "control":
        spec = write_spec(
            tmp_path / "second", study, epochs=done + 1, resume_from=first / "checkpoints" / "last"
        )
        assert train(spec)[0] == 0
        assert terminal(tmp_path / "second")["status"] == "completed"
        assert epochs_of(tmp_path / "second")[:done] == epochs_of(first)


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


def test_two_processes_train_one_model(tmp_path, study):
    code, errors = train(write_spec(tmp_path / "two", study, device="cpu:2", batch_size=7))
    assert code == 0, errors
    end = terminal(tmp_path / "two")
    assert (end["status"], len(epochs_of(tmp_path / "two"))) == ("completed", 2)
    assert events_of(tmp_path / "two", "prepared")[0]["prepared"]["device"] == "cpu:2"


def test_two_processes_compute_what_one_does(tmp_path, study):
    """Without BatchNorm and dropout the same numbers come out: a batch is shared, not multiplied."""
    same = {"vision_backbone": "none", "dropout": 0.0, "batch_size": 8}
    for name, device in (("one", "cpu"), ("two", "cpu:2")):
        code, errors = train(write_spec(tmp_path / name, study, device=device, **same))
        assert code == 0, errors
    for one, two in zip(epochs_of(tmp_path / "one"), epochs_of(tmp_path / "two"), strict=True):
        assert two["metrics"] == pytest.approx(one["metrics"], rel=1e-4)


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
    assert "medloom_trainer/checkpoint.py" in end["trace"]
    assert str(Path(sys.modules["medloom_trainer"].__file__).parents[1]) not in end["trace"]
