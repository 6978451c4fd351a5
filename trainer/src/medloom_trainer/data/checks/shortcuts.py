"""Ways to know the label without medicine: warned of on the training split, by column name, never by value.

A column, or a column's gaps, or the size and depth of the image that alone predict the label; a column that
follows from the label; a column that never varies within a class although it does in others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from medloom_trainer.data.images.decode import ImageHeader
from medloom_trainer.data.tables.cells import missing_mask, read_numbers
from medloom_trainer.data.tables.formats.csv_reader import Table

COLUMN_AUC = 0.95
MISSINGNESS_AUC = 0.7
IMAGE_SIZE_AUC = 0.7
FEWEST_CASES = 20
"""Classes with fewer cases, or fewer others, prove nothing."""
CHANCE = 1e-6
"""A column that is constant in a class is remarkable when the other classes make that less likely than
this.
"""
FOLDS = 5

Labels = npt.NDArray[Any]


def shortcut_warnings(
    table: Table,
    headers: Sequence[Sequence[ImageHeader]] | None,
    labels: Labels,
    classes: tuple[str, ...] | None,
    numeric: Sequence[str],
    categorical: Sequence[str],
    groups: npt.NDArray[np.int64],
) -> list[dict[str, str]]:
    """[{"code", "message"}] for the columns that the model reads, and for its images. Regression: above
    its median or not.
    """
    events = event_masks(labels, classes)
    if not events:
        return []
    folds = folds_of(groups)
    found: list[dict[str, str]] = []

    def warn(code: str, message: str) -> None:
        found.append({"code": code, "message": message})

    by_gap: dict[bytes, list[str]] = defaultdict(list)
    gaps: dict[bytes, npt.NDArray[np.bool_]] = {}
    for column in (*numeric, *categorical):
        missing = missing_mask(table.cells[column])
        if missing.any() and not missing.all():
            by_gap[missing.tobytes()].append(column)
            gaps[missing.tobytes()] = missing
        if column in numeric:
            values = read_numbers(table.cells[column], table.delimiter).values
            name, auc = best_auc([values], ~np.isnan(values), events)
        else:
            scores = out_of_fold_shares(np.asarray(table.cells[column]), events, folds)
            name, auc = best_auc(scores, ~missing, events)
        if auc > COLUMN_AUC:
            warn(
                "LABEL_PREDICTED_BY_COLUMN",
                f'"{column}" alone predicts {name} (AUC {auc:.2f}); does it follow from the label?',
            )
        elif column in categorical or few_values(table.cells[column]):
            warn_of_purity(column, table.cells[column], missing, labels, classes, warn)
    for key, columns in by_gap.items():
        name, auc = best_auc([gaps[key].astype(float)], np.ones(len(table), dtype=np.bool_), events)
        if auc > MISSINGNESS_AUC:
            named = ", ".join(f'"{column}"' for column in columns)
            warn(
                "LABEL_PREDICTED_BY_MISSINGNESS",
                f"whether {named} is missing predicts {name} (AUC {auc:.2f})",
            )
    if headers is not None:
        sizes = np.asarray([repr(of_case) for of_case in headers])
        scores = out_of_fold_shares(sizes, events, folds)
        name, auc = best_auc(scores, np.ones(len(table), dtype=np.bool_), events)
        if auc > IMAGE_SIZE_AUC:
            message = f"the number, size and depth of the images alone predict {name} (AUC {auc:.2f})"
            warn("LABEL_PREDICTED_BY_IMAGE_SIZE", f"{message}; were classes acquired differently?")
    return found


def event_masks(labels: Labels, classes: tuple[str, ...] | None) -> list[tuple[str, npt.NDArray[np.bool_]]]:
    """(name, mask) of each outcome with enough cases on both sides; of two classes one says all."""
    if classes is None:
        masks = [("the label", labels > np.median(labels))]
    elif len(classes) == 2:
        masks = [("the label", labels == 1)]
    else:
        masks = [(f"class {name}", labels == index) for index, name in enumerate(classes)]
    return [(name, mask) for name, mask in masks if min(mask.sum(), (~mask).sum()) >= FEWEST_CASES]


def best_auc(
    scores: Sequence[npt.NDArray[np.float64]],
    known: npt.NDArray[np.bool_],
    events: list[tuple[str, npt.NDArray[np.bool_]]],
) -> tuple[str, float]:
    """The outcome that is predicted best, in either direction. `scores`: one for all outcomes, or one per
    outcome.
    """
    best = ("", 0.0)
    for position, (name, mask) in enumerate(events):
        score = scores[position if len(scores) > 1 else 0][known]
        event = mask[known]
        if min(event.sum(), (~event).sum()) < FEWEST_CASES:
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


def folds_of(groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    names, group_of = np.unique(groups, return_inverse=True)
    folds = np.random.default_rng(0).permutation(len(names)) % FOLDS
    return np.asarray(folds[group_of])


def out_of_fold_shares(
    values: npt.NDArray[Any], events: list[tuple[str, npt.NDArray[np.bool_]]], folds: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.float64]]:
    """Per outcome (N,): its share among the cases of other folds with the same value, so that rare values
    prove nothing.
    """
    _, index = np.unique(values, return_inverse=True)
    size = int(index.max()) + 1
    shares = []
    for _, mask in events:
        share = np.zeros(len(values))
        for fold in range(FOLDS):
            mine = folds == fold
            prior = mask[~mine].mean() if (~mine).any() else 0.0
            sums = np.bincount(index[~mine], weights=mask[~mine], minlength=size)
            counts = np.bincount(index[~mine], minlength=size)
            share[mine] = ((sums + prior) / (counts + 1))[index[mine]] - prior
        shares.append(share)
    return shares if len(shares) > 1 else [shares[0]]


def few_values(texts: Sequence[str]) -> bool:
    return len(set(texts)) <= 10


def warn_of_purity(
    column: str,
    texts: Sequence[str],
    missing: npt.NDArray[np.bool_],
    labels: Labels,
    classes: tuple[str, ...] | None,
    warn: Any,
) -> None:
    """Classes in which the column never varies, where the other classes make that no chance."""
    if classes is None:
        return
    known = ~missing
    values = np.asarray(texts)
    pure = []
    for index, name in enumerate(classes):
        mine, others = known & (labels == index), known & (labels != index)
        inside = np.unique(values[mine])
        if mine.sum() >= FEWEST_CASES and others.any() and len(inside) == 1:
            share = float(np.mean(values[others] == inside[0]))
            if share ** int(mine.sum()) < CHANCE:
                pure.append(name)
    if pure:
        named = ", ".join(pure[:10])
        message = f'"{column}" never varies within {named}, although it does elsewhere'
        warn("LABEL_PREDICTED_BY_COLUMN", f"{message}; does it follow from the label?")
