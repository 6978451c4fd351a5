"""Choice of the node that runs a task: the one that has its inputs, else the one with the most room."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Take:
    """A worker on this node that has no task is used."""

    node: str


@dataclass(frozen=True)
class Start:
    """A new worker is started on this node."""

    node: str


def place(
    idle: Collection[str],
    room: Mapping[str, int],
    weights: Mapping[str, int],
    avoid: Collection[str] = (),
) -> Take | Start | None:
    """Choose a node; None if every slot is in use.

    idle: the node of each worker without a task. room: every node → the number of workers that it could run
    in addition to those that it has. weights: node → bytes of the inputs that it has. avoid: nodes on which a
    worker was lost; they are only used if there are no others.
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
