"""One process of a training, on the node where Ray Train has placed it.

It is a separate process, like one started by torchrun: it forks processes that decode images, which is not
possible in a worker of Ray with its threads.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from medloom_trainer.training.distributed.launch import ERROR_FILE, failure_of_process
from medloom_trainer.worker.parent import PARENT


class MemberFailed(Exception):
    """failure: a ProcessFailure in plain values, so that it can be sent to the process that started the
    group."""

    def __init__(self, failure: dict[str, Any]) -> None:
        super().__init__(failure)
        self.failure = failure


def train_member(order: dict[str, str]) -> None:
    """Run in each worker of Ray Train until its process has ended. Raises MemberFailed."""
    import ray.train
    from ray.train.collective import broadcast_from_rank_zero

    place = ray.train.get_context()
    store = _Rendezvous() if place.get_world_rank() == 0 else None
    host, port = broadcast_from_rank_zero(store and store.address)
    with tempfile.TemporaryDirectory(prefix="medloom-member-") as folder:
        error_file = Path(folder, "error.json")
        environment = {
            **os.environ,
            "TORCHELASTIC_RUN_ID": order["run"],
            "TORCHELASTIC_USE_AGENT_STORE": "True",
            "TORCH_NCCL_ASYNC_ERROR_HANDLING": "1",
            ERROR_FILE: str(error_file),
            "MASTER_ADDR": host,
            "MASTER_PORT": str(port),
            "WORLD_SIZE": str(place.get_world_size()),
            "RANK": str(place.get_world_rank()),
            "LOCAL_RANK": str(place.get_local_rank()),
            PARENT: str(os.getpid()),
        }
        log = ["--log"] if store else []  # the output of the others goes to the logs of Ray
        command = [sys.executable, "-u", "-m", "medloom_trainer", "train", *log, order["spec"]]
        code = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, check=False).returncode
        if code == 0:
            return
        name = f"process {place.get_world_rank() + 1} of {place.get_world_size()}"
        # A killed process precedes its effects on the others, whatever their clocks show.
        failure = failure_of_process(name, _document(error_file), code, killed_ns=0)
        raise MemberFailed(asdict(failure))


class _Rendezvous:
    """Address at which the processes of the group find one another. It is in the worker of the first process,
    so that a port is in use as soon as it is chosen.
    """

    def __init__(self) -> None:
        import ray
        from torch.distributed import TCPStore  # type: ignore[attr-defined]

        host = ray.util.get_node_ip_address()
        self._store = TCPStore(host, 0, is_master=True, wait_for_workers=False)
        self.address = (host, self._store.port)


def _document(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        return dict(json.loads(path.read_text(encoding="utf-8")))
    return {}
