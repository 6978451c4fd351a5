"""On which node a task runs: where its inputs are, else where there is most room."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Take:
    """A worker on this node that has no task."""

    node: str


@dataclass(frozen=True)
class Start:
    """A new worker on this node."""

    node: str


def place(
    idle: Collection[str],
    room: Mapping[str, int],
    weights: Mapping[str, int],
    avoid: Collection[str] = (),
) -> Take | Start | None:
    """
    idle: the node of each worker without a task. room: every node → workers that it could have beside those
    that it has. weights: node → bytes of the inputs that it has. avoid: nodes that a worker was lost on; they
    are taken when there is no other. None: every place is taken.
    """
    usable = [node for node in room if node not in avoid] or list(room)
    waiting = [node for node in idle if node in usable]
    for node in sorted(usable, key=lambda node: (-weights.get(node, 0), node)):
        if weights.get(node, 0) == 0:
            break
        if node in waiting:
            return Take(node)
        if room[node] > 0:
            return Start(node)
    emptiest = sorted(usable, key=lambda node: (-room[node], node))
    if waiting:
        return Take(min(waiting, key=emptiest.index))
    if emptiest and room[emptiest[0]] > 0:
        return Start(emptiest[0])
    return None
