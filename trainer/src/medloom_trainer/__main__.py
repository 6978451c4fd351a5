"""python -m medloom_trainer train <spec.json> | prewarmed | worker"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from medloom_trainer import __version__
from medloom_trainer.worker.process_end import end_at_once

_SERVICE_VERSION = "MEDLOOM_VERSION"
"""Set by the service that starts this process; without it somebody else does, who knows what they do."""
_OTHER_VERSION = 78
"""Exit status where the service is of another version, which knows it: EX_CONFIG of sysexits.h."""
_USAGE = "usage: python -m medloom_trainer (train <spec.json> | prewarmed | worker)"


def main(arguments: list[str]) -> int:
    service = os.environ.get(_SERVICE_VERSION, __version__)
    if service != __version__:
        print(f"this trainer is version {__version__}, the service version {service}", file=sys.stderr)
        return _OTHER_VERSION
    match arguments:
        case ["train", spec_path]:
            from medloom_trainer.training.job import run_job

            return run_job(Path(spec_path).resolve())
        case ["prewarmed"]:
            from medloom_trainer.worker.prewarmed import main as wait_for_job

            return wait_for_job()
        case ["worker"]:
            from medloom_trainer.worker.tasks import main as work

            work()
            return 0
    print(_USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    # Read when torch loads. Threads that wait by spinning take the cores from whatever else runs: on two busy
    # cores ResNet-18 learned 7 images/s with spinning and 70 without.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    end_at_once(main(sys.argv[1:]))
