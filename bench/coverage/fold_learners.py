"""Two equally good learners compared over the folds of a study: the test that the reports show first.

Each learner sees its own columns, which are equally informative, so that every difference is chance.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from equal_models import REST, Floats

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.minimum_patients import FOLDS, too_few_to_compare
from medloom_trainer.metrics.statistics.resampled_t import corrected_resampled_t, overlap_correction

_FOLDS, _REPEATS = 5, 2
_COLUMNS = 4
"""Columns of each learner."""
_SHIFT = 0.6
"""Distance between the classes in each column."""
P = dict[str, tuple[float | None, float | None]]
"""Metric → (p without a minimum of patients, p as a study reports it)."""


def classes_over_folds(rng: np.random.Generator, few: int, seed: int) -> P:
    labels = np.repeat([0, 1], [REST, few])
    columns = rng.normal(size=(len(labels), 2 * _COLUMNS)) + _SHIFT * labels[:, None]
    found: dict[str, list[float]] = {"auc": [], "balanced_accuracy": []}
    for held in _held_out(rng, labels):
        known, both = labels[~held], labels[held]
        if np.ptp(both) == 0 or np.ptp(known) == 0:
            continue
        scores = [_class_scores(x[~held], known, x[held]) for x in np.split(columns, 2, axis=1)]
        outcomes = [BinaryOutcome(both, 1 / (1 + np.exp(-one)), 0.5) for one in scores]
        areas = [float(one.ranked.areas(np.ones((1, one.size)))[0][0]) for one in outcomes]
        right = [np.mean([((one > 0) == k)[both == k].mean() for k in (0, 1)]) for one in scores]
        found["auc"].append(areas[0] - areas[1])
        found["balanced_accuracy"].append(float(right[0] - right[1]))
    return _tested(found, BinaryOutcome(labels, np.full(len(labels), 0.5), 0.5))


def quantities_over_folds(rng: np.random.Generator, cases: int, seed: int) -> P:
    columns = rng.normal(size=(cases, 2))
    truth = columns.sum(axis=1) + rng.normal(size=cases)
    found: dict[str, list[float]] = {"rmse": [], "mae": []}
    for held in _held_out(rng, np.zeros(cases, dtype=np.int64)):
        errors = []
        for x in columns.T:
            slope, offset = np.polyfit(x[~held], truth[~held], 1)
            errors.append(truth[held] - slope * x[held] - offset)
        found["rmse"].append(float(np.sqrt(np.mean(errors[0] ** 2)) - np.sqrt(np.mean(errors[1] ** 2))))
        found["mae"].append(float(np.abs(errors[0]).mean() - np.abs(errors[1]).mean()))
    return _tested(found, RegressionOutcome(truth, truth))


def _tested(found: dict[str, list[float]], outcome: Outcome) -> P:
    size = outcome.size
    held_out = size / _FOLDS
    correction = overlap_correction(held_out, size - held_out, size - held_out, _REPEATS)
    clusters = Clusters.from_patients(None, size)
    p: P = {}
    for name, differences in found.items():
        test = corrected_resampled_t(np.asarray(differences), correction) if len(differences) > 1 else None
        few = too_few_to_compare(outcome, name, clusters, FOLDS)
        p[name] = (None if test is None else test.p, None if test is None or few else test.p)
    return p


def _held_out(rng: np.random.Generator, labels: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.bool_]]:
    """Folds with as equal numbers of each class as possible."""
    for _ in range(_REPEATS):
        fold = np.zeros(len(labels), dtype=np.int64)
        for label in np.unique(labels):
            rows = rng.permutation(np.flatnonzero(labels == label))
            fold[rows] = np.arange(len(rows)) % _FOLDS
        for index in range(_FOLDS):
            yield fold == index


def _class_scores(x: Floats, labels: npt.NDArray[np.int64], held: Floats) -> Floats:
    """Distance from the middle of the means of both classes, along the line through them."""
    above, below = x[labels == 1].mean(axis=0), x[labels == 0].mean(axis=0)
    weights = above - below
    scores: Floats = (held - (above + below) / 2) @ weights
    return scores
