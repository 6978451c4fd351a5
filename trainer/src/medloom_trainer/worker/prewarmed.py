"""A prewarmed trainer: it imports first, then makes the process of each job that the service asks for
(contract/prewarmed-request.schema.json and -reply).

Importing PyTorch and timm takes seconds of a core. On Linux the prewarmed trainer stays and forks: a job
starts in milliseconds, however many follow each other, and all share the memory of what is imported.
Elsewhere a process that has loaded the frameworks of the system must not fork: it becomes the job itself.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from pathlib import Path

import psutil

from medloom_trainer.model.timm_import import import_timm
from medloom_trainer.worker.fork_server import MARK_VARIABLE, Channel, ForkServer
from medloom_trainer.worker.run_log import log_to_run

_SLOW_IMPORTS = (
    "torch._dynamo",  # loaded by the first optimizer
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "medloom_trainer.training.job",
    "medloom_trainer.training.rehearsal",
    "medloom_trainer.data.prepare",
    "medloom_trainer.baselines.fit",
    "medloom_trainer.evaluation.predict",
    "medloom_trainer.evaluation.result",
)
_FORKS = sys.platform == "linux"
_ROOM_FOR_SPARE = 2 << 30
"""Bytes of free memory below which no process is kept spare; it takes about 0.3 GB."""


def main() -> int:
    """0 when the input ends without a job: the service has ended, or the job is not needed."""
    channel = Channel.of_this_process()
    _warm_up()
    channel.send({"type": "ready"})
    if _FORKS:
        return ForkServer(channel, run=_run, rehearse=_rehearse if _has_room() else None).serve()
    spec_path = _wait_as_one(channel)
    return 0 if spec_path is None else _run(spec_path)


def _run(spec_path: Path) -> int:
    from medloom_trainer.training.job import run_job

    log_to_run(spec_path.parent)  # the job does not depend on the service any more
    return run_job(spec_path)


def _warm_up() -> None:
    """Imports, and nothing that computes: threads do not survive a fork. The spare process computes.

    Nothing of what is imported is garbage: not to look for it saves a seventh of the time.
    """
    gc.disable()
    for module in _SLOW_IMPORTS:
        importlib.import_module(module)
    import_timm()
    gc.enable()


def _rehearse() -> None:
    from medloom_trainer.training.rehearsal import rehearse

    rehearse()


def _has_room() -> bool:
    return bool(psutil.virtual_memory().available >= _ROOM_FOR_SPARE)


def _wait_as_one(channel: Channel) -> Path | None:
    """This process is the one that takes the job."""
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
