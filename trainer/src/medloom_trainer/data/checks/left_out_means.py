"""Columns that were computed from the labels of the other cases: the mean label of a group without the case
itself, such as the share of the ward's other patients with the disease (leave-one-out target encoding).

Within a group such a value falls as the label of its case rises, since the case with the higher label leaves
the lower mean behind; between groups it rises with the label. No measurement does both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import Outcomes

_MOST_GROUPINGS = 20
_MOST_ROWS = 5_000
"""Limits of the search: the first columns that divide the cases into groups, and the first cases."""
_LEAST_GROUPS = 6
_LEAST_CASES = 4
"""Minimum number of cases of a group; smaller groups are skipped."""
_WITHIN = -0.9
"""Maximum correlation within groups. It is -1 if the value was computed without noise."""
_BETWEEN = 0.7
"""Minimum correlation between the means of groups. It is 1 if the value was computed on the same cases."""
_SHARE = 0.5
"""Maximum slope within groups, as a share of that between them. One of n cases changes a mean by 1 / (n - 1);
the slopes of a measurement in units of the group are alike."""
_ROUNDING = 1e-9

_Floats = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int64]


def means_of_other_cases(
    numbers: Mapping[str, _Floats], cells: Mapping[str, Sequence[str]], outcomes: Outcomes
) -> dict[str, str]:
    """numbers: name → (N,), NaN if unknown; cells: name → (N,) texts of all columns. → name of each such
    number, and the column of its groups. One case of each patient counts."""
    rows = np.unique(outcomes.groups, return_index=True)[1][:_MOST_ROWS]
    targets = [outcomes.labels] if outcomes.is_quantity else [mask for _, mask in outcomes.events]
    labels = [target[rows].astype(np.float64) for target in targets]
    complete = {name: values[rows] for name, values in numbers.items() if np.isfinite(values[rows]).all()}
    found: dict[str, str] = {}
    for group, codes in islice(_groupings(cells, rows), _MOST_GROUPINGS):
        for name, values in complete.items():
            if name not in (group, *found) and any(_is_left_out(values, event, codes) for event in labels):
                found[name] = group
    return found


def _groupings(cells: Mapping[str, Sequence[str]], rows: _Codes) -> Iterator[tuple[str, _Codes]]:
    """Columns that divide the rows into several groups of several cases."""
    for name, texts in cells.items():
        chosen = [texts[row] for row in rows.tolist()]
        if _LEAST_GROUPS <= len(set(chosen)) <= len(chosen) / _LEAST_CASES:
            yield name, np.unique(chosen, return_inverse=True)[1]


def _is_left_out(values: _Floats, labels: _Floats, codes: _Codes) -> bool:
    """values, labels, codes: (N,) of a number, the label and the group."""
    sizes = np.bincount(codes)
    value_mean, label_mean = (np.bincount(codes, weights=part) / sizes for part in (values, labels))
    value, label = values - value_mean[codes], labels - label_mean[codes]
    products = np.bincount(codes, weights=value * label)
    value_squares, label_squares = (np.bincount(codes, weights=part**2) for part in (value, label))
    spread = np.sqrt(value_squares * label_squares)
    usable = (sizes >= _LEAST_CASES) & (spread > _ROUNDING * sizes * (1 + np.abs(value_mean)))
    if usable.sum() < _LEAST_GROUPS:
        return False
    weights = sizes[usable]
    if np.average(products[usable] / spread[usable], weights=weights) > _WITHIN:
        return False
    between = np.cov(value_mean[usable], label_mean[usable], fweights=weights)
    if between[0, 1] <= _BETWEEN * np.sqrt(between[0, 0] * between[1, 1]):
        return False
    slope_within = products[usable].sum() / label_squares[usable].sum()
    return bool(-slope_within <= _SHARE * between[0, 1] / between[1, 1])
