"""A rehearsal leaves the process as it was, but warm."""

from __future__ import annotations

import os
import random
import sys
import time

import numpy as np
import psutil
import pytest
import torch

from medloom_trainer.training.rehearsal import rehearse
from testing.trainer_process import Prewarmed, write_spec

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
        rehearse()
        assert len(os.listdir("/proc/self/task")) == running
        assert torch.get_num_threads() == 4
        assert torch.equal(torch.get_rng_state(), before[0])
        assert (random.getstate(), np.random.get_state()[1].tolist()) == before[1:]  # noqa: NPY002
    finally:
        torch.set_num_threads(threads)


def test_a_process_that_has_rehearsed_trains_as_any_other(tmp_path, study):
    prewarmed = Prewarmed()
    deadline = time.monotonic() + 60
    while not (spare := psutil.Process(prewarmed.process.pid).children()):
        assert time.monotonic() < deadline, "no spare process is made"
        time.sleep(0.05)
    first = 0
    while first != spare[0].pid:
        if first:
            time.sleep(0.1)
            prewarmed.send(type="dismiss", pid=first)
            prewarmed.ending(first)
        assert time.monotonic() < deadline, "the spare process takes no job"
        first = prewarmed.fork()
    specs = {name: write_spec(tmp_path / name, study) for name in ("rehearsed", "other")}
    prewarmed.send(type="begin", pid=first, spec=str(specs["rehearsed"]))
    other = prewarmed.begin(specs["other"])
    assert [prewarmed.ending(pid) for pid in (first, other)] == ["exit code 0"] * 2
    weights = [list(spec.parent.glob("checkpoints/last/model.*")) for spec in specs.values()]
    assert [path.name for path in weights[0]] == [path.name for path in weights[1]] != []  # names of digests
    assert prewarmed.close() == (0, "")
