"""Pairs of columns of few values that predict a class together although neither does so individually: two
flags of which exactly one is set. Pairs of numbers are searched in number_pairs.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import FEW_VALUES, Outcomes, associate_codes

MOST_COLUMNS = 100
"""Limit of columns: only pairs of the first ones are searched, since the number of pairs grows with the
square."""
JOINT_AUC = 0.9
GAIN = 0.15
"""Minimum by which the AUC of the pair exceeds that of its better column."""
_ALMOST_ALL = 0.99
"""Sufficient AUC of a pair if its better column does not exceed _STRONG."""
_STRONG = 0.85
_REMAINING = 0.2
"""Maximum share of the distance from 1 to the AUC of the best column of the table that remains with a pair
that contains a number. Otherwise classes that are easy to distinguish would have many such pairs."""
_MOST_ROWS = 2_000
"""Rows with the outcome, and as many without it, that select pairs. They are drawn, since a table may be
sorted by its label; an AUC does not depend on the share of cases with the outcome."""
_CHUNK = 8_192

Codes = npt.NDArray[np.signedinteger[Any]]
"""(N,) number of the value of each case, from 0."""
Rows = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]
_Mask = npt.NDArray[np.bool_]


class Combination(NamedTuple):
    """Columns that predict an outcome together."""

    columns: tuple[str, ...]
    strength: str
    """AUC or R², as text."""


def pairs_of_codes(
    columns: Mapping[str, Codes], outcomes: Outcomes, numbers: Collection[str] = ()
) -> list[Combination]:
    """Pairs whose combined values predict a class. columns: name → (N,) number of the value of each case, at
    most FEW_VALUES; a missing value counts as one of them. numbers: columns of which these are quantiles."""
    names = list(columns)[:MOST_COLUMNS]
    if len(names) < 2:
        return []
    codes = [columns[name] for name in names]
    ends = list(accumulate((int(of_column.max()) + 1 for of_column in codes), initial=0))
    parts = [slice(*bounds) for bounds in pairwise(ends)]
    found = {}
    for _, happened in outcomes.events:
        rows = selecting_rows(happened)
        every = _joint_counts(codes, ends, rows)
        having = _joint_counts(codes, ends, rows[happened[rows]])
        own = [(part, part) for part in parts]
        alone = [area_of_counts(having[cells].diagonal(), every[cells].diagonal()) for cells in own]
        for one, other in combinations(range(len(names)), 2):
            has_number = names[one] in numbers or names[other] in numbers
            best = max(alone) if has_number else None
            least = least_of_pair(max(alone[one], alone[other]), best)
            cells = (parts[one], parts[other])
            if (one, other) in found or area_of_counts(having[cells].ravel(), every[cells].ravel()) < least:
                continue
            joint = codes[one] * (FEW_VALUES + 1) + codes[other]
            known = np.ones(len(joint), dtype=np.bool_)
            tested = associate_codes(joint, known, outcomes, least)
            if tested.auc:
                found[one, other] = Combination((names[one], names[other]), f"AUROC {tested.auc:.2f}")
    return list(found.values())


def least_of_pair(alone: float, best: float | None = None) -> float:
    """Minimum AUC of a pair, from that of its better column and, for numbers, of the best one of all."""
    enough = alone + GAIN if alone > _STRONG else min(alone + GAIN, _ALMOST_ALL)
    return max(JOINT_AUC, enough, 0 if best is None else 1 - _REMAINING * (1 - best))


def selecting_rows(happened: _Mask) -> Rows:
    """Rows with the outcome, and as many without it, that select pairs and triples for the test on all
    rows."""
    random = np.random.default_rng(0)
    sides = (np.flatnonzero(side) for side in (happened, ~happened))
    return np.concatenate([random.permutation(side)[:_MOST_ROWS] for side in sides])


def _joint_counts(codes: Sequence[Codes], ends: Sequence[int], rows: Rows) -> _Floats:
    """(L, L) number of these rows that have both of two values, for the L values of all columns."""
    counts = np.zeros((ends[-1], ends[-1]))
    for start in range(0, len(rows), _CHUNK):
        part = rows[start : start + _CHUNK]
        indicator = np.zeros((len(part), ends[-1]), dtype=np.float32)
        for of_column, first in zip(codes, ends, strict=False):
            indicator[np.arange(len(part)), first + of_column[part]] = 1
        counts += indicator.T @ indicator
    return counts


def area_of_counts(having: npt.NDArray[Any], every: npt.NDArray[Any]) -> float:
    """AUC of the share of cases with the outcome among those with the same value."""
    there = every > 0
    having, lacking = having[there], (every - having)[there]
    order = np.argsort(having / (having + lacking), kind="stable")
    having, lacking = having[order], lacking[order]
    below = np.cumsum(lacking) - lacking
    return float((having * (below + lacking / 2)).sum() / (having.sum() * lacking.sum()))
