"""Gradient boosting of histogram trees. Inner folds choose the number of rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from medloom_trainer.baselines.design import FloatArray
from medloom_trainer.baselines.folds import Rows, chosen_by, inner_folds, total_loss
from medloom_trainer.baselines.linear import spread
from medloom_trainer.baselines.trees import Tree, leaf_values

MAX_ROUNDS = 100
_FOLDS = 3
_SETTINGS = {"learning_rate": 0.1, "max_leaf_nodes": 15, "min_samples_leaf": 10, "early_stopping": False}
_LARGEST = float(np.finfo(np.float64).max)
_ROWS_AT_ONCE = 4096

_Fitted = Any
"""HistGradientBoostingClassifier or HistGradientBoostingRegressor: their trees are not public attributes."""


@dataclass(frozen=True)
class Boosting:
    """Fitted gradient-boosted trees (scikit-learn HistGradientBoosting), as plain arrays."""

    start: FloatArray
    """(S,) scores before the first round: S = 1 for two classes or a number, else one per class."""
    trees: tuple[Tree, ...]
    """S trees of each round, in the order of the rounds."""
    seen: tuple[int, ...]
    """Classes that occur in training; empty for a number."""
    num_classes: int
    """0 for a number."""

    def predict(self, matrix: FloatArray) -> FloatArray:
        """(N, P), NaN where missing → probabilities (N, K), or numbers (N,)."""
        parts = [
            self._scores(matrix[start : start + _ROWS_AT_ONCE])
            for start in range(0, len(matrix), _ROWS_AT_ONCE)
        ]
        scores = np.concatenate(parts) if parts else np.zeros((0, len(self.start)))
        if not self.num_classes:
            return scores[:, 0]
        if len(self.start) == 1:
            chance = expit(scores[:, 0])
            known = np.stack([1 - chance, chance], axis=1)
        else:
            known = softmax(scores, axis=1)
        return spread(known, self.seen, self.num_classes)

    def _scores(self, matrix: FloatArray) -> FloatArray:
        """(N, S)"""
        scores = np.tile(self.start, (len(matrix), 1))
        if self.trees:
            reached = leaf_values(self.trees, matrix)[:, :, 0]  # (rounds · S, N)
            for place in range(len(self.start)):
                scores[:, place] += reached[place :: len(self.start)].sum(axis=0)
        return scores

    def to_json(self) -> dict[str, Any]:
        return {
            "start": self.start.tolist(),
            "trees": [tree.to_json() for tree in self.trees],
            "seen": list(self.seen),
            "num_classes": self.num_classes,
        }

    @classmethod
    def of_json(cls, stored: dict[str, Any], width: int) -> Boosting:
        """ValueError if a tree cannot be followed or a round is incomplete."""
        start = np.asarray(stored["start"], dtype=np.float64)
        trees = tuple(Tree.of_json(tree, width) for tree in stored["trees"])
        if not len(start) or len(trees) % len(start) or any(tree.values.shape[1] != 1 for tree in trees):
            raise ValueError("incomplete boosting rounds")
        return cls(start, trees, tuple(stored["seen"]), int(stored["num_classes"]))


def fit_boosting(
    matrix: FloatArray, labels: npt.NDArray[Any], groups: Rows, *, num_classes: int, seed: int
) -> tuple[Boosting, str]:
    """Return the model fitted on all rows, and a description of how the number of rounds was chosen."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    def boosted(rows: Rows | slice, rounds: int) -> _Fitted:
        kind = HistGradientBoostingClassifier if num_classes else HistGradientBoostingRegressor
        return kind(**_SETTINGS, max_iter=rounds, random_state=seed).fit(matrix[rows], labels[rows])

    folds = inner_folds(labels, groups, classes=num_classes, folds=_FOLDS, seed=seed)
    losses = np.zeros(MAX_ROUNDS)
    for fit, held in folds:
        if num_classes and len(np.unique(labels[fit])) < 2:
            continue
        model = boosted(fit, MAX_ROUNDS)
        losses += [
            total_loss(labels[held], predicted) for predicted in _staged(model, matrix[held], num_classes)
        ]
    rounds = int(np.argmin(losses)) + 1 if losses.any() else MAX_ROUNDS
    settings = f"learning rate {_SETTINGS['learning_rate']}, up to {_SETTINGS['max_leaf_nodes']} leaves"
    words = f"{rounds} rounds ({chosen_by(folds, num_classes)}), {settings}"
    return as_boosting(boosted(slice(None), rounds), num_classes), words


def as_boosting(fitted: _Fitted, num_classes: int) -> Boosting:
    """The model of scikit-learn as plain arrays."""
    seen = tuple(int(label) for label in fitted.classes_) if num_classes else ()
    trees = tuple(_tree(predictor.nodes) for round_ in fitted._predictors for predictor in round_)
    return Boosting(
        np.asarray(fitted._baseline_prediction, dtype=np.float64).ravel(), trees, seen, num_classes
    )


def _staged(model: _Fitted, matrix: FloatArray, num_classes: int) -> list[FloatArray]:
    """Predictions after each round, in the form that `Boosting.predict` returns."""
    if not num_classes:
        return list(model.staged_predict(matrix))
    seen = tuple(int(label) for label in model.classes_)
    return [spread(chances, seen, num_classes) for chances in model.staged_predict_proba(matrix)]


def _tree(nodes: npt.NDArray[Any]) -> Tree:
    """The node records of a TreePredictor of scikit-learn."""
    leaf = nodes["is_leaf"].astype(bool)
    left = nodes["left"].astype(np.int64)
    left[leaf] = np.arange(int(leaf.sum()))
    return Tree(
        feature=np.where(leaf, -1, nodes["feature_idx"]).astype(np.int64),
        # A split of missing values against the rest has its threshold at infinity, which JSON cannot
        # represent: no number exceeds this one.
        threshold=np.where(leaf, 0.0, np.minimum(nodes["num_threshold"], _LARGEST)),
        left=left,
        right=np.where(leaf, 0, nodes["right"]).astype(np.int64),
        missing_left=nodes["missing_go_to_left"].astype(bool) & ~leaf,
        values=nodes["value"][leaf].astype(np.float64)[:, None],
    )
