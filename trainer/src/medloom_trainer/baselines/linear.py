"""Logistic regression, or ridge regression for numbers, with a penalty that inner folds choose."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from medloom_trainer.baselines.design import FloatArray
from medloom_trainer.baselines.folds import Rows, chosen_by, inner_folds, total_loss
from medloom_trainer.model.linear_fit import STRENGTHS, standardization

_FOLDS = 5
_ITERATIONS = 2000


@dataclass(frozen=True)
class Linear:
    """Scores = ((X - center) / scale) @ coefficients.T + intercepts."""

    center: FloatArray
    """(P,)"""
    scale: FloatArray
    """(P,)"""
    coefficients: FloatArray
    """(K, P) for several classes, (1, P) for two classes or a number."""
    intercepts: FloatArray
    """(K,) or (1,)"""
    seen: tuple[int, ...]
    """Classes that occur in training, in the order of the rows of coefficients; empty for a number."""
    num_classes: int
    """0 for a number."""

    def predict(self, matrix: FloatArray) -> FloatArray:
        """(N, P) → probabilities (N, K), or numbers (N,)."""
        scores = (matrix - self.center) / self.scale @ self.coefficients.T + self.intercepts
        if not self.num_classes:
            return scores[:, 0]
        if len(self.seen) == 2:
            chance = expit(scores[:, 0])
            known = np.stack([1 - chance, chance], axis=1)
        else:
            known = softmax(scores, axis=1)
        return spread(known, self.seen, self.num_classes)

    def to_json(self) -> dict[str, Any]:
        return {
            "center": self.center.tolist(),
            "scale": self.scale.tolist(),
            "coefficients": self.coefficients.tolist(),
            "intercepts": self.intercepts.tolist(),
            "seen": list(self.seen),
            "num_classes": self.num_classes,
        }

    @classmethod
    def of_json(cls, stored: dict[str, Any], width: int) -> Linear:
        """ValueError if the numbers do not fit together."""
        arrays = {
            name: np.asarray(stored[name], dtype=np.float64)
            for name in ("center", "scale", "coefficients", "intercepts")
        }
        rows = len(arrays["intercepts"])
        if arrays["center"].shape != (width,) or arrays["scale"].shape != (width,):
            raise ValueError("scaling for a different number of columns")
        if arrays["coefficients"].shape != (rows, width):
            raise ValueError("coefficients for a different number of columns")
        return cls(**arrays, seen=tuple(stored["seen"]), num_classes=int(stored["num_classes"]))


def spread(known: FloatArray, seen: tuple[int, ...], num_classes: int) -> FloatArray:
    """(N, seen) probabilities of the classes that occur in training → (N, K); 0 for the others."""
    if len(seen) == num_classes:
        return known
    all_classes = np.zeros((len(known), num_classes))
    all_classes[:, list(seen)] = known
    return all_classes


def fit_linear(
    matrix: FloatArray,
    labels: npt.NDArray[Any],
    groups: Rows,
    *,
    num_classes: int,
    scaled: Sequence[int],
    seed: int,
) -> tuple[Linear, str]:
    """Return the model fitted on all rows, and a description of how its penalty was chosen.

    scaled: columns that are scaled by the training rows, so that the penalty has the same meaning for each of
    them in every configuration; the others are 0 or 1.
    ValueError if all rows are of one class.
    """
    center, scale = standardization(matrix, scaled)
    ready = (matrix - center) / scale
    folds = inner_folds(labels, groups, classes=num_classes, folds=_FOLDS, seed=seed)
    losses = np.zeros(len(STRENGTHS))
    for fit, held in folds:
        if num_classes and len(np.unique(labels[fit])) < 2:
            continue
        for place, strength in enumerate(STRENGTHS):
            part = _fitted(ready[fit], labels[fit], strength, num_classes)
            losses[place] += total_loss(labels[held], part.predict(ready[held]))
    best = STRENGTHS[int(np.argmin(losses))] if losses.any() else 1.0
    found = _fitted(ready, labels, best, num_classes)
    model = Linear(center, scale, found.coefficients, found.intercepts, found.seen, num_classes)
    penalty = f"C = {best:g}" if num_classes else f"penalty = {best:g}"
    return model, f"{penalty} ({chosen_by(folds, num_classes)})"


def _fitted(matrix: FloatArray, labels: npt.NDArray[Any], strength: float, num_classes: int) -> Linear:
    """Fit one penalty to a matrix that is already scaled."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression, Ridge

    width = matrix.shape[1]
    plain = (np.zeros(width), np.ones(width))
    if not num_classes:
        ridge = Ridge(alpha=strength).fit(matrix, labels)
        return Linear(*plain, np.atleast_2d(ridge.coef_), np.atleast_1d(ridge.intercept_), (), 0)
    with warnings.catch_warnings():
        # If the classes are separable, the weakest penalties never converge; the folds do not choose them.
        warnings.simplefilter("ignore", ConvergenceWarning)
        logistic = LogisticRegression(C=strength, max_iter=_ITERATIONS).fit(matrix, labels)
    seen = tuple(int(label) for label in logistic.classes_)
    return Linear(*plain, logistic.coef_, logistic.intercept_, seen, num_classes)
