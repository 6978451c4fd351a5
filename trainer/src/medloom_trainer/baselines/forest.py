"""A random forest whose size suits a table and a JSON file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.baselines.design import FloatArray
from medloom_trainer.baselines.folds import Rows, chosen_by, inner_folds, total_loss
from medloom_trainer.baselines.linear import spread
from medloom_trainer.baselines.trees import Tree, leaf_values

NUM_TREES = 200
MAX_LEAVES = 256
"""Limit for each tree. It keeps a forest of any table at some megabytes of JSON."""
LEAF_SIZES = (1, 5, 20)
"""Minimum number of cases in a leaf; the only setting that is chosen."""
_ROWS_OF_A_TREE = 5000
"""Rows drawn with replacement for each tree; for a smaller table, as many as it has. The limit bounds the
time for a large one."""
_FOLDS, _TRIAL_TREES = 3, 10
_ROWS_AT_ONCE = 4096

_Fitted = Any
"""RandomForestClassifier or RandomForestRegressor: their trees are not public attributes."""


@dataclass(frozen=True)
class Forest:
    """Fitted random forest, as plain arrays."""

    trees: tuple[Tree, ...]
    seen: tuple[int, ...]
    """Classes that occur in training, in the order of the values of a leaf; empty for a number."""
    num_classes: int
    """0 for a number."""

    def predict(self, matrix: FloatArray) -> FloatArray:
        """(N, P) → probabilities (N, K), or numbers (N,): the mean over the trees."""
        parts = [
            leaf_values(self.trees, matrix[start : start + _ROWS_AT_ONCE]).mean(axis=0)
            for start in range(0, len(matrix), _ROWS_AT_ONCE)
        ]
        means = np.concatenate(parts) if parts else np.zeros((0, max(1, len(self.seen))))
        return spread(means, self.seen, self.num_classes) if self.num_classes else means[:, 0]

    def to_json(self) -> dict[str, Any]:
        trees = [tree.to_json() for tree in self.trees]
        return {"trees": trees, "seen": list(self.seen), "num_classes": self.num_classes}

    @classmethod
    def of_json(cls, stored: dict[str, Any], width: int) -> Forest:
        """ValueError if a tree cannot be followed."""
        trees = tuple(Tree.of_json(tree, width) for tree in stored["trees"])
        seen = tuple(stored["seen"])
        if not trees or any(tree.values.shape[1] != max(1, len(seen)) for tree in trees):
            raise ValueError("trees for a different number of classes")
        return cls(trees, seen, int(stored["num_classes"]))


def fit_forest(
    matrix: FloatArray,
    labels: npt.NDArray[Any],
    groups: Rows,
    *,
    num_classes: int,
    seed: int,
    threads: int,
) -> tuple[Forest, str]:
    """Return the forest fitted on all rows, and a description of how the size of its leaves was chosen."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    def grown(rows: Rows | slice, leaf_size: int, trees: int) -> _Fitted:
        size = len(labels[rows])
        settings = {
            "n_estimators": trees,
            "min_samples_leaf": leaf_size,
            "max_leaf_nodes": MAX_LEAVES,
            "max_samples": min(size, _ROWS_OF_A_TREE),
            "max_features": "sqrt" if num_classes else 1 / 3,
            "random_state": seed,
            "n_jobs": threads,
        }
        kind = RandomForestClassifier if num_classes else RandomForestRegressor
        return kind(**settings).fit(matrix[rows], labels[rows])

    folds = inner_folds(labels, groups, classes=num_classes, folds=_FOLDS, seed=seed)
    losses = np.zeros(len(LEAF_SIZES))
    for fit, held in folds:
        for place, leaf_size in enumerate(LEAF_SIZES):
            part = as_forest(grown(fit, leaf_size, _TRIAL_TREES), num_classes)
            losses[place] += total_loss(labels[held], part.predict(matrix[held]))
    best = LEAF_SIZES[int(np.argmin(losses))] if folds else LEAF_SIZES[1]
    how = chosen_by(folds, num_classes)
    words = f"{NUM_TREES} trees with up to {MAX_LEAVES} leaves, minimum leaf size {best} ({how})"
    return as_forest(grown(slice(None), best, NUM_TREES), num_classes), words


def as_forest(fitted: _Fitted, num_classes: int) -> Forest:
    """The forest of scikit-learn as plain arrays."""
    seen = tuple(int(label) for label in fitted.classes_) if num_classes else ()
    return Forest(tuple(_tree(one.tree_) for one in fitted.estimators_), seen, num_classes)


def _tree(fitted: Any) -> Tree:
    """Convert a tree of scikit-learn: its numbers are float32, its thresholds float64. A leaf of one class
    contains the number 1, whatever the weights of its cases."""
    inner = fitted.children_left >= 0
    values = fitted.value[~inner, 0, :]
    if fitted.max_n_classes > 1 or values.shape[1] > 1:
        values = values / values.sum(axis=1, keepdims=True)
    left = fitted.children_left.astype(np.int64)
    left[~inner] = np.arange(int((~inner).sum()))
    return Tree(
        feature=np.where(inner, fitted.feature, -1).astype(np.int64),
        threshold=np.where(inner, fitted.threshold, 0.0),
        left=left,
        right=np.where(inner, fitted.children_right, 0).astype(np.int64),
        missing_left=np.zeros(len(inner), dtype=bool),
        values=values.astype(np.float64),
    )
