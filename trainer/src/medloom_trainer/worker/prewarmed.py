"""A warm trainer: imports first, then waits for one line, the path of a spec.json, and becomes that job's
process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from medloom_trainer.contract.run_directory import RunDirectory


def main() -> int:
    """0 when the input ends without a line: the service has ended, and there is no job."""
    _warm_up()
    line = sys.stdin.readline().strip()
    if not line:
        return 0
    spec_path = Path(line)
    _detach(RunDirectory(spec_path.parent).log)
    from medloom_trainer.training.job import run_job

    return run_job(spec_path)


def _warm_up() -> None:
    """Everything that takes long to import."""
    from medloom_trainer.model.timm_import import import_timm

    import_timm()


def _detach(log: Path) -> None:
    """Output goes to the log of the run and input is closed: the job does not depend on the
    service any more.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(nothing)
    os.close(output)
