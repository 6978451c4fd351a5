"""The workers of a cluster: taken where the inputs are, kept warm for a while."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from medloom_trainer.worker.gateway.node_worker import Part
from medloom_trainer.worker.gateway.placement import Take, place

_LOOK_SECONDS = 0.5
"""How often a task that waits for a place looks whether it is still wanted."""


class Worker(Protocol):
    def where(self) -> str: ...
    def run(self, request: bytes) -> Iterator[Part]: ...
    def end(self) -> None: ...


class Node(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def cpus(self) -> int: ...


class Cluster(Protocol):
    def nodes(self) -> Sequence[Node]: ...
    def start(self, node: str) -> Worker: ...


@dataclass(eq=False)
class Held:
    """A worker and its place."""

    worker: Worker
    node: str
    """Where it was asked for, and then where it is."""
    idle_since: float = field(default_factory=time.monotonic)


class Workers:
    """Threads share it; what waits for the cluster, such as the end of a worker, is done outside the lock."""

    def __init__(self, cluster: Cluster, limit: int | None, idle_seconds: float) -> None:
        """limit: workers at a time; None: as many as the cluster has CPUs."""
        self._cluster = cluster
        self._limit = limit
        self._idle_seconds = idle_seconds
        self._nodes: dict[str, Node] = {node.id: node for node in cluster.nodes()}
        self._idle: list[Held] = []
        self._busy: set[Held] = set()
        self._lock = threading.Condition()

    def nodes(self) -> list[Node]:
        """As they are now. Workers of lost ones are forgotten."""
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
        """A worker for one task, which may not be there yet. It waits for a place; None: it was given up."""
        with self._lock:
            while (choice := place([held.node for held in self._idle], self._room(), weights, avoid)) is None:
                if given_up():
                    return None
                self._lock.wait(_LOOK_SECONDS)
            if isinstance(choice, Take):
                # The one that was used last: the others may cool down.
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
        """It waits for the next task."""
        held.idle_since = time.monotonic()
        with self._lock:
            self._busy.discard(held)
            self._idle.append(held)
            self._lock.notify()

    def drop(self, held: Held) -> None:
        """It is not used again."""
        with self._lock:
            self._busy.discard(held)
            self._lock.notify()
        held.worker.end()

    def cool_down(self) -> None:
        """End those that had no task for long: trainings may want their CPUs."""
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
        """Those without a task that make room for one more, taken out."""
        if self._limit is None:
            return []
        count = min(len(self._idle), max(0, len(self._idle) + len(self._busy) + 1 - self._limit))
        surplus, self._idle = self._idle[:count], self._idle[count:]
        return surplus
