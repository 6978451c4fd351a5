"""Numbers as normal scores: the share of the training rows below a value, as a quantile of the normal
distribution. Skewed laboratory values and outliers get similar scores in any unit.

The definition is that of scikit-learn's QuantileTransformer(output_distribution="normal"), on all rows, so
that the numbers can be checked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_ROWS_PER_QUANTILE = 5
_FEWEST, _MOST = 10, 1000
"""Number of quantiles of a column, never more than it has values. More than a thousand would enlarge
checkpoints without an effect."""
_LARGEST_SCORE = 3.0
"""Three standard deviations: a larger score would only show that the value is the largest or smallest one in
training."""
_TOLERANCE = 1e-7
"""Tolerance of comparisons with the extremes of training, as in scikit-learn."""


def fit_quantiles(known: npt.NDArray[np.float64]) -> list[float]:
    """known: the finite values of the training rows, at least one → their quantiles at even shares,
    ascending.
    """
    count = min(max(_FEWEST, known.size // _ROWS_PER_QUANTILE), _MOST, known.size)
    quantiles = np.percentile(known, np.linspace(0, 1, count) * 100)
    ascending: list[float] = np.maximum.accumulate(quantiles).tolist()
    return ascending


def normal_scores(numbers: npt.NDArray[np.float64], quantiles: Sequence[float]) -> npt.NDArray[np.float64]:
    """numbers (N,), finite → (N,) scores between -3 and 3. A value at tied quantiles gets the middle share; a
    value at the extremes of training or beyond gets the largest score.
    """
    from scipy.special import ndtri

    points = np.asarray(quantiles)
    shares = np.linspace(0, 1, len(points))
    from_below = np.interp(numbers, points, shares)
    from_above = np.interp(-numbers, -points[::-1], -shares[::-1])
    share = 0.5 * (from_below - from_above)
    share[numbers + _TOLERANCE > points[-1]] = 1
    share[numbers - _TOLERANCE < points[0]] = 0
    return np.asarray(np.clip(ndtri(share), -_LARGEST_SCORE, _LARGEST_SCORE))
