"""The workers of a cluster: assigned where the inputs are, and kept warm for a while."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from medloom_trainer.durations import SLOT_CHECK_INTERVAL
from medloom_trainer.worker.gateway.node_worker import Part
from medloom_trainer.worker.gateway.placement import Take, place


class Worker(Protocol):
    """Worker process on a node."""

    def where(self) -> str: ...
    def run(self, request: bytes) -> Iterator[Part]: ...
    def end(self) -> None: ...


class Node(Protocol):
    """Node that can run workers."""

    @property
    def id(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def cpus(self) -> int: ...


class Cluster(Protocol):
    """Cluster on whose nodes workers are started."""

    def nodes(self) -> Sequence[Node]: ...
    def start(self, node: str) -> Worker: ...


@dataclass(eq=False)
class Held:
    """A worker and its slot."""

    worker: Worker
    node: str
    """The requested node, then the actual one."""
    idle_since: float = field(default_factory=time.monotonic)


class Workers:
    """Used by several threads. Calls that wait for the cluster, such as the end of a worker, run outside the
    lock."""

    def __init__(self, cluster: Cluster, limit: int | None, idle_seconds: float) -> None:
        """limit: largest number of workers; None: the number of CPUs of the cluster."""
        self._cluster = cluster
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._nodes: dict[str, Node] = {node.id: node for node in cluster.nodes()}
        self._idle: list[Held] = []
        self._busy: set[Held] = set()
        self._lock = threading.Condition()

    def nodes(self) -> list[Node]:
        """Return the current nodes. Workers of lost nodes are dropped."""
        nodes = {node.id: node for node in self._cluster.nodes()}
        with self._lock:
            self._nodes = nodes
            self._idle = [held for held in self._idle if held.node in nodes]
            self._lock.notify_all()
        return list(nodes.values())

    def take(
        self,
        weights: Mapping[str, int],
        avoid: Collection[str] = (),
        given_up: Callable[[], bool] = lambda: False,
    ) -> Held | None:
        """Return a worker for one task; it may not have started yet. Waits for a free slot; None if
        `given_up`."""
        with self._lock:
            while (choice := place([held.node for held in self._idle], self._room(), weights, avoid)) is None:
                if given_up():
                    return None
                self._lock.wait(SLOT_CHECK_INTERVAL)
            if isinstance(choice, Take):
                # Take the worker that was used last, so that the others can cool down.
                held = next(held for held in reversed(self._idle) if held.node == choice.node)
                self._idle.remove(held)
                self._busy.add(held)
                return held
            surplus = self._surplus()
            held = Held(self._cluster.start(choice.node), choice.node)
            self._busy.add(held)
        for other in surplus:
            other.worker.end()
        return held

    def give_back(self, held: Held) -> None:
        """Keep the worker for the next task."""
        held.idle_since = time.monotonic()
        with self._lock:
            self._busy.discard(held)
            self._idle.append(held)
            self._lock.notify()

    def drop(self, held: Held) -> None:
        """End the worker; it is not used again."""
        with self._lock:
            self._busy.discard(held)
            self._lock.notify()
        held.worker.end()

    def cool_down(self) -> None:
        """End workers that were idle for long, since trainings may need their CPUs."""
        oldest = time.monotonic() - self._idle_seconds
        with self._lock:
            cold = [held for held in self._idle if held.idle_since < oldest]
            self._idle = [held for held in self._idle if held.idle_since >= oldest]
        for held in cold:
            held.worker.end()

    def _room(self) -> dict[str, int]:
        used = Counter(held.node for held in [*self._idle, *self._busy])
        return {node.id: node.cpus - used[node.id] for node in self._nodes.values()}

    def _surplus(self) -> list[Held]:
        """Remove and return idle workers that must end so that one more can start."""
        if self._limit is None:
            return []
        count = min(len(self._idle), max(0, len(self._idle) + len(self._busy) + 1 - self._limit))
        surplus, self._idle = self._idle[:count], self._idle[count:]
        return surplus
