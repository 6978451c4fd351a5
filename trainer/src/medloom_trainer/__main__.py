"""python -m medloom_trainer train <spec.json> | spare | worker"""

from __future__ import annotations

import sys
from pathlib import Path

USAGE = "usage: python -m medloom_trainer (train <spec.json> | spare | worker)"


def main(arguments: list[str]) -> int:
    match arguments:
        case ["train", spec_path]:
            from medloom_trainer.job import run_job

            return run_job(Path(spec_path).resolve())
        case ["spare"]:
            from medloom_trainer.spare import main as wait_for_job

            return wait_for_job()
        case ["worker"]:
            from medloom_trainer.worker import main as work

            work()
            return 0
    print(USAGE, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
