"""Columns that were computed from the labels of the other cases: the mean label of a group without the case
itself, such as the share of the ward's other patients with the disease (leave-one-out target encoding).

Within a group such a value falls as the label of its case rises, since the case with the higher label leaves
the lower mean behind; between groups it rises with the label. No measurement does both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.checks.association import Outcomes, first_of_each
from medloom_trainer.data.tables import Levels, coded

MOST_GROUPINGS = 20
"""Limit of columns that divide the cases into groups: only the first ones are searched."""
_MOST_ROWS = 5_000
_FEWEST_DRAWN = 20
"""Limit of cases. They are drawn, since a table may be sorted by its label or by the group: whole groups, or
cases of _FEWEST_DRAWN groups if those are larger."""
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


class LeftOutMeans(NamedTuple):
    """Numbers that are means of the other cases."""

    found: dict[str, str]
    """Name of the number → column of its groups."""
    is_complete: bool
    """False: more columns than MOST_GROUPINGS divide the cases into groups."""


def means_of_other_cases(
    numbers: Mapping[str, _Floats | Levels], cells: Mapping[str, Sequence[str]], outcomes: Outcomes
) -> LeftOutMeans:
    """numbers: name → (N,), NaN if unknown; cells: name → (N,) texts of all columns. One case of each patient
    counts."""
    rows = first_of_each(outcomes.groups, np.arange(len(outcomes.groups)))
    targets = [outcomes.labels] if outcomes.is_quantity else [mask for _, mask in outcomes.events]
    groupings = _groupings(cells, rows)
    by_levels = {name: Levels.of(values) for name, values in numbers.items()}
    found: dict[str, str] = {}
    for group, codes in islice(groupings, MOST_GROUPINGS):
        drawn = _draw_cases(codes)
        places, codes = rows[drawn], np.unique(codes[drawn], return_inverse=True)[1]
        labels = [target[places].astype(np.float64) for target in targets]
        for name, levels in by_levels.items():
            values = levels.values(places)
            if name in (group, *found) or not np.isfinite(values).all():
                continue
            if any(_is_left_out(values, event, codes) for event in labels):
                found[name] = group
    return LeftOutMeans(found, next(groupings, None) is None)


def _groupings(cells: Mapping[str, Sequence[str]], rows: _Codes) -> Iterator[tuple[str, _Codes]]:
    """Columns that divide the rows into several groups of several cases."""
    for name, texts in cells.items():
        codes = coded(texts)[1][rows]
        occurs = np.bincount(codes, minlength=1) > 0
        if _LEAST_GROUPS <= np.count_nonzero(occurs) <= len(codes) / _LEAST_CASES:
            yield name, (np.cumsum(occurs) - 1)[codes]


def _draw_cases(codes: _Codes) -> _Codes:
    """(N,) group of each case → positions of about _MOST_ROWS cases, and at most twice as many."""
    if len(codes) <= _MOST_ROWS:
        return np.arange(len(codes))
    random, count = np.random.default_rng(0), int(codes.max()) + 1
    drawn = random.permutation(count)[: max(_FEWEST_DRAWN, _MOST_ROWS * count // len(codes))]
    is_drawn = np.zeros(count, dtype=np.bool_)
    is_drawn[drawn] = True
    cases: _Codes = random.permutation(np.flatnonzero(is_drawn[codes]))
    cases = cases[np.argsort(codes[cases], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes[cases], minlength=count))])
    place_in_group = np.arange(len(cases)) - starts[codes[cases]]
    shown: _Codes = cases[place_in_group < 2 * _MOST_ROWS // len(drawn)]
    return shown


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
