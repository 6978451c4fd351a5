"""Significance of an association between a column and an outcome, by permutation of patients: valid for any
number of patients, for which a threshold on the AUC would not be.
"""

from __future__ import annotations

from math import comb, erfc, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

FEW_PATIENTS = 20
"""Number of patients on one side of an outcome below which the normal approximation is not used."""
_DRAWS = 1_999
_CHUNK = 200

_Mask = npt.NDArray[np.bool_]
_Floats = npt.NDArray[np.float64]


def is_testable(patients: int, others: int, level: float) -> bool:
    """Return whether even a perfect separation of so few patients would be less probable than `level`, in
    either direction."""
    fewer = min(patients, others)
    return fewer > 0 and comb(patients + others, min(fewer, FEW_PATIENTS)) >= 2 / level


def one_row_per_patient(event: _Mask, groups: npt.NDArray[np.int64], known: _Mask) -> npt.NDArray[np.int64]:
    """Positions of one known row of each patient, preferably one with the event."""
    rows = np.flatnonzero(known)
    order = rows[np.argsort(~event[rows], kind="stable")]
    _, first = np.unique(groups[order], return_index=True)
    return np.sort(order[first])


def normal_probability(event: _Mask, ranks: _Floats) -> float:
    """Two-sided Mann–Whitney with the correction for ties."""
    cases, total = int(event.sum()), len(event)
    spread = float(np.var(ranks)) * cases * (total - cases) / (total - 1)
    if spread <= 0:
        return 1.0
    distance = abs(float(ranks[event].sum()) - cases * (total + 1) / 2)
    return erfc(max(0.0, distance - 0.5) / sqrt(2 * spread))


def permutation_probability(event: _Mask, ranks: _Floats) -> float:
    """Share of random choices of the same number of cases that are as far from the middle, in either
    direction."""
    few = event if 2 * event.sum() <= len(event) else ~event
    middle = few.sum() * ranks.mean()
    drawn = ranks[_draws(len(event), int(few.sum()))].sum(axis=1)
    return _share(np.abs(drawn - middle), abs(float(ranks[few].sum()) - middle))


def category_probability(event: _Mask, codes: npt.NDArray[np.int64]) -> float:
    """Share of random choices of the same number of cases that are separated as well by the share of cases in
    each category."""
    few = event if 2 * event.sum() <= len(event) else ~event
    codes = np.unique(codes, return_inverse=True)[1]
    sizes = np.bincount(codes)
    drawn = codes[_draws(len(event), int(few.sum()))]
    counts = np.zeros((len(drawn), len(sizes)), dtype=np.int64)
    np.add.at(counts, (np.arange(len(drawn))[:, None], drawn), 1)
    aucs = np.concatenate(
        [_share_aucs(counts[start : start + _CHUNK], sizes) for start in range(0, len(counts), _CHUNK)]
    )
    return _share(aucs, float(_share_aucs(np.bincount(codes[few], minlength=len(sizes))[None], sizes)[0]))


def _share_aucs(counts: npt.NDArray[np.int64], sizes: npt.NDArray[Any]) -> _Floats:
    """counts (R, K) of cases in categories of these sizes (K,) → (R,) AUC of the share of cases."""
    order = np.argsort(counts / sizes, axis=1, kind="stable")
    cases = np.take_along_axis(counts, order, axis=1)
    others = np.take_along_axis(sizes[None] - counts, order, axis=1)
    below = np.cumsum(others, axis=1) - others
    won = (cases * (below + others / 2)).sum(axis=1)
    return np.asarray(won / (cases.sum(axis=1) * others.sum(axis=1)))


def _draws(total: int, count: int) -> npt.NDArray[np.int64]:
    """(_DRAWS, count) positions, none twice in a draw; the same for the same arguments."""
    random = np.random.default_rng(0)
    if total <= 10 * FEW_PATIENTS:
        return np.argsort(random.random((_DRAWS, total)), axis=1)[:, :count]
    drawn = np.empty((0, count), dtype=np.int64)
    while len(drawn) < _DRAWS:
        tried = np.sort(random.integers(0, total, (_DRAWS, count)), axis=1)
        drawn = np.concatenate([drawn, tried[(np.diff(tried, axis=1) > 0).all(axis=1)]])
    return drawn[:_DRAWS]


def _share(drawn: _Floats, observed: float) -> float:
    return float(1 + (drawn >= observed - 1e-9).sum()) / (len(drawn) + 1)
