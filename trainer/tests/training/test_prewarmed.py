"""The prewarmed trainer: it makes the process of a job, which a first step warms up without changing its
state."""

from __future__ import annotations

import json
import os
import random
import sys
from functools import partial

import numpy as np
import psutil
import pytest
import torch

from medloom_trainer.training.process_warmup import warm_up_process
from testing.contracts import require_contract
from testing.eventually import eventually
from testing.synthetic import events_of
from testing.trainer_process import terminal, write_spec

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux allows a fork here"),
]


def test_random_numbers_and_threads_are_as_if_it_had_not_been():
    threads = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
        running = len(os.listdir("/proc/self/task"))
        warm_up_process()
        assert len(os.listdir("/proc/self/task")) == running
        assert torch.get_num_threads() == 4
        assert torch.equal(torch.get_rng_state(), before[0])
        assert (random.getstate(), np.random.get_state()[1].tolist()) == before[1:]  # noqa: NPY002
    finally:
        torch.set_num_threads(threads)


def test_a_process_that_has_warmed_up_trains_as_any_other(tmp_path, study, prewarmed):
    def next_process(dismissed: list[int]) -> int:
        if dismissed:
            prewarmed.send(type="dismiss", pid=dismissed[-1])
            prewarmed.ending(dismissed[-1])
        dismissed.append(prewarmed.fork())
        return dismissed[-1]

    # No job runs: the only child is the spare process, which takes a job after its warm-up.
    (spare,) = eventually(psutil.Process(prewarmed.process.pid).children)
    first = eventually(partial(next_process, []), lambda pid: pid == spare.pid)
    specs = {name: write_spec(tmp_path / name, study) for name in ("warm", "other")}
    prewarmed.send(type="begin", pid=first, spec=str(specs["warm"]))
    other = prewarmed.begin(specs["other"])
    assert [prewarmed.ending(pid) for pid in (first, other)] == ["exit code 0"] * 2
    weights = [list(spec.parent.glob("checkpoints/last/model.*")) for spec in specs.values()]
    assert [path.name for path in weights[0]] == [path.name for path in weights[1]] != []  # digests as names


def test_a_prewarmed_trainer_makes_a_process_that_trains_evaluates_and_writes_its_log(
    tmp_path, study, prewarmed
):
    spec = write_spec(tmp_path / "run", study, missing_strategy="mean")
    assert prewarmed.ending(prewarmed.begin(spec)) == "exit code 0"
    end = terminal(tmp_path / "run")
    assert (end["status"], end["best_checkpoint"]) == ("completed", "checkpoints/best")
    assert end["best"]["metrics"]["val_auc"] is not None
    assert "prepared" in (tmp_path / "run" / "logs" / "training.log").read_text()
    validation = json.loads((tmp_path / "run" / "metrics" / "validation.json").read_text())
    require_contract(validation, "evaluation")
    assert validation["attempt"] == 1
    assert validation["metrics"]["auc"] == pytest.approx(end["best"]["metrics"]["val_auc"])
    assert (tmp_path / "run" / "metrics" / validation["predictions"]).exists()
    missing = events_of(tmp_path / "run", "prepared")[0]["prepared"]["missing"]
    assert sum(part["columns"]["age"] for part in missing.values()) == 8
    assert validation["missing"] == missing["val"]["columns"]
    phases = [event["phase"] for event in events_of(tmp_path / "run", "phase")]
    assert phases[:4] == ["preparing", "training", "validating", "checkpointing"]
