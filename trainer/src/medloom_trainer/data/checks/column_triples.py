"""Three flags that predict a class together although no two of them do, such as flags of which an odd number
is set. More than three columns are not searched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import Outcomes, associate_codes
from medloom_trainer.data.checks.column_pairs import (
    GAIN,
    JOINT_AUC,
    Combination,
    area_of_counts,
    selecting_rows,
)
from medloom_trainer.data.tables import sorted_codes

MOST_FLAGS = 30
"""Limit of columns: only triples of the first ones are searched, 4,060 triples."""
MOST_VALUES = 3
"""Maximum number of values of a flag: yes, no and missing."""
MOST_TESTED = 50
"""Limit of selected triples that are tested on all rows. If flags have copies, those of one triple may be a
thousand, which would take minutes."""

_Codes = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]


class Triples(NamedTuple):
    """Triples that predict a class."""

    found: list[Combination]
    is_complete: bool
    """False: more triples were selected than may be tested."""


def triples_of_flags(columns: Mapping[str, Sequence[str]], outcomes: Outcomes) -> Triples:
    """columns: name → (N,) texts with at most MOST_VALUES different ones."""
    names = list(columns)[:MOST_FLAGS]
    if len(names) < 3:
        return Triples([], True)
    codes = [sorted_codes(columns[name]) for name in names]
    # Each triple may be a false positive.
    strict = replace(outcomes, level=outcomes.level / comb(len(names), 3))
    found: dict[tuple[int, ...], Combination] = {}
    count = 0
    for event, happened in outcomes.events:
        of_event = replace(strict, events=[(event, happened)])
        for triple, least in _selected(codes, happened):
            if triple in found:
                continue
            if count == MOST_TESTED:
                return Triples(list(found.values()), False)
            count += 1
            joint = _joint([codes[index] for index in triple])
            tested = associate_codes(joint, np.ones(len(joint), dtype=np.bool_), of_event, least)
            if tested.auc:
                named = tuple(names[index] for index in triple)
                found[triple] = Combination(named, f"AUROC {tested.auc:.2f}")
    return Triples(list(found.values()), True)


def _selected(codes: Sequence[_Codes], happened: _Mask) -> Iterator[tuple[tuple[int, ...], float]]:
    """Triples whose AUC exceeds that of each of their pairs, and the AUC that they need."""
    rows = selecting_rows(happened)
    few, event = [of_column[rows] for of_column in codes], happened[rows]
    pairs = {
        pair: _area(_joint([few[index] for index in pair]), event)
        for pair in combinations(range(len(few)), 2)
    }
    for triple in combinations(range(len(few)), 3):
        least = max(JOINT_AUC, max(pairs[pair] for pair in combinations(triple, 2)) + GAIN)
        if least <= 1 and _area(_joint([few[index] for index in triple]), event) >= least:
            yield triple, least


def _joint(codes: Sequence[_Codes]) -> _Codes:
    """(N,) one number for each combination of values."""
    joint = codes[0]
    for of_column in codes[1:]:
        joint = joint * MOST_VALUES + of_column
    return joint


def _area(joint: _Codes, happened: _Mask) -> float:
    every = np.bincount(joint)
    return area_of_counts(np.bincount(joint[happened], minlength=len(every)), every)
