"""Cox regression of times to an event with a ridge penalty that inner folds choose (Cox 1972; ties as in
Breslow 1974)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medloom_trainer.baselines.design import FloatArray
from medloom_trainer.baselines.folds import Rows, inner_folds, interval_loss
from medloom_trainer.model.linear_fit import standardization
from medloom_trainer.outcomes import Survival

PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)
"""Ridge penalties: factors of half the sum of squared coefficients, subtracted from the partial
log-likelihood summed over the cases."""
_FOLDS = 5
_ITERATIONS = 100
_SETTLED = 1e-10
"""Newton's step, relative to the coefficients, below which they have converged."""
_LARGEST_SCORE = 50.0


@dataclass(frozen=True)
class Cox:
    """Survival at the edges = exp(-hazard · exp(((X - center) / scale) @ coefficients))."""

    center: FloatArray
    """(P,)"""
    scale: FloatArray
    """(P,)"""
    coefficients: FloatArray
    """(P,)"""
    hazard: FloatArray
    """(K,) cumulative hazard, at the edges of the intervals, of a case with the score 0."""

    def predict(self, matrix: FloatArray) -> FloatArray:
        """(N, P) → (N, K) survival at the edges."""
        scores = (matrix - self.center) / self.scale @ self.coefficients
        risk = np.exp(np.clip(scores, -_LARGEST_SCORE, _LARGEST_SCORE))
        survival: FloatArray = np.exp(-np.outer(risk, self.hazard))
        return survival

    def to_json(self) -> dict[str, Any]:
        names = ("center", "scale", "coefficients", "hazard")
        return {name: getattr(self, name).tolist() for name in names}

    @classmethod
    def of_json(cls, stored: dict[str, Any], width: int) -> Cox:
        """ValueError if the numbers do not fit together."""
        arrays = {
            name: np.asarray(stored[name], dtype=np.float64)
            for name in ("center", "scale", "coefficients", "hazard")
        }
        if any(arrays[name].shape != (width,) for name in ("center", "scale", "coefficients")):
            raise ValueError("coefficients for a different number of columns")
        if arrays["hazard"].ndim != 1 or (np.diff(arrays["hazard"]) < 0).any():
            raise ValueError("a cumulative hazard that decreases")
        return cls(**arrays)


def fit_cox(
    matrix: FloatArray,
    labels: FloatArray,
    groups: Rows,
    *,
    kind: Survival,
    scaled: Sequence[int],
    seed: int,
) -> tuple[Cox, str]:
    """Fit a Cox regression. Return the model fitted on all rows, and a description of how its penalty was
    chosen.

    labels: (N, 2) time and event. scaled: see `fit_linear`.
    """
    center, scale = standardization(matrix, scaled)
    ready = (matrix - center) / scale
    targets = kind.targets(labels)
    events = labels[:, 1].astype(np.int64)
    folds = inner_folds(events, groups, classes=2, folds=_FOLDS, seed=seed)
    losses = np.zeros(len(PENALTIES))
    for fit, held in folds:
        for place, penalty in enumerate(PENALTIES):
            part = _fitted(ready[fit], labels[fit], penalty, kind.grid.edges)
            losses[place] += interval_loss(targets[held], part.predict(ready[held]))
    best = PENALTIES[int(np.argmin(losses))] if folds else 1.0
    found = _fitted(ready, labels, best, kind.grid.edges)
    how = f"lowest interval loss in {len(folds)}-fold grouped cross-validation on the fitted rows"
    chosen = how if folds else "default: all training rows belong to one patient"
    return Cox(center, scale, found.coefficients, found.hazard), f"penalty = {best:g} ({chosen})"


def _fitted(matrix: FloatArray, labels: FloatArray, penalty: float, edges: FloatArray) -> Cox:
    """Fit one penalty to a matrix that is already scaled."""
    coefficients = cox_coefficients(matrix, labels, penalty)
    order = np.argsort(-labels[:, 0], kind="stable")
    sets = _RiskSets.from_labels(labels[order])
    times, steps = sets.hazard(np.exp(_bounded(matrix[order] @ coefficients)))
    total = np.concatenate([[0.0], np.cumsum(steps)])
    hazard = total[np.searchsorted(times, edges, side="right")]
    width = matrix.shape[1]
    return Cox(np.zeros(width), np.ones(width), coefficients, hazard)


def cox_coefficients(matrix: FloatArray, labels: FloatArray, penalty: float) -> FloatArray:
    """Return (P,) the coefficients that maximize the partial log-likelihood less penalty / 2 ·
    |coefficients|², by Newton's method with step halving. matrix (N, P), labels (N, 2) time and event."""
    order = np.argsort(-labels[:, 0], kind="stable")
    x, sets = matrix[order], _RiskSets.from_labels(labels[order])
    found = np.zeros(x.shape[1])
    value = _penalized(x, sets, found, penalty)
    for _ in range(_ITERATIONS):
        gradient, curvature = _derivatives(x, sets, found)
        curvature[np.diag_indices_from(curvature)] += penalty
        step = np.linalg.solve(curvature, gradient - penalty * found)
        size = 1.0
        while (after := _penalized(x, sets, found + size * step, penalty)) < value and size > 1e-6:
            size /= 2
        found, value = found + size * step, max(value, after)
        if np.abs(size * step).max(initial=0.0) <= _SETTLED * max(1.0, np.abs(found).max(initial=0.0)):
            break
    return found


@dataclass(frozen=True)
class _RiskSets:
    """N cases in the order of descending time, and the J distinct times of their events, ascending."""

    event: FloatArray
    """(N,) 1 or 0."""
    times: FloatArray
    """(J,)"""
    counts: FloatArray
    """(J,) events at each time."""
    ends: Rows
    """(J,) number of cases at risk: the first ones in the order."""
    since: Rows
    """(N,) number of event times at or before the time of a case."""

    @classmethod
    def from_labels(cls, labels: FloatArray) -> _RiskSets:
        time, event = labels[:, 0], labels[:, 1]
        times, counts = np.unique(time[event == 1], return_counts=True)
        ends = np.searchsorted(-time, -times, side="right")
        return cls(event, times, counts.astype(np.float64), ends, np.searchsorted(times, time, side="right"))

    def hazard(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """weights (N,): exp of the scores → (J,) the times, and the increase of the hazard at each."""
        return self.times, self.counts / np.cumsum(weights)[self.ends - 1]


def _bounded(scores: FloatArray) -> FloatArray:
    found: FloatArray = np.clip(scores, -_LARGEST_SCORE, _LARGEST_SCORE)
    return found


def _penalized(x: FloatArray, sets: _RiskSets, coefficients: FloatArray, penalty: float) -> float:
    scores = _bounded(x @ coefficients)
    at_risk = np.log(np.cumsum(np.exp(scores)))[sets.ends - 1]
    likelihood = float(scores @ sets.event - sets.counts @ at_risk)
    return likelihood - penalty / 2 * float(coefficients @ coefficients)


def _derivatives(x: FloatArray, sets: _RiskSets, coefficients: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(P,) the gradient, and (P, P) the negative Hessian, of the partial log-likelihood. Sums over risk sets
    are computed case by case: a case belongs to the risk set of every event up to its own time."""
    weights = np.exp(_bounded(x @ coefficients))
    _, steps = sets.hazard(weights)
    expected = weights * np.concatenate([[0.0], np.cumsum(steps)])[sets.since]
    gradient = x.T @ (sets.event - expected)
    sums, weighted = np.cumsum(weights)[sets.ends - 1], np.cumsum(weights[:, None] * x, axis=0)
    means = weighted[sets.ends - 1] / sums[:, None]
    curvature = (x * expected[:, None]).T @ x - (means * sets.counts[:, None]).T @ means
    return gradient, curvature
