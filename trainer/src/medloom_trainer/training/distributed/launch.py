"""A training in several processes. torchrun starts them, and ends all if one fails; this process outlives
them and determines which failed first, and the reason.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.failure import Failure, failure_of
from medloom_trainer.fast_exit import exit_immediately
from medloom_trainer.inference.devices import DeviceRequest, cores

ERROR_FILE = "TORCHELASTIC_ERROR_FILE"
"""Environment variable: the file in which torchrun looks for the failure of a process."""


@dataclass(frozen=True)
class ProcessFailure:
    """Failure of a process of the group."""

    failure: Failure
    epoch: int
    time_ns: int
    """Time of the failure, since the failure of one process causes those of the others."""


def launch(request: DeviceRequest, spec_path: Path) -> ProcessFailure | None:
    """Train in one process for each entry of `request`. → the first failure; None if they ended regularly or
    on request, which the first process has reported if possible
    """
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    size = len(request.processes)
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores() // size)))
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryDirectory(prefix="medloom-launch-") as folder:
        config = LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=size,
            run_id=str(uuid.uuid4()),
            rdzv_backend="c10d",
            rdzv_endpoint="localhost:0",
            local_addr="127.0.0.1",
            max_restarts=0,
            logs_specs=DefaultLogsSpecs(log_dir=folder),
        )
        try:
            elastic_launch(config, sys.executable)("-u", "-m", "medloom_trainer", "train", str(spec_path))
        except SignalException:
            return None
        except ChildFailedError as error:
            return _first([_process_failure(reported, size) for reported in error.failures.values()])
    return None


def exit_failed(failure: Failure, epoch: int) -> None:
    """Report the failure and end this process at once, without waiting: the others may never respond."""
    own = asdict(ProcessFailure(failure, epoch, time.time_ns()))
    # torchrun reads the first two keys.
    document = {"message": failure.message, "timestamp": int(time.time()), "process_failure": own}
    Path(os.environ[ERROR_FILE]).write_text(json.dumps(document), encoding="utf-8")
    exit_immediately(1)


def _first(failures: list[ProcessFailure]) -> ProcessFailure:
    """The failure that caused the others."""
    return min(failures, key=lambda failed: failed.time_ns)


def _process_failure(reported: object, size: int) -> ProcessFailure:
    """reported: torchrun's ProcessFailure."""
    return failure_of_process(
        f"process {reported.local_rank + 1} of {size}",  # type: ignore[attr-defined]
        reported.error_file_data,  # type: ignore[attr-defined]
        reported.exitcode,  # type: ignore[attr-defined]
        # torchrun reports the time at which it noticed the end, within a second of it, in whole seconds.
        killed_ns=(reported.timestamp - 1) * 10**9,  # type: ignore[attr-defined]
    )


def failure_of_process(
    name: str, document: Mapping[str, Any], code: int, *, killed_ns: int
) -> ProcessFailure:
    """Return why the process ended. document: the content written by `exit_failed`, if any. killed_ns: time
    at which it was killed, if it was.
    """
    if "process_failure" in document:
        own = document["process_failure"]
        return ProcessFailure(Failure(**own["failure"]), own["epoch"], own["time_ns"])
    if code < 0 and -code != signal.SIGTERM:
        error = TrainerError(
            "WORKER_LOST", phrase("process_killed", process=name, signal=signal.Signals(-code).name)
        )
        return ProcessFailure(failure_of(error), 0, killed_ns)
    # torchrun itself ends the rest of a group with SIGTERM.
    error = TrainerError("TRAINER_FAILED", phrase("process_ended", process=name, code=str(code)))
    return ProcessFailure(failure_of(error), 0, sys.maxsize)
