"""The same metrics over patients instead of rows: the predictions of all rows of a patient are combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import Outcome, estimate
from medloom_trainer.metrics.statistics.clusters import Clusters

Aggregation = Literal["mean", "max"]
LabelRule = Literal["any", "majority", "mean"]


class PatientOutcome(NamedTuple):
    """Labels and predictions of P patients, combined over their rows."""

    labels: npt.NDArray[Any]
    """(P,)"""
    predictions: FloatArray
    """(P,) or (P, K)"""


def aggregate(
    how: Aggregation, rule: LabelRule, labels: npt.NDArray[Any], predictions: FloatArray, clusters: Clusters
) -> PatientOutcome:
    """labels (N,), predictions (N,) or (N, K) of the rows.

    mean: of the predictions. max: of the probability of the positive class of two. rule: see
    `patient_labels`. Every patient counts, also if the labels of the rows differ.
    """
    own = patient_labels(rule, labels, clusters)
    if how == "max":
        positive = np.zeros(clusters.count)
        np.maximum.at(positive, clusters.member, predictions[:, 1])
        return PatientOutcome(own, np.stack([1 - positive, positive], axis=1))
    columns = predictions if predictions.ndim == 2 else predictions[:, None]
    means = np.stack([_means(column, clusters) for column in columns.T], axis=1)
    return PatientOutcome(own, means if predictions.ndim == 2 else means[:, 0])


def patient_labels(rule: LabelRule, labels: npt.NDArray[Any], clusters: Clusters) -> npt.NDArray[Any]:
    """(P,) the label of each patient.

    any: positive if any row is positive, for two classes. majority: the most frequent class of the rows; of
    equally frequent ones the one with fewer rows over all patients, so that a rare finding is kept. mean: of
    the numbers of the rows.
    """
    if rule == "mean":
        return _means(labels, clusters)
    if rule == "any":
        found = np.zeros(clusters.count, dtype=labels.dtype)
        np.maximum.at(found, clusters.member, labels)
        return found
    classes, totals = np.unique(labels, return_counts=True)
    by_rarity = classes[np.argsort(totals, kind="stable")]
    counts = np.stack([clusters.sums(labels == one) for one in by_rarity], axis=1)
    majority: npt.NDArray[Any] = by_rarity[counts.argmax(axis=1)]
    return majority


def _means(values: npt.NDArray[Any], clusters: Clusters) -> FloatArray:
    """(P,) means over the rows of each patient."""
    means: FloatArray = clusters.sums(values) / clusters.sums(np.ones(len(values)))
    return means


def labels_agree(labels: npt.NDArray[Any], clusters: Clusters) -> npt.NDArray[np.bool_]:
    """(P,) all rows of the patient have the same label."""
    first = np.unique(clusters.member, return_index=True)[1]
    different = labels != labels[first][clusters.member]
    agree: npt.NDArray[np.bool_] = clusters.sums(different) == 0
    return agree


def of_patients(
    found: PatientOutcome,
    measured: Callable[[npt.NDArray[Any], FloatArray], Outcome],
    shown: Sequence[str],
    seed: int,
) -> dict[str, Any]:
    """The metrics of `shown` that the outcome has, with their intervals. measured: labels and predictions →
    outcome. → patients, metrics (name → interval), reason
    """
    outcome = measured(*found)
    values, notes = estimate(outcome)
    names = [name for name in shown if name in values]
    bounds = intervals(outcome, values, notes, None, names=names, seed=seed)
    return {"patients": len(found.labels), "metrics": bounds, "reason": None}
