"""Selection of the table columns that the model reads: all, those that vary, or those most associated with
the label. For survival the label is represented by its martingale residual (data/tables/targets.py).

The selection uses only the training rows; it is part of the fitted state of the table. Numeric and
categorical columns are ranked on one scale, so that a column is kept or dropped as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import Table, Target, bounded, missing_mask, read_numbers

_BINS = 10
"""Number of quantiles into which numbers are divided to estimate their information."""
_LABEL_BINS = 5


@dataclass(frozen=True)
class Selection:
    """The selected columns and their scores."""

    numeric: tuple[str, ...]
    categorical: tuple[str, ...]
    scores: dict[str, float]
    """Column → its score; empty for method none. variance: distinct values; univariate: -log10 p;
    mutual_information: nats.
    """

    @property
    def dropped(self) -> list[str]:
        selected = {*self.numeric, *self.categorical}
        return [column for column in self.scores if column not in selected]


def select_columns(
    table: Table,
    numeric: Sequence[str],
    categorical: Sequence[str],
    questions: Sequence[Target],
    settings: dict[str, Any],
) -> Selection:
    """settings: contract FeatureSelection. questions: those of the label; of several, the one about which a
    column has the most information counts.

    Of equal scores the column that comes first in the table is kept.
    """
    method, keep = settings["method"], settings["keep"]
    if method == "none":
        return Selection(tuple(numeric), tuple(categorical), {})
    wanted = {*numeric, *categorical}
    scores = {}
    for name in (column for column in table.columns if column in wanted):
        values = _column_values(table, name, name in set(numeric))
        if method == "variance":
            scores[name] = float(len(np.unique(values[~_missing(values)])))
        else:
            scores[name] = max(_SCORES[method](values[q.rows], q.labels, q.num_classes) for q in questions)
    if method == "variance":
        selected = {name for name, score in scores.items() if score > 1}
    else:
        selected = set(sorted(scores, key=lambda name: -scores[name])[:keep])
    return Selection(
        tuple(name for name in numeric if name in selected),
        tuple(name for name in categorical if name in selected),
        scores,
    )


def _column_values(table: Table, name: str, is_number: bool) -> npt.NDArray[Any]:
    """(N,) float64 with NaN if missing, or int64 category numbers with -1 if missing."""
    texts = table.cells[name]
    if is_number:
        return bounded(read_numbers(texts, table.delimiter).values)
    numbers = np.unique(np.asarray(texts, dtype=np.str_), return_inverse=True)[1].astype(np.int64)
    numbers[missing_mask(texts)] = -1
    return numbers


def _missing(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    mask: npt.NDArray[np.bool_] = np.isnan(values) if values.dtype.kind == "f" else values < 0
    return mask


def _univariate(values: npt.NDArray[Any], labels: npt.NDArray[Any], num_classes: int | None) -> float:
    """-log10 of the p-value of the test for the two kinds of values, on the rows that have a value.

    number and class, category and number: one-way analysis of variance; number and number: F test of the
    correlation; category and class: Pearson's chi-squared.
    """
    there = ~_missing(values)
    values, labels = values[there], labels[there]
    if values.dtype.kind == "f":
        if num_classes is None:
            log_p = _correlation_log_p(values, labels.astype(np.float64))
        else:
            log_p = _variance_log_p(values, labels)
    elif num_classes is None:
        log_p = _variance_log_p(labels.astype(np.float64), values)
    else:
        log_p = _independence_log_p(_contingency(values, labels))
    return float(-log_p / np.log(10)) if np.isfinite(log_p) else (0.0 if np.isnan(log_p) else 1e9)


def _variance_log_p(numbers: npt.NDArray[np.float64], groups: npt.NDArray[Any]) -> float:
    """log p of one-way analysis of variance (Fisher 1925); NaN if it is not defined."""
    names, group_of = np.unique(groups, return_inverse=True)
    count, between = len(numbers), len(names) - 1
    within = count - len(names)
    if between < 1 or within < 1:
        return float("nan")
    counts = np.bincount(group_of)
    means = np.bincount(group_of, weights=numbers) / counts
    explained = float((counts * np.square(means - numbers.mean())).sum())
    residual = float(np.square(numbers - means[group_of]).sum())
    return _f_log_p(explained / between, residual / within, between, within)


def _correlation_log_p(numbers: npt.NDArray[np.float64], labels: npt.NDArray[np.float64]) -> float:
    freedom = len(numbers) - 2
    if freedom < 1 or np.ptp(numbers) == 0 or np.ptp(labels) == 0:
        return float("nan")
    square = min(1.0, float(np.corrcoef(numbers, labels)[0, 1]) ** 2)
    return _f_log_p(square, (1 - square) / freedom, 1, freedom)


def _f_log_p(explained: float, residual: float, between: int, within: int) -> float:
    from scipy.special import fdtrc

    if explained <= 0:
        return 0.0
    return _log(fdtrc(between, within, explained / residual)) if residual > 0 else float("-inf")


def _independence_log_p(table: npt.NDArray[np.int64]) -> float:
    from scipy.special import chdtrc

    if table.shape[0] < 2 or table.shape[1] < 2:
        return float("nan")
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    statistic = float((np.square(table - expected) / expected).sum())
    return _log(chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), statistic))


def _log(p: float) -> float:
    """-inf for a p-value that is too small for a float."""
    return log(p) if p != 0 else float("-inf")


def _mutual_information(values: npt.NDArray[Any], labels: npt.NDArray[Any], num_classes: int | None) -> float:
    """Nats between column and label, with Miller and Madow's correction for small samples (1955), at least 0.

    Numbers are divided into quantiles; a missing value is a separate category, because it may be
    informative.
    """
    classes = labels if num_classes is not None else _quantiles(labels.astype(np.float64), _LABEL_BINS)
    table = _contingency(_quantiles(values, _BINS) if values.dtype.kind == "f" else values, classes)
    joint = table / table.sum()
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    cells = joint > 0
    plain = float((joint[cells] * np.log(joint[cells] / product[cells])).sum())
    bias = (int(cells.sum()) - table.shape[0] - table.shape[1] + 1) / (2 * table.sum())
    return max(0.0, plain - float(bias))


_SCORES = {"univariate": _univariate, "mutual_information": _mutual_information}


def _quantiles(values: npt.NDArray[np.float64], bins: int) -> npt.NDArray[np.int64]:
    """(N,) bin numbers, -1 if missing."""
    there = ~np.isnan(values)
    numbers = np.full(len(values), -1, dtype=np.int64)
    if there.any():
        edges = np.unique(np.percentile(values[there], np.linspace(0, 100, bins + 1)[1:-1]))
        numbers[there] = np.searchsorted(edges, values[there], side="right")
    return numbers


def _contingency(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Counts of pairs; no row and no column is empty."""
    rows, row_of = np.unique(first, return_inverse=True)
    columns, column_of = np.unique(second, return_inverse=True)
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    np.add.at(table, (row_of, column_of), 1)
    return table
