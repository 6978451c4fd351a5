"""The only module that uses Ray: the nodes of a cluster, and workers on them as actors.

Actors are not detached: they end with this process, however it ends.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from medloom_trainer.durations import WORKER_END_TIMEOUT
from medloom_trainer.worker.gateway import node_worker


class WorkerLost(Exception):
    """The worker, or its node, ended before the task did."""


@dataclass(frozen=True)
class Node:
    """Node of a Ray cluster."""

    id: str
    address: str
    cpus: int


class RayCluster:
    """Connection to a Ray cluster that starts workers on its nodes."""

    def __init__(self, address: str, python: str, environment: Mapping[str, str]) -> None:
        """python: the interpreter on the nodes that has the trainer installed; Ray may run in another one.

        Raises Ray's errors if the cluster cannot be reached.
        """
        import ray

        ray.init(address=address, log_to_driver=False, configure_logging=True, logging_level="WARNING")
        ray.cloudpickle.register_pickle_by_value(node_worker)
        self._ray = ray
        self._python = python
        self._environment = dict(environment)
        self._actor = ray.remote(node_worker.NodeWorker)

    def nodes(self) -> list[Node]:
        """Nodes that can compute, in the order of their ids."""
        listed = [
            Node(entry["NodeID"], entry["NodeManagerAddress"], int(entry["Resources"].get("CPU", 0)))
            for entry in self._ray.nodes()
            if entry["Alive"]
        ]
        return sorted((node for node in listed if node.cpus > 0), key=lambda node: node.id)

    def start(self, node: str) -> RayWorker:
        """Start a worker that holds one CPU: on `node` if it has a free one, else where Ray finds one
        first."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        actor = self._actor.options(
            # run, close and where run concurrently.
            max_concurrency=3,
            num_cpus=1,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=True, _spill_on_unavailable=True),
        ).remote(self._python, self._environment)
        return RayWorker(self._ray, actor)

    def close(self) -> None:
        self._ray.shutdown()


class RayWorker:
    """One worker process on a node. It takes one task at a time."""

    def __init__(self, ray: Any, actor: Any) -> None:
        self._ray = ray
        self._actor = actor

    def where(self) -> str:
        """Return the id of its node once it is placed: it may have to wait for a CPU. Raises WorkerLost."""
        from ray.exceptions import RayError

        try:
            return str(self._ray.get(self._actor.where.remote()))
        except RayError as error:
            raise WorkerLost(_first_line(error)) from error

    def run(self, request: bytes) -> Iterator[node_worker.Part]:
        """Raises WorkerLost."""
        from ray.exceptions import RayError

        try:
            for part in self._actor.run.options(num_returns="streaming").remote(request):
                yield self._ray.get(part)
        except RayError as error:
            raise WorkerLost(_first_line(error)) from error

    def end(self) -> None:
        """End the worker, also during a task."""
        from ray.exceptions import RayError

        with suppress(RayError):
            self._ray.wait([self._actor.close.remote()], timeout=WORKER_END_TIMEOUT)
        with suppress(RayError):
            self._ray.kill(self._actor)


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    print(text, file=sys.stderr)
    return text.splitlines()[0] if text else type(error).__name__
