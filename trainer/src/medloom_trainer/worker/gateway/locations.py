"""Files of the artifact store that each node of a cluster has read or written.

Such a node has them in its memory or in its own copy, so a task with these inputs runs there if possible.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MAX_DIGESTS = 100_000
"""Limit, in order of last use. A file beyond it is only fetched again."""


def blobs_of(value: Any) -> Iterator[tuple[str, int]]:
    """Yield the digest and the size in bytes of every file of the store that `value` names."""
    if isinstance(value, Mapping):
        digest, size = value.get("sha256"), value.get("size_bytes")
        if isinstance(digest, str) and isinstance(size, int):
            yield digest, size
        for inner in value.values():
            yield from blobs_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from blobs_of(inner)


class Locations:
    """Digest → the nodes that have the file. Used by several threads."""

    def __init__(self, max_digests: int = MAX_DIGESTS) -> None:
        self._max_digests = max_digests
        self._nodes: OrderedDict[str, set[str]] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, node: str, digests: Iterable[str]) -> None:
        """Record that `node` has read or written these files."""
        with self._lock:
            for digest in digests:
                self._nodes.setdefault(digest, set()).add(node)
                self._nodes.move_to_end(digest)
            while len(self._nodes) > self._max_digests:
                self._nodes.popitem(last=False)

    def bytes_at(self, blobs: Mapping[str, int]) -> dict[str, int]:
        """Node → bytes of these files that it has; a node without any is absent."""
        found: dict[str, int] = {}
        with self._lock:
            for digest, size in blobs.items():
                for node in self._nodes.get(digest, ()):
                    found[node] = found.get(node, 0) + size
        return found
