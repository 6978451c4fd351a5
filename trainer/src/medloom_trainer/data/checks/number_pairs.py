"""Pairs of numbers that predict an outcome together although neither does so individually: an age at the last
visit and the age at inclusion, or two measurements of which the larger one decides the class.

A weighted sum or difference is found by a linear regression on both. Other dependencies are found by
quantiles of the numbers, which are searched like columns of few values (column_pairs.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import comb, erf, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import (
    FEW_VALUES,
    Outcomes,
    area_under_curve,
    associate_numbers,
    count_groups,
)
from medloom_trainer.data.checks.column_pairs import (
    GAIN,
    JOINT_AUC,
    MOST_COLUMNS,
    Codes,
    Combination,
    least_of_pair,
)

_CASES_OF_A_PAIR = 5
"""Mean number of cases that have the quantiles of a pair: with fewer, their shares are not informative."""
_EXPLAINED = 0.9
"""Minimum share of the variance of a quantity that both columns explain together."""
_REMAINING = 0.2
"""Maximum share of the variance unexplained by the better column that remains with both."""
_SLACK = 0.05
"""A pair is tested if its AUC, estimated from the explained variance, is at most this much too low."""
_MOST_TESTED = 50
"""Limit of pairs of each class that are tested, the strongest first."""
_LEAST_PATIENTS = 30
_SAME = 1e-9

_Floats = npt.NDArray[np.float64]
_Mask = npt.NDArray[np.bool_]
Columns = Mapping[str, _Floats]
"""Name → (N,), NaN if unknown."""


def quantiles_of(values: _Floats) -> Codes:
    """(N,) the quantile of each number from 1, 0 if unknown. Their number is even, so that the median is a
    limit, and small if cases are few."""
    known = np.isfinite(values)
    most = int(sqrt(known.sum() / _CASES_OF_A_PAIR)) // 2 * 2
    count = min(FEW_VALUES, max(2, most))
    limits = np.quantile(values[known], np.arange(1, count) / count) if known.any() else np.empty(0)
    return np.where(known, np.searchsorted(np.unique(limits), values, side="right") + 1, 0)


def pairs_of_numbers(columns: Columns, outcomes: Outcomes) -> list[Combination]:
    """Pairs with a weighted sum or difference that explains a quantity."""
    names = list(columns)[:MOST_COLUMNS]
    if len(names) < 2 or not outcomes.is_quantity or np.ptp(outcomes.labels) == 0:
        return []
    values = _stacked(columns, names)
    shares = _explained(values, outcomes.labels.astype(np.float64))
    remaining = 1 - shares.better
    pairs = (shares.both >= _EXPLAINED) & (1 - shares.both <= _REMAINING * remaining)
    pairs &= shares.usable & (remaining > _SAME)
    return [
        Combination((names[one], names[other]), f"R² {shares.both[one, other]:.2f}")
        for one, other in np.argwhere(pairs).tolist()
        if _patients(values, one, other, outcomes) >= _LEAST_PATIENTS
    ]


def class_pairs_of_numbers(columns: Columns, outcomes: Outcomes) -> list[Combination]:
    """Pairs with a weighted sum or difference that predicts a class."""
    names = list(columns)[:MOST_COLUMNS]
    if len(names) < 2:
        return []
    values = _stacked(columns, names)
    # Each pair may be a false positive.
    strict = replace(outcomes, level=outcomes.level / comb(len(names), 2))
    found: dict[tuple[int, int], Combination] = {}
    for event, happened in outcomes.events:
        of_event = replace(strict, events=[(event, happened)])
        candidates = _candidates(values, happened)
        areas = [_area(column, happened) for column in values.T] if candidates else []
        for one, other in candidates:
            if (one, other) in found or _patients(values, one, other, outcomes) < _LEAST_PATIENTS:
                continue
            least = least_of_pair(max(areas[one], areas[other]), max(areas))
            score = _weighted_sum(values[:, [one, other]], happened)
            tested = associate_numbers(score, of_event, least)
            if tested.auc:
                found[one, other] = Combination((names[one], names[other]), f"AUROC {tested.auc:.2f}")
    return list(found.values())


class _Explained(NamedTuple):
    """(K, K) for pairs of columns, from the rows that have both values."""

    better: _Floats
    """R² of a linear regression on the better one of the two."""
    both: _Floats
    usable: _Mask
    """Once for each pair."""


def _explained(values: _Floats, labels: _Floats) -> _Explained:
    """values (N, K): all pairs at once by their sums of products."""
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
        both = (first**2 + first.T**2 - 2 * first * first.T * mutual) / (1 - mutual**2)
    pairs = (1 - mutual**2 > _SAME) & (count >= _LEAST_PATIENTS) & np.isfinite(both)
    return _Explained(np.maximum(first**2, first.T**2), np.minimum(both, 1.0), np.triu(pairs, 1))


def _candidates(values: _Floats, happened: _Mask) -> list[tuple[int, int]]:
    """Pairs that may predict the class, the strongest first."""
    shares = _explained(values, happened.astype(np.float64))
    spread = float(happened.mean() * (1 - happened.mean()))
    both = np.where(shares.usable, shares.both, 0.0)
    better = np.where(shares.usable, shares.better, 1.0)
    joint, alone = _area_of_share(both, spread), _area_of_share(better, spread)
    pairs = (joint >= JOINT_AUC - _SLACK) & (joint >= alone + GAIN - _SLACK)
    places = np.argwhere(pairs)
    strongest_first = np.argsort(-joint[pairs], kind="stable")[:_MOST_TESTED]
    return [(int(one), int(other)) for one, other in places[strongest_first]]


def _area_of_share(explained: _Floats, spread: float) -> _Floats:
    """R² of a regression of a class on a score → its AUC, if the score is normal in both classes. spread:
    variance of the class."""
    distance = np.sqrt(explained / np.maximum(1 - explained, _SAME) / spread)
    area: _Floats = 0.5 + 0.5 * np.vectorize(erf, otypes=[float])(distance / 2)
    return area


def _weighted_sum(values: _Floats, happened: _Mask) -> _Floats:
    """values (N, 2) → (N,) the linear regression of the class on both, NaN if one is unknown."""
    known = ~np.isnan(values).any(axis=1)
    design = np.column_stack([_scaled(values), np.ones(len(values))])
    weights = np.linalg.lstsq(design[known], happened[known].astype(np.float64), rcond=None)[0]
    return np.where(known, design @ weights, np.nan)


def _area(values: _Floats, happened: _Mask) -> float:
    """AUC of the known values, in either direction."""
    known = ~np.isnan(values)
    event = happened[known]
    if event.all() or not event.any():
        return 0.5
    area = area_under_curve(event, values[known])
    return max(area, 1 - area)


def _patients(values: _Floats, one: int, other: int, outcomes: Outcomes) -> int:
    """Number of patients with a row that has both values."""
    return count_groups(outcomes.groups[~np.isnan(values[:, [one, other]]).any(axis=1)])


def _stacked(columns: Columns, names: list[str]) -> _Floats:
    values = np.stack([columns[name] for name in names], axis=1)
    return np.where(np.isfinite(values), values, np.nan)


def _scaled(values: _Floats) -> _Floats:
    """Each column with mean 0 and standard deviation 1; 0 if unknown and in a column that is constant or
    empty."""
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=0), 1)
    centered = np.where(known, values - np.where(known, values, 0).sum(axis=0) / count, 0)
    deviation = np.sqrt((centered**2).sum(axis=0) / count)
    return np.asarray(centered / np.where(deviation > 0, deviation, 1))
