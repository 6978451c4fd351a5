"""Which case trains and which validates: by patient, stratified, the same for the same seed; and what
stands in two splits.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

SPLIT_WORDS = {
    "train": "train", "training": "train",
    "val": "val", "valid": "val", "validation": "val", "dev": "val",
    "test": "test", "testing": "test", "holdout": "test",
}  # fmt: skip


def split_name(text: str) -> str:
    """`Training`, `valid`, `TEST` → train, val, test; any other word stays itself."""
    return SPLIT_WORDS.get(text.casefold(), text)


def group_cases(keys_of_case: Sequence[Sequence[Hashable]]) -> npt.NDArray[np.int64]:
    """Cases that share a key (the patient, the pixels of an image), directly or through others, get one
    group number.
    """
    parent = list(range(len(keys_of_case)))

    def root(case: int) -> int:
        while parent[case] != case:
            parent[case] = parent[parent[case]]
            case = parent[case]
        return case

    first: dict[Hashable, int] = {}
    for case, keys in enumerate(keys_of_case):
        for key in keys:
            parent[root(case)] = root(first.setdefault(key, case))
    return np.asarray([root(case) for case in range(len(parent))], dtype=np.int64)


def choose_validation(
    groups: npt.NDArray[np.int64], strata: npt.NDArray[np.int64], fraction: float, seed: int
) -> npt.NDArray[np.bool_]:
    """(N,) True for validation. Whole groups; each stratum is divided as near to `fraction` as whole groups
    allow.

    Groups with rare strata are placed first, each where its strata lack most. A stratum of one group trains.
    """
    names, group_of = np.unique(groups, return_inverse=True)
    strata_names, stratum_of = np.unique(strata, return_inverse=True)
    counts = np.zeros((len(names), len(strata_names)))
    np.add.at(counts, (group_of, stratum_of), 1)
    totals = counts.sum(axis=0)
    wanted = np.stack([(1 - fraction) * totals, fraction * totals])  # (train or val, strata)
    lacking = wanted.copy()
    shuffled = np.random.default_rng(seed).permutation(len(names))
    rarity = np.where(counts > 0, totals, np.inf).min(axis=1)
    order = sorted(shuffled.tolist(), key=lambda group: (rarity[group], -counts[group].sum()))
    side = np.zeros(len(names), dtype=np.int64)
    for group in order:
        need = (lacking / np.maximum(wanted, 1e-9)) @ counts[group]
        side[group] = int(need[1] > need[0])
        lacking[side[group]] -= counts[group]
    keep_every_stratum(side, counts, order)
    return np.asarray(side[group_of] == 1)


def keep_every_stratum(side: npt.NDArray[np.int64], counts: npt.NDArray[Any], order: list[int]) -> None:
    """Training has every stratum, and validation every one of which training has another group."""
    for stratum in range(counts.shape[1]):
        holders = [group for group in order if counts[group, stratum] > 0]
        training = [group for group in holders if side[group] == 0]
        if not training:
            side[holders[0]] = 0
        elif len(training) == len(holders) and len(holders) > 1:
            candidate = min(training, key=lambda group: counts[group].sum())
            alone = (counts[side == 0] > 0).sum(axis=0) == 1
            if not np.any(alone & (counts[candidate] > 0)):
                side[candidate] = 1


@dataclass(frozen=True)
class Overlap:
    """What stands in two splits."""

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
