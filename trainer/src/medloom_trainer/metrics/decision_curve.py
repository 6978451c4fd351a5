"""Decision curve analysis (Vickers and Elkin 2006): whether treatment by the prediction has a higher net
benefit than treating everybody or nobody.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.reliability import FEWEST_TRUE_POSITIVES
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile
from medloom_trainer.metrics.statistics.resampling import patient_draws
from medloom_trainer.metrics.statistics.ties import reaches

_THRESHOLDS = np.arange(1, 91) / 100
"""Thresholds up to 0.9: above it a false positive outweighs nine true ones, and the curve follows single
cases."""
_ODDS = _THRESHOLDS / (1 - _THRESHOLDS)
_REPLICATES = 1000
_MIN_PATIENTS = 10
"""Minimum number of patients for resampling."""
_ROUNDING = 1e-12


def decision_curve(
    labels: npt.ArrayLike,
    probability: npt.ArrayLike,
    patients: npt.NDArray[np.int64] | None = None,
    seed: int = 0,
    fewest: int = FEWEST_TRUE_POSITIVES,
) -> dict[str, Any]:
    """labels (N,) of 0/1 with both classes; probability (N,) of class 1; patients (N,), None if each row is a
    separate patient. → thresholds (T,), and the net benefit (T,) of the model, with its interval up to the
    threshold `reliable_to`, and of treating everybody; that of treating nobody is 0.

    Net benefit at threshold t: (true positives - false positives * t / (1 - t)) / N. Treatment from a
    probability of t accepts 1 / t - 1 unnecessary treatments for one that is needed. fewest: number of
    patients with the event that a threshold must call positive for an interval.
    """
    truth, chances = np.asarray(labels) == 1, np.asarray(probability, dtype=np.float64)
    everybody = truth.mean() - (1 - truth.mean()) * _ODDS
    clusters = Clusters.from_patients(patients, len(truth))
    benefits = _sums_of_patients(truth, chances, clusters)
    reliable = _true_positives(truth, chances, clusters) >= fewest
    model = benefits.sum(axis=0) / len(truth)
    return {
        "thresholds": _THRESHOLDS.tolist(),
        "model": model.tolist(),
        "treat_all": everybody.tolist(),
        "fewest_true_positives": fewest,
        "reliable_to": float(_THRESHOLDS[reliable].max()) if reliable.any() else None,
        **_intervals(model, benefits, reliable, clusters, seed, fewest),
    }


def _sums_of_patients(truth: npt.NDArray[np.bool_], chances: FloatArray, clusters: Clusters) -> FloatArray:
    """(count, T): contribution of the cases of each patient to the net benefit, times the number of all
    cases."""
    sums = np.empty((clusters.count, len(_THRESHOLDS)))
    for index, (threshold, odds) in enumerate(zip(_THRESHOLDS, _ODDS, strict=True)):
        called = reaches(chances, threshold)
        sums[:, index] = clusters.sums(np.where(truth, 1.0, -odds) * called)
    return sums


def _true_positives(
    truth: npt.NDArray[np.bool_], chances: FloatArray, clusters: Clusters
) -> npt.NDArray[np.int64]:
    """(T,) number of patients with the event that each threshold calls positive."""
    return np.array([clusters.having(truth & reaches(chances, threshold)) for threshold in _THRESHOLDS])


def _intervals(
    model: FloatArray,
    benefits: FloatArray,
    reliable: npt.NDArray[np.bool_],
    clusters: Clusters,
    seed: int,
    fewest: int,
) -> dict[str, Any]:
    """Student's intervals, with the standard error of a bootstrap over patients, separately at each reliable
    threshold."""
    if clusters.count < _MIN_PATIENTS:
        return {"interval": "none: too few patients to resample"}
    if not reliable.any():
        return {"interval": f"none: fewer than {fewest} patients with the event are detected"}
    rows = clusters.sums(np.ones(len(clusters.member)))
    total = squares = np.zeros(len(_THRESHOLDS))
    for times in patient_draws(clusters.count, _REPLICATES, seed, clusters.count):
        found = (times @ benefits) / (times @ rows)[:, None] - model
        total, squares = total + found.sum(axis=0), squares + np.square(found).sum(axis=0)
    variance = np.maximum(squares - np.square(total) / _REPLICATES, 0) / (_REPLICATES - 1)
    # A bootstrap divides by N, not by N - 1.
    error = np.sqrt(variance) * sqrt(clusters.count / (clusters.count - 1))
    half = t_quantile(clusters.count - 1) * error
    spread = (error > _ROUNDING) & reliable
    return {
        "low": [
            value if there else None for value, there in zip((model - half).tolist(), spread, strict=True)
        ],
        "high": [
            value if there else None for value, there in zip((model + half).tolist(), spread, strict=True)
        ],
        "interval": phrase("bootstrap", replicates=_REPLICATES),
    }
