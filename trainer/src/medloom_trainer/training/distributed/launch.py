"""A training in several processes. torchrun starts them, and ends all when one fails; this process, which
outlives them, learns which failed first and why.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

from medloom_trainer.errors import TrainerError
from medloom_trainer.failure import Failure, failure_of
from medloom_trainer.training.distributed.group import Request, cores

ERROR_FILE = "TORCHELASTIC_ERROR_FILE"
"""Names the file in which torchrun looks for the words of a process that failed."""


@dataclass(frozen=True)
class LastWords:
    """What a process of the group said before it ended itself."""

    failure: Failure
    epoch: int
    nanoseconds: int
    """When: the failure of one process makes those of the others."""


def is_member() -> bool:
    """Whether torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def launch(request: Request, spec_path: Path) -> LastWords | None:
    """Train in one process per entry of `request`. None: they ended by themselves, or were asked to; the
    first of them has told how, if it could.
    """
    from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    size = len(request.processes)
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores() // size)))
    sys.stdout.flush()
    sys.stderr.flush()
    with tempfile.TemporaryDirectory(prefix="medloom-launch-") as words:
        config = LaunchConfig(
            min_nodes=1,
            max_nodes=1,
            nproc_per_node=size,
            run_id=str(uuid.uuid4()),
            rdzv_backend="c10d",
            rdzv_endpoint="localhost:0",
            local_addr="127.0.0.1",
            max_restarts=0,
            logs_specs=DefaultLogsSpecs(log_dir=words),
        )
        try:
            elastic_launch(config, sys.executable)("-u", "-m", "medloom_trainer", "train", str(spec_path))
        except SignalException:
            return None
        except ChildFailedError as error:
            return first_words([_words_of(failure, size) for failure in error.failures.values()])
    return None


def leave(failure: Failure, epoch: int) -> None:
    """Say why and end this process at once. Nothing is waited for: the others may never answer again."""
    words = asdict(LastWords(failure, epoch, time.time_ns()))
    # torchrun reads the first two.
    document = {"message": failure.message, "timestamp": int(time.time()), "words": words}
    Path(os.environ[ERROR_FILE]).write_text(json.dumps(document), encoding="utf-8")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def first_words(said: list[LastWords]) -> LastWords:
    """Of those who failed, the one whose failure made the others'."""
    return min(said, key=lambda words: words.nanoseconds)


def _words_of(failure: object, size: int) -> LastWords:
    """failure: torchrun's ProcessFailure."""
    data, code = failure.error_file_data, failure.exitcode  # type: ignore[attr-defined]
    who = f"process {failure.local_rank + 1} of {size}"  # type: ignore[attr-defined]
    if "words" in data:
        words = data["words"]
        return LastWords(Failure(**words["failure"]), words["epoch"], words["nanoseconds"])
    if code < 0 and -code != signal.SIGTERM:
        # The time is when torchrun saw it, within a second of the death, in whole seconds.
        error = TrainerError("WORKER_LOST", f"{who} was killed ({signal.Signals(-code).name})")
        return LastWords(failure_of(error), 0, (failure.timestamp - 1) * 10**9)  # type: ignore[attr-defined]
    # torchrun itself ends what is left of a group with SIGTERM.
    error = TrainerError("TRAINER_FAILED", f"{who} ended with exit code {code} and did not say why")
    return LastWords(failure_of(error), 0, sys.maxsize)
