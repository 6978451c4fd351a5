"""python -m medloom_trainer train | group <spec.json> | remote | fetch <folder> | prewarmed | worker"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from medloom_trainer import __version__
from medloom_trainer.fast_exit import exit_immediately

_SERVICE_VERSION = "MEDLOOM_VERSION"
"""Set by the service that starts this process; without it the process was started directly by a user or
another program."""
_OTHER_VERSION = 78
"""Exit status if the service has another version, which the service recognizes: EX_CONFIG of sysexits.h."""
_USAGE = (
    "usage: python -m medloom_trainer"
    " ((train | group) [--log] [--attempt=<number>] <spec.json>"
    " | remote [--wait] | fetch <folder> | prewarmed | worker)"
)


def main(arguments: list[str]) -> int:
    service = os.environ.get(_SERVICE_VERSION, __version__)
    if service != __version__:
        print(
            f"the trainer has version {__version__}, but the service has version {service}", file=sys.stderr
        )
        return _OTHER_VERSION
    match arguments:
        case ["train", *options, spec_path]:
            return _train(options, Path(spec_path).resolve())
        case ["group", *options, spec_path]:
            return _train(options, Path(spec_path).resolve(), on_nodes=True)
        case ["remote", *options]:
            return _remote(options)
        case ["fetch", folder]:
            from medloom_trainer.remote.fetch import fetch_data
            from medloom_trainer.remote.layout import Layout
            from medloom_trainer.remote.order import Order

            attempt = Path(folder)
            return fetch_data(Order.of_environment(), Layout(attempt.parent.parent, attempt.name))
        case ["prewarmed"]:
            from medloom_trainer.worker.prewarmed import main as wait_for_job

            return wait_for_job()
        case ["worker"]:
            from medloom_trainer.worker.tasks import main as work

            work()
            return 0
    print(_USAGE, file=sys.stderr)
    return 2


def _train(options: list[str], spec_path: Path, *, on_nodes: bool = False) -> int:
    """--log: write to the log of the run. --attempt: do nothing if the spec belongs to another attempt.
    on_nodes: in processes on several nodes of a Ray cluster.
    """
    from medloom_trainer.worker.parent import end_with_parent

    end_with_parent(signal.SIGTERM)  # it ends the processes that it has started
    if "--log" in options:
        from medloom_trainer.exchange.run_log import log_to_run

        log_to_run(spec_path.parent)
    from medloom_trainer.jobs.job import run_job

    prefix = "--attempt="
    attempt = next((int(option[len(prefix) :]) for option in options if option.startswith(prefix)), None)
    if not on_nodes:
        return run_job(spec_path, attempt=attempt)
    from medloom_trainer.cluster.group import launch_on_nodes

    return run_job(spec_path, launch_on_nodes, attempt=attempt)


def _remote(options: list[str]) -> int:
    """--wait: wait for a line of input; do not start if the input ends before."""
    if "--wait" in options and not sys.stdin.readline():
        return 0
    from medloom_trainer.remote.run import run_remote

    return run_remote()


if __name__ == "__main__":
    # Read when torch loads. Threads that spin while waiting use cores that other processes need: on two busy
    # cores ResNet-18 learned 7 images/s with spinning and 70 without.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    exit_immediately(main(sys.argv[1:]))
