"""Copies of the process of a test, made by forking: they start at once, since nothing is imported again."""

from __future__ import annotations

import os
import signal
import traceback
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.distributed import TCPStore

from medloom_trainer.jobs.job import run_job
from testing.eventually import eventually


@dataclass
class Forked:
    pid: int

    def exit_code(self) -> int:
        """The code with which it exits; negative: the number of the signal that killed it."""
        try:
            _, status = eventually(lambda: os.waitpid(self.pid, os.WNOHANG), lambda ended: ended[0] != 0)
        except AssertionError:
            self.kill()
            raise
        return os.waitstatus_to_exitcode(status)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def forked(work: Callable[[], object], environment: Mapping[str, str] | None = None) -> Forked:
    """Start a copy of this process that only runs `work`. It exits with the number that `work` returns, with
    0 for None, and with 70 if it raises.
    """
    pid = os.fork()
    if pid == 0:
        code: object = 70
        try:
            os.environ.update(environment or {})
            # The threads of OpenMP are not copied: a process that uses them would wait forever.
            torch.set_num_threads(1)
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code if isinstance(code, int) else 0)
    return Forked(pid)


def forked_job(spec: Path) -> Forked:
    """The process of a job, the first one of a separate process group."""

    def job() -> int:
        os.setsid()
        return run_job(spec)

    return forked(job, {"OMP_NUM_THREADS": "1"})


def train_together(
    spec: Path, errors: Path, *, size: int = 2, before: Callable[[int], object] = lambda rank: None
) -> list[int]:
    """Train in a group of processes with the environment that torchrun sets, and return their exit codes by
    rank.

    errors: the folder in which each writes the reason of its failure, as `<rank>.json`. before: called in
    each process with its rank before the training starts.
    """
    errors.mkdir()
    # It replaces the store of torchrun's agent, which also chooses a free port.
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    shared = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(store.port),
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(size),
        "OMP_NUM_THREADS": "1",
        "TORCHELASTIC_RUN_ID": str(uuid.uuid4()),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RESTART_COUNT": "0",
    }

    def member(rank: int) -> int:
        before(rank)
        return run_job(spec)

    members = [
        forked(
            lambda rank=rank: member(rank),
            {
                **shared,
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "TORCHELASTIC_ERROR_FILE": str(errors / f"{rank}.json"),
            },
        )
        for rank in range(size)
    ]
    return [each.exit_code() for each in members]
