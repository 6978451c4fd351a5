"""Columns that were computed from the labels: each value is the mean label of the cases that have it, such as
a ward replaced by the share of its patients with the disease (target encoding).
"""

from __future__ import annotations

from math import erfc, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import Outcomes, first_of_each
from medloom_trainer.data.tables import Levels

_LEAST_CASES = 4
"""Minimum number of cases with the same value; rarer values are skipped."""
_LEAST_VALUES = 6
"""Minimum number of values with different means. For a class, values with none or all of their cases in it do
not count: computed from the labels, all of these would be equal."""
_LINEAR = 0.7
"""Minimum share of the variance between values that a line explains. If cases were matched by the column,
means vary as little, but not with it."""
_CHANCE = 1e-5
"""Significance level. Means of real measurements scatter about any line as the cases within a value do. A
significantly smaller scatter shows that the values were computed from the labels."""
_LEAST_SLOPE, _LARGEST_SLOPE = 0.8, 1.5
"""Range of the slope. Encoders shrink the means of rare values towards the overall mean, so that they vary
less."""

_Floats = npt.NDArray[np.float64]


def is_mean_label(numbers: _Floats | Levels, outcomes: Outcomes) -> bool:
    """numbers: (N,), NaN if unknown. One case of each patient counts: if all patients have a row for each
    visit, the means of visits vary less than cases do. If patients are unknown, a quantity may depend on a
    year as smoothly, so the values must also be on its scale."""
    levels = Levels.of(numbers)
    rows = first_of_each(outcomes.groups, np.flatnonzero(np.isfinite(levels.values())))
    found, counts, places = levels.ascending, levels.counts(rows), levels.codes[rows]
    frequent = counts >= _LEAST_CASES
    if frequent.sum() < _LEAST_VALUES:
        return False
    cases = frequent[places]
    rows, places = rows[cases], (np.cumsum(frequent) - 1)[places[cases]]
    targets = [outcomes.labels] if outcomes.is_quantity else [mask for _, mask in outcomes.events]
    return any(
        _is_too_close(
            found[frequent],
            counts[frequent],
            target[rows].astype(np.float64),
            places,
            same_scale=outcomes.is_quantity,
        )
        for target in targets
    )


def _is_too_close(
    values: _Floats,
    counts: npt.NDArray[np.int64],
    labels: _Floats,
    places: npt.NDArray[Any],
    *,
    same_scale: bool,
) -> bool:
    """values, counts: (K,) of the column. labels, places: (N,) of the cases, and the position of the value of
    each."""
    means = np.bincount(places, weights=labels) / counts
    if not same_scale and ((means > 0) & (means < 1)).sum() < _LEAST_VALUES:
        return False
    freedom = len(labels) - len(values)
    within = float(((labels - means[places]) ** 2).sum()) / freedom
    centered = values - np.average(values, weights=counts)
    offsets = means - labels.mean()
    between = float((counts * offsets**2).sum())
    if within <= 0 or between <= 0:
        return False
    slope = float((counts * centered * offsets).sum() / (counts * centered**2).sum())
    residual = float((counts * (offsets - slope * centered) ** 2).sum())
    if residual > (1 - _LINEAR) * between or (same_scale and not _LEAST_SLOPE <= slope <= _LARGEST_SLOPE):
        return False
    # Lower tail of the F test for lack of fit.
    return _lower_tail(residual / (len(values) - 2) / within, len(values) - 2, freedom) < _CHANCE


def _lower_tail(ratio: float, above: int, below: int) -> float:
    """P(F ≤ ratio) by the cube root of Wilson and Hilferty (Paulson 1942), which needs no SciPy."""
    first, second = 2 / (9 * above), 2 / (9 * below)
    root = ratio ** (1 / 3)
    score = ((1 - second) * root - (1 - first)) / sqrt(second * root**2 + first)
    return erfc(-score / sqrt(2)) / 2
