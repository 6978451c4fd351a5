"""Pairs of columns that predict an outcome together although neither does so individually: two flags of which
exactly one is set, or an age at the last visit and the age at inclusion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import (
    FEW_VALUES,
    Outcomes,
    associate_categories,
    count_groups,
)
from medloom_trainer.data.tables import sorted_codes

MOST_COLUMNS = 100
"""Limit of columns: only pairs of the first ones are searched, since the number of pairs grows with the
square."""
JOINT_AUC = 0.9
GAIN = 0.15
"""Minimum by which the AUC of the pair exceeds that of its better column."""
_EXPLAINED = 0.9
"""Minimum share of the variance of a quantity that both columns explain together."""
_REMAINING = 0.2
"""Maximum share of the variance unexplained by the better column that remains with both."""
_LEAST_PATIENTS = 30
_CHUNK = 8_192
_SAME = 1e-9

_Floats = npt.NDArray[np.float64]
_Mask = npt.NDArray[np.bool_]


class Combination(NamedTuple):
    """Columns that predict an outcome together."""

    columns: tuple[str, ...]
    strength: str
    """AUC or R², as text."""


def pairs_of_categories(columns: Mapping[str, Sequence[str]], outcomes: Outcomes) -> list[Combination]:
    """Pairs whose combined values predict a class. columns: name → (N,) texts with at most FEW_VALUES
    different ones; a missing value counts as one of them."""
    names = list(columns)[:MOST_COLUMNS]
    if len(names) < 2 or not outcomes.events:
        return []
    codes = [sorted_codes(columns[name]) for name in names]
    ends = list(accumulate((int(of_column.max()) + 1 for of_column in codes), initial=0))
    parts = [slice(*bounds) for bounds in pairwise(ends)]
    found = {}
    every = _joint_counts(codes, ends, np.ones(len(codes[0]), dtype=np.bool_))
    for _, happened in outcomes.events:
        having = _joint_counts(codes, ends, happened)
        own = [(part, part) for part in parts]
        alone = [area_of_counts(having[cells].diagonal(), every[cells].diagonal()) for cells in own]
        for one, other in combinations(range(len(names)), 2):
            least = max(JOINT_AUC, max(alone[one], alone[other]) + GAIN)
            cells = (parts[one], parts[other])
            if (one, other) in found or area_of_counts(having[cells].ravel(), every[cells].ravel()) < least:
                continue
            joint = codes[one] * (FEW_VALUES + 1) + codes[other]
            known = np.ones(len(joint), dtype=np.bool_)
            tested = associate_categories(joint.astype(str).tolist(), known, outcomes, least)
            if tested.auc:
                found[one, other] = Combination((names[one], names[other]), f"AUROC {tested.auc:.2f}")
    return list(found.values())


def pairs_of_numbers(columns: Mapping[str, _Floats], outcomes: Outcomes) -> list[Combination]:
    """Pairs with a weighted sum or difference that explains a quantity. columns: name → (N,), NaN if
    unknown."""
    names = list(columns)[:MOST_COLUMNS]
    if len(names) < 2 or not outcomes.is_quantity or np.ptp(outcomes.labels) == 0:
        return []
    values = np.stack([columns[name] for name in names], axis=1)
    values[~np.isfinite(values)] = np.nan
    return [
        Combination((names[one], names[other]), f"R² {explained:.2f}")
        for one, other, explained in _explaining(values, outcomes.labels.astype(np.float64))
        if count_groups(outcomes.groups[~np.isnan(values[:, [one, other]]).any(axis=1)]) >= _LEAST_PATIENTS
    ]


def _explaining(values: _Floats, labels: _Floats) -> Iterator[tuple[int, int, float]]:
    """values (N, K) → pairs of columns and R² of a linear regression on both, from the rows that have both
    values: all pairs at once by their sums of products."""
    known = ~np.isnan(values)
    usable = known.sum(axis=0) >= _LEAST_PATIENTS
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = _scaled(np.where(known & usable, values, np.nan))
        label = ((labels - labels.mean()) / labels.std())[:, None]
        there = known.astype(np.float64)
        count = there.T @ there
        mean, mean_label = (scaled.T @ there) / count, ((there * label).T @ there) / count
        variance = ((scaled**2).T @ there) / count - mean**2
        label_variance = ((there * label**2).T @ there) / count - mean_label**2
        first = ((scaled * label).T @ there / count - mean * mean_label) / np.sqrt(variance * label_variance)
        mutual = ((scaled.T @ scaled) / count - mean * mean.T) / np.sqrt(variance * variance.T)
        explained = (first**2 + first.T**2 - 2 * first * first.T * mutual) / (1 - mutual**2)
        remaining = 1 - np.maximum(first**2, first.T**2)
        pairs = (explained >= _EXPLAINED) & (1 - explained <= _REMAINING * remaining)
        pairs &= (1 - mutual**2 > _SAME) & (remaining > _SAME) & (count >= _LEAST_PATIENTS)
    for one, other in np.argwhere(np.triu(pairs, 1)).tolist():
        yield one, other, float(min(1.0, explained[one, other]))


def _scaled(values: _Floats) -> _Floats:
    """Each column with mean 0 and standard deviation 1; 0 if unknown and in a column that is constant or
    empty."""
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=0), 1)
    centered = np.where(known, values - np.where(known, values, 0).sum(axis=0) / count, 0)
    deviation = np.sqrt((centered**2).sum(axis=0) / count)
    return np.asarray(centered / np.where(deviation > 0, deviation, 1))


def _joint_counts(codes: Sequence[npt.NDArray[np.int64]], ends: Sequence[int], chosen: _Mask) -> _Floats:
    """(L, L) number of chosen rows that have both of two values, for the L values of all columns."""
    counts = np.zeros((ends[-1], ends[-1]))
    rows = np.flatnonzero(chosen)
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
