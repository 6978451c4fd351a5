"""Strength of the association between a single variable and the label: for each class against the rest, and
for a quantity at several cutoffs, since a column that was derived from it by a threshold is most visible at
that threshold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.checks.permutation_tests import (
    FEW_PATIENTS,
    category_probability,
    is_testable,
    normal_probability,
    one_row_per_patient,
    permutation_probability,
)
from medloom_trainer.data.tables import Levels, Target, sorted_codes

FEW_VALUES = 10
"""A column with more distinct values is not examined value by value."""
_CUTS = (10, 20, 30, 40, 50, 60, 70, 80, 90)
"""Percentiles of a quantity."""
_FEWEST_AT_A_CUT = 3
_FOLDS = 5
_LEVEL = 0.05
"""Probability of one false warning among all columns of a table."""
_LOWEST_LEVEL = 1e-3
"""Lowest level that the permutations can detect."""

_Mask = npt.NDArray[np.bool_]
_Floats = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.signedinteger[Any]]
Events = list[tuple[Phrased, _Mask]]
"""(name, (N,) mask) of each outcome that may be predicted."""


@dataclass(frozen=True)
class Outcomes:
    """The label of N cases, as binary outcomes."""

    name: Phrased
    """Name of the predicted quantity within a sentence."""
    labels: npt.NDArray[Any]
    is_quantity: bool
    events: Events
    groups: npt.NDArray[np.int64]
    """(N,) cases of one patient have the same number."""
    folds: npt.NDArray[np.int64]
    level: float
    """Level of significance."""
    unchecked: list[Phrased]
    """Outcomes with too few patients for a significant result."""


@dataclass
class Tested:
    """The outcome that a variable predicts best, if the association is significant."""

    name: Phrased = field(default_factory=lambda: phrase("outcome_label"))
    auc: float = 0.0
    tested: bool = False
    """At least one outcome had enough patients."""


def outcomes_of(question: Target, groups: npt.NDArray[np.int64], columns: int) -> Outcomes:
    """groups: of the cases that answer it. columns: number of searched columns, each of which may be a false
    positive."""
    labels, classes, name = question.labels, question.classes, question.name
    events = _event_masks(question)
    level = max(_LOWEST_LEVEL, _LEVEL / max(1, columns * len(events)))
    checked, unchecked = [], []
    for event, happened in events:
        having, lacking = (count_groups(groups[side]) for side in (happened, ~happened))
        if is_testable(having, lacking, level):
            checked.append((event, happened))
        elif classes is not None:
            fewest = phrase("patients_of", patients=min(having, lacking), count=count_groups(groups))
            unchecked.append(phrase("in_brackets", text=event, more=fewest))
    if classes is None and not checked:
        patients = phrase("patients", count=count_groups(groups))
        unchecked.append(phrase("in_brackets", text=name, more=patients))
    return Outcomes(name, labels, classes is None, checked, groups, _folds_of(groups), level, unchecked)


def associate_numbers(numbers: _Floats | Levels, outcomes: Outcomes, least: float) -> Tested:
    """numbers: (N,), NaN if unknown. The AUC in either direction, if it is above `least`."""
    levels = Levels.of(numbers)
    values, known, found = levels.values(), levels.known, Tested()
    all_ranks = _ranks_of_levels(levels, known)
    for name, happened in [*outcomes.events, *_cuts_at_values(values, known, outcomes)]:
        compared = _compare(happened, known, outcomes)
        if compared is None:
            continue
        found.tested = True
        event = happened[compared.rows]
        ranks = average_ranks(values[compared.rows]) if compared.exactly else all_ranks
        auc = _area(event, ranks)
        auc = max(auc, 1 - auc)
        if auc > max(least, found.auc):
            test = permutation_probability if compared.exactly else normal_probability
            if test(event, ranks) <= outcomes.level:
                found.name, found.auc = name, auc
    return found


def associate_categories(texts: Sequence[str], known: _Mask, outcomes: Outcomes, least: float) -> Tested:
    """The AUC of the share of the outcome among the cases of other folds with the same text, so that rare
    texts have no effect."""
    return associate_codes(sorted_codes(texts), known, outcomes, least)


def associate_values(numbers: _Floats | Levels, outcomes: Outcomes, least: float) -> Tested:
    """The same with the values of a number as categories, for a class: each value that was computed from the
    labels may belong to one class although the order of the values does not show it."""
    levels = Levels.of(numbers)
    known = levels.known
    if outcomes.is_quantity or 2 * (len(levels.ascending) + (not known.all())) > known.sum():
        return Tested()
    return associate_codes(levels.codes, known, outcomes, least)


def associate_codes(codes: _Codes, known: _Mask, outcomes: Outcomes, least: float) -> Tested:
    """codes: (N,) a number from 0 for each text."""
    ordered, found = _mean_label_of(codes, outcomes), Tested()
    for name, happened in [*outcomes.events, *_cuts_at_values(ordered, known, outcomes)]:
        compared = _compare(happened, known, outcomes)
        if compared is None:
            continue
        found.tested = True
        rows = compared.rows
        event = happened[rows]
        ranks = _ranks_of_shares(codes, happened, outcomes.folds, rows)
        auc = _area(event, ranks)
        if auc > max(least, found.auc):
            exact = compared.exactly
            chance = category_probability(event, codes[rows]) if exact else normal_probability(event, ranks)
            if chance <= outcomes.level:
                found.name, found.auc = name, auc
    return found


def rank_correlation(values: _Floats, outcomes: Outcomes) -> float:
    """Spearman correlation, between -1 and 1, of the known values with a quantity; 0 for classes and if it is
    not significant."""
    known = ~np.isnan(values)
    patients = count_groups(outcomes.groups[known])
    if not outcomes.is_quantity or patients < FEW_VALUES:
        return 0.0
    first, second = average_ranks(values[known]), average_ranks(outcomes.labels[known])
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def rank_categories(texts: Sequence[str], known: _Mask, outcomes: Outcomes) -> _Floats:
    """(N,) the mean rank of the label among cases of other folds with the same text; NaN if unknown."""
    codes = sorted_codes(texts)
    ranks = average_ranks(outcomes.labels) / len(codes)
    return np.where(known, _out_of_fold_shares(codes, ranks, outcomes.folds), np.nan)


def area_under_curve(event: _Mask, score: _Floats) -> float:
    """Mann–Whitney: the probability that a case scores above a control, ties counting half."""
    return _area(event, average_ranks(score))


def average_ranks(values: npt.NDArray[Any]) -> _Floats:
    """(N,) ranks from 1; tied values share their mean rank. scipy.stats has this function too, but its import
    takes most of a second, for which an inspection would wait.
    """
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return _mean_ranks(counts)[place]


def _mean_ranks(counts: npt.NDArray[np.int64]) -> _Floats:
    """(L,) cases with each value, in ascending order → the mean rank of each."""
    return np.asarray(np.cumsum(counts) - (counts - 1) / 2)


def _ranks_of_levels(levels: Levels, known: _Mask) -> _Floats:
    """`average_ranks` of the known values, without sorting the cases."""
    return _mean_ranks(levels.counts(known))[levels.codes[known]]


def _area(event: _Mask, ranks: _Floats) -> float:
    cases = int(event.sum())
    return float((ranks[event].sum() - cases * (cases + 1) / 2) / (cases * (len(event) - cases)))


def _event_masks(question: Target) -> Events:
    """For two classes one mask is sufficient."""
    labels, classes = question.labels, question.classes
    if classes is not None:
        if len(classes) == 2:
            return [(question.name, labels == 1)]
        return [(phrase("outcome_class", name=name), labels == index) for index, name in enumerate(classes)]
    masks: dict[bytes, tuple[Phrased, _Mask]] = {}
    for percent in _CUTS:
        mask = labels > np.percentile(labels, percent)
        if min(mask.sum(), (~mask).sum()) >= _FEWEST_AT_A_CUT:
            name = phrase("outcome_highest", percent=str(100 - percent), outcome=question.name)
            masks.setdefault(mask.tobytes(), (name, mask))
    return list(masks.values())


def _cuts_at_values(values: _Floats, known: _Mask, outcomes: Outcomes) -> Iterator[tuple[Phrased, _Mask]]:
    """For a quantity and a column of few values: the cutoffs that leave as many cases above as the column
    does, in either direction. A column that was derived by a threshold is only found at that cutoff."""
    if not outcomes.is_quantity:
        return
    mine = values[known]
    levels = np.unique(mine)
    if not 2 <= len(levels) <= FEW_VALUES:
        return
    labels = np.sort(outcomes.labels[known])
    above = {int((mine >= level).sum()) for level in levels[1:]}
    for count in sorted(above | {len(mine) - count for count in above}):
        mask = outcomes.labels >= labels[len(labels) - count]
        inside = int(mask[known].sum())
        if min(inside, len(mine) - inside) >= _FEWEST_AT_A_CUT:
            yield phrase("outcome_cutoff", outcome=outcomes.name), mask


def _mean_label_of(codes: _Codes, outcomes: Outcomes) -> _Floats:
    """(N,) categories in the order of their mean label; only used to choose cutoffs of a quantity."""
    if not outcomes.is_quantity:
        return np.zeros(len(codes))
    return np.asarray((np.bincount(codes, weights=outcomes.labels) / np.bincount(codes))[codes])


@dataclass(frozen=True)
class _Compared:
    rows: npt.NDArray[np.int64]
    exactly: bool
    """Use one row of each patient and no approximation, because there are few patients."""


def _compare(happened: _Mask, known: _Mask, outcomes: Outcomes) -> _Compared | None:
    """None if there are too few patients for a significant result."""
    groups = outcomes.groups
    if min(count_groups(groups[known & side]) for side in (happened, ~happened)) >= FEW_PATIENTS:
        return _Compared(np.flatnonzero(known), False)
    rows = one_row_per_patient(happened, groups, known)
    having = int(happened[rows].sum())
    return _Compared(rows, True) if is_testable(having, len(rows) - having, outcomes.level) else None


def count_groups(groups: npt.NDArray[np.int64]) -> int:
    """Number of different numbers, which count from 0."""
    return int(np.count_nonzero(np.bincount(groups))) if len(groups) else 0


def first_of_each(groups: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The first of these rows of each group, by group. groups: (N,) numbers that count from 0."""
    first = np.full(int(groups.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[groups[rows][::-1]] = rows[::-1]  # the last assignment of several counts
    return first[first >= 0]


def _folds_of(groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    names, group_of = np.unique(groups, return_inverse=True)
    folds = np.random.default_rng(0).permutation(len(names)) % _FOLDS
    return np.asarray(folds[group_of])


def _out_of_fold_shares(codes: _Codes, outcome: npt.NDArray[Any], folds: npt.NDArray[np.int64]) -> _Floats:
    """(N,) the mean outcome among the cases of other folds with the same code, less that of all of them."""
    return _shares(codes, outcome, folds)[folds, codes]


def _ranks_of_shares(
    codes: _Codes,
    outcome: npt.NDArray[Any],
    folds: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
) -> _Floats:
    """`average_ranks` of the `_out_of_fold_shares` of these rows, without sorting the cases."""
    shares = _shares(codes, outcome, folds)
    ascending, place = np.unique(shares, return_inverse=True)
    places = place.reshape(shares.shape)[folds[rows], codes[rows]]
    return _mean_ranks(np.bincount(places, minlength=len(ascending)))[places]


def _shares(codes: _Codes, outcome: npt.NDArray[Any], folds: npt.NDArray[np.int64]) -> _Floats:
    """(_FOLDS, K) the mean outcome among the cases of other folds with each code, less that of all of
    them."""
    size = int(codes.max()) + 1
    cells, shape = folds * size + codes, (_FOLDS, size)
    inside, cases = (
        np.bincount(cells, weights=weights, minlength=_FOLDS * size).reshape(shape)
        for weights in (outcome, None)
    )
    sums, counts = inside.sum(axis=0) - inside, cases.sum(axis=0) - cases
    prior = sums.sum(axis=1, keepdims=True) / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    share: _Floats = (sums + prior) / (counts + 1) - prior
    return share
