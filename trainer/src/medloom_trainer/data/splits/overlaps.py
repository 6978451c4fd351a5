"""What is in two splits."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Overlap:
    """Patients or images that are in two splits."""

    first: str
    second: str
    what: str
    """"patients" or "images"."""
    count: int
    cases: list[int]
    """Positions of the cases of `second` concerned."""


def find_overlaps(what: str, keys_of_split: Mapping[str, Sequence[Sequence[Hashable]]]) -> list[Overlap]:
    """Split → keys of each of its cases; every pair of splits that shares a key."""
    names = list(keys_of_split)
    sets = {name: {key for keys in cases for key in keys} for name, cases in keys_of_split.items()}
    overlaps = []
    for position, first in enumerate(names):
        for second in names[position + 1 :]:
            shared = sets[first] & sets[second]
            if shared:
                cases = [
                    case for case, keys in enumerate(keys_of_split[second]) if not shared.isdisjoint(keys)
                ]
                overlaps.append(Overlap(first, second, what, len(shared), cases))
    return overlaps
