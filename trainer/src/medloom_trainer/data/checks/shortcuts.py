"""Shortcuts: ways to know the label without medicine. Warnings on the training split, by column name, never
by value.

A column, or a column's gaps, or the size and depth of the image that alone predict the label; a column that
follows from the label; a column that never varies within a class although it does in others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from medloom_trainer.data.images import ImageHeader
from medloom_trainer.data.tables import Table, missing_mask, read_numbers
from medloom_trainer.data.types import Warnings
from medloom_trainer.warnings import warning

_COLUMN_AUC = 0.95
_MISSINGNESS_AUC = 0.7
_IMAGE_SIZE_AUC = 0.7
_FEWEST_CASES = 20
"""Classes with fewer cases, or fewer others, prove nothing."""
_CHANCE = 1e-6
"""A column that is constant in a class is remarkable when the other classes make that less likely than
this.
"""
_FEW_VALUES = 10
"""A numeric column with more distinct texts is not looked at by class."""
_FOLDS = 5

_Labels = npt.NDArray[Any]
_Events = list[tuple[str, npt.NDArray[np.bool_]]]
"""(name, mask) of each outcome that something may predict."""


def shortcut_warnings(
    table: Table,
    headers: Sequence[Sequence[ImageHeader]] | None,
    labels: _Labels,
    classes: tuple[str, ...] | None,
    numeric: Sequence[str],
    categorical: Sequence[str],
    groups: npt.NDArray[np.int64],
) -> Warnings:
    """Warnings about the columns that the model reads, and about its images. Regression: above its median or
    not. headers: of the images of each case, where they are known.
    """
    events = _event_masks(labels, classes)
    if not events:
        return []
    folds = _folds_of(groups)
    missing = {column: missing_mask(table.cells[column]) for column in (*numeric, *categorical)}
    found: Warnings = []
    for column in numeric:
        values = read_numbers(table.cells[column], table.delimiter).values
        best = _best_auc([values], ~np.isnan(values), events)
        few = len(set(table.cells[column])) <= _FEW_VALUES
        found += _column_warnings(column, best, table, missing[column], labels, classes if few else None)
    for column in categorical:
        scores = _out_of_fold_shares(np.asarray(table.cells[column]), events, folds)
        best = _best_auc(scores, ~missing[column], events)
        found += _column_warnings(column, best, table, missing[column], labels, classes)
    found += _missingness_warnings(missing, events)
    if headers is not None:
        found += _image_warnings(headers, events, folds)
    return found


def _column_warnings(
    column: str,
    best: tuple[str, float],
    table: Table,
    missing: npt.NDArray[np.bool_],
    labels: _Labels,
    classes: tuple[str, ...] | None,
) -> Warnings:
    """best: (outcome, AUC) of the column alone. classes: None where the column is not looked at by class."""
    name, auc = best
    if auc > _COLUMN_AUC:
        message = f'"{column}" alone predicts {name} (AUC {auc:.2f}); does it follow from the label?'
        return [warning("LABEL_PREDICTED_BY_COLUMN", message)]
    pure = _classes_without_variation(table.cells[column], missing, labels, classes or ())
    if not pure:
        return []
    message = f'"{column}" never varies within {", ".join(pure[:10])}, although it does elsewhere'
    return [warning("LABEL_PREDICTED_BY_COLUMN", f"{message}; does it follow from the label?")]


def _missingness_warnings(missing: Mapping[str, npt.NDArray[np.bool_]], events: _Events) -> Warnings:
    """One warning for all columns with the same gaps."""
    columns_of: dict[bytes, list[str]] = {}
    for column, gaps in missing.items():
        if gaps.any() and not gaps.all():
            columns_of.setdefault(gaps.tobytes(), []).append(column)
    found = []
    for columns in columns_of.values():
        gaps = missing[columns[0]]
        name, auc = _best_auc([gaps.astype(float)], np.ones(len(gaps), dtype=np.bool_), events)
        if auc > _MISSINGNESS_AUC:
            named = ", ".join(f'"{column}"' for column in columns)
            message = f"whether {named} is missing predicts {name} (AUC {auc:.2f})"
            found.append(warning("LABEL_PREDICTED_BY_MISSINGNESS", message))
    return found


def _image_warnings(
    headers: Sequence[Sequence[ImageHeader]], events: _Events, folds: npt.NDArray[np.int64]
) -> Warnings:
    sizes = np.asarray([repr(of_case) for of_case in headers])
    scores = _out_of_fold_shares(sizes, events, folds)
    name, auc = _best_auc(scores, np.ones(len(headers), dtype=np.bool_), events)
    if auc <= _IMAGE_SIZE_AUC:
        return []
    message = f"the number, size and depth of the images alone predict {name} (AUC {auc:.2f})"
    return [warning("LABEL_PREDICTED_BY_IMAGE_SIZE", f"{message}; were classes acquired differently?")]


def _event_masks(labels: _Labels, classes: tuple[str, ...] | None) -> _Events:
    """(name, mask) of each outcome with enough cases on both sides; of two classes one says all."""
    if classes is None:
        masks = [("the label", labels > np.median(labels))]
    elif len(classes) == 2:
        masks = [("the label", labels == 1)]
    else:
        masks = [(f"class {name}", labels == index) for index, name in enumerate(classes)]
    return [(name, mask) for name, mask in masks if min(mask.sum(), (~mask).sum()) >= _FEWEST_CASES]


def _best_auc(
    scores: Sequence[npt.NDArray[np.float64]],
    known: npt.NDArray[np.bool_],
    events: _Events,
) -> tuple[str, float]:
    """The outcome that is predicted best, in either direction. `scores`: one for all outcomes, or one per
    outcome.
    """
    best = ("", 0.0)
    for position, (name, mask) in enumerate(events):
        score = scores[position if len(scores) > 1 else 0][known]
        event = mask[known]
        if min(event.sum(), (~event).sum()) < _FEWEST_CASES:
            continue
        auc = area_under_curve(event, score)
        auc = max(auc, 1 - auc) if len(scores) == 1 else auc
        best = max(best, (name, auc), key=lambda pair: pair[1])
    return best


def area_under_curve(event: npt.NDArray[np.bool_], score: npt.NDArray[np.float64]) -> float:
    """Mann–Whitney: the chance that a case scores above a control, ties counting half."""
    ranks = rankdata(score)
    cases = int(event.sum())
    return float((ranks[event].sum() - cases * (cases + 1) / 2) / (cases * (len(event) - cases)))


def _folds_of(groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    names, group_of = np.unique(groups, return_inverse=True)
    folds = np.random.default_rng(0).permutation(len(names)) % _FOLDS
    return np.asarray(folds[group_of])


def _out_of_fold_shares(
    values: npt.NDArray[Any], events: _Events, folds: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.float64]]:
    """Per outcome (N,): its share among the cases of other folds with the same value, so that rare values
    prove nothing.
    """
    _, index = np.unique(values, return_inverse=True)
    size = int(index.max()) + 1
    shares = []
    for _, mask in events:
        share = np.zeros(len(values))
        for fold in range(_FOLDS):
            mine = folds == fold
            prior = mask[~mine].mean() if (~mine).any() else 0.0
            sums = np.bincount(index[~mine], weights=mask[~mine], minlength=size)
            counts = np.bincount(index[~mine], minlength=size)
            share[mine] = ((sums + prior) / (counts + 1))[index[mine]] - prior
        shares.append(share)
    return shares if len(shares) > 1 else [shares[0]]


def _classes_without_variation(
    texts: Sequence[str], missing: npt.NDArray[np.bool_], labels: _Labels, classes: Sequence[str]
) -> list[str]:
    """Classes in which the column never varies, where the other classes make that no chance."""
    known = ~missing
    values = np.asarray(texts)
    pure = []
    for index, name in enumerate(classes):
        mine, others = known & (labels == index), known & (labels != index)
        inside = np.unique(values[mine])
        if mine.sum() >= _FEWEST_CASES and others.any() and len(inside) == 1:
            share = float(np.mean(values[others] == inside[0]))
            if share ** int(mine.sum()) < _CHANCE:
                pure.append(name)
    return pure
