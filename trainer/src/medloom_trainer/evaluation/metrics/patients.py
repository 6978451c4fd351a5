"""The same metrics over patients instead of rows: the predictions of the rows of a patient become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.arrays import FloatArray
from medloom_trainer.evaluation.metrics.intervals import intervals
from medloom_trainer.evaluation.metrics.outcome import Outcome, estimate
from medloom_trainer.evaluation.metrics.statistics.clusters import Clusters

Aggregation = Literal["mean", "max"]


class OfPatients(NamedTuple):
    labels: npt.NDArray[Any]
    """(P,)"""
    predictions: FloatArray
    """(P,) or (P, K)"""


def aggregate(
    how: Aggregation, labels: npt.NDArray[Any], predictions: FloatArray, clusters: Clusters
) -> OfPatients:
    """labels (N,), predictions (N,) or (N, K) of the rows.

    mean: of the predictions, for the patients whose rows all have the same label. max: of the probability of
    the positive class of two; a patient is positive when any row is.
    """
    if how == "max":
        positive = np.zeros(clusters.count)
        np.maximum.at(positive, clusters.member, predictions[:, 1])
        any_positive = np.zeros(clusters.count, dtype=labels.dtype)
        np.maximum.at(any_positive, clusters.member, labels)
        return OfPatients(any_positive, np.stack([1 - positive, positive], axis=1))
    agree = labels_agree(labels, clusters)
    first = np.unique(clusters.member, return_index=True)[1]
    rows = clusters.sums(np.ones(len(labels)))
    columns = predictions if predictions.ndim == 2 else predictions[:, None]
    means = np.stack([clusters.sums(column) / rows for column in columns.T], axis=1)
    return OfPatients(labels[first][agree], means[agree] if predictions.ndim == 2 else means[agree, 0])


def labels_agree(labels: npt.NDArray[Any], clusters: Clusters) -> npt.NDArray[np.bool_]:
    """(P,) whether all rows of the patient have the same label."""
    first = np.unique(clusters.member, return_index=True)[1]
    different = labels != labels[first][clusters.member]
    agree: npt.NDArray[np.bool_] = clusters.sums(different) == 0
    return agree


def of_patients(
    found: OfPatients,
    measured: Callable[[npt.NDArray[Any], FloatArray], Outcome],
    shown: Sequence[str],
    seed: int,
) -> dict[str, Any]:
    """The metrics `shown`, as far as the outcome has them, with their intervals. measured: labels and
    predictions → outcome. → patients, metrics (name → interval), reason
    """
    if not len(found.labels):
        return {"patients": 0, "metrics": {}, "reason": "the rows of each patient have different labels"}
    outcome = measured(*found)
    values, notes = estimate(outcome)
    names = [name for name in shown if name in values]
    bounds = intervals(outcome, values, notes, None, names=names, seed=seed)
    return {"patients": len(found.labels), "metrics": bounds, "reason": None}
