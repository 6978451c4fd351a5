"""A prewarmed trainer: it imports the libraries first, then makes a process for each job that the service
requests (contract/prewarmed-request.schema.json and -reply).

Importing PyTorch and timm takes seconds of a core. On Linux the prewarmed trainer stays and forks: every job
starts in milliseconds, and all jobs share the memory of the imported modules. On other systems a process that
has loaded the frameworks of the system must not fork, so it becomes the job itself.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from pathlib import Path

import psutil

from medloom_trainer.exchange.run_log import log_to_run
from medloom_trainer.model.timm_import import import_timm
from medloom_trainer.worker.fork_server import MARK_VARIABLE, Channel, ForkServer

_SLOW_IMPORTS = (
    "torch._dynamo",  # loaded by the first optimizer
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "medloom_trainer.jobs.job",
    "medloom_trainer.training.process_warmup",
    "medloom_trainer.data.prepare",
    "medloom_trainer.baselines.fit",
    "medloom_trainer.inference.predict",
    "medloom_trainer.evaluation.result",
)
_FORKS = sys.platform == "linux"
_ROOM_FOR_SPARE = 2 << 30
"""Free memory, in bytes, below which there is no spare process; one takes about 0.3 GB."""


def main() -> int:
    """Return 0 when the input ends without a job: the service has ended, or the job is not needed."""
    channel = Channel.of_this_process()
    _import_libraries()
    channel.send({"type": "ready"})
    if _FORKS:
        return ForkServer(channel, run=_run, warm_up=_warm_up_process if _has_room() else None).serve()
    spec_path = _wait_as_one(channel)
    return 0 if spec_path is None else _run(spec_path)


def _run(spec_path: Path) -> int:
    from medloom_trainer.jobs.job import run_job

    log_to_run(spec_path.parent)  # the job no longer depends on the service
    return run_job(spec_path)


def _import_libraries() -> None:
    """Import the libraries without any computation: threads do not survive a fork. The spare process
    computes.

    Imported objects are not garbage. Disabling the collector saves a seventh of the time.
    """
    gc.disable()
    for module in _SLOW_IMPORTS:
        importlib.import_module(module)
    import_timm()
    gc.enable()


def _warm_up_process() -> None:
    from medloom_trainer.training.process_warmup import warm_up_process

    warm_up_process()


def _has_room() -> bool:
    return bool(psutil.virtual_memory().available >= _ROOM_FOR_SPARE)


def _wait_as_one(channel: Channel) -> Path | None:
    """Wait for one job, which this process itself runs."""
    for request in channel.requests():
        if request["type"] == "fork":
            os.environ[MARK_VARIABLE] = request["mark"]
            channel.send({"type": "forked", "pid": os.getpid()})
        elif request["type"] == "begin":
            channel.close()
            return Path(request["spec"])
        else:
            break
    return None
