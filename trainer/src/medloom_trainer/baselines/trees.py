"""Decision trees as plain arrays: fitted by scikit-learn, stored as JSON, read only by this module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.baselines.design import FloatArray

_AT_ONCE = 1 << 19
"""Pairs of case and tree that are followed at the same time."""
_LEAF = -1


@dataclass(frozen=True)
class Tree:
    """One tree of M nodes, the root first and every child after its parent."""

    feature: npt.NDArray[np.int64]
    """(M,) column of the split, -1 at a leaf."""
    threshold: FloatArray
    """(M,) a case goes left if its number does not exceed the threshold."""
    left: npt.NDArray[np.int64]
    """(M,) number of the left child; for a leaf, its row in `values`."""
    right: npt.NDArray[np.int64]
    missing_left: npt.NDArray[np.bool_]
    """(M,) NaN goes left."""
    values: FloatArray
    """(leaves, K)"""

    def to_json(self) -> dict[str, Any]:
        inner = self.feature != _LEAF
        return {
            "feature": self.feature.tolist(),
            "threshold": self.threshold[inner].tolist(),
            "left": self.left.tolist(),
            "right": self.right[inner].tolist(),
            "missing_left": np.flatnonzero(self.missing_left & inner).tolist(),
            "values": self.values.tolist(),
        }

    @classmethod
    def of_json(cls, stored: dict[str, Any], width: int) -> Tree:
        """ValueError unless every case of `width` numbers ends at a leaf."""
        feature = np.asarray(stored["feature"], dtype=np.int64)
        size, inner = len(feature), feature != _LEAF
        threshold, right = np.zeros(size), np.zeros(size, dtype=np.int64)
        threshold[inner] = np.asarray(stored["threshold"], dtype=np.float64)
        right[inner] = np.asarray(stored["right"], dtype=np.int64)
        left = np.asarray(stored["left"], dtype=np.int64)
        missing_left = np.zeros(size, dtype=bool)
        missing_left[np.asarray(stored["missing_left"], dtype=np.int64)] = True
        values = np.asarray(stored["values"], dtype=np.float64)
        own = np.arange(size)
        leaves = left[~inner]
        sound = (
            left.shape == (size,)
            and size > 0
            and values.ndim == 2
            and bool(((feature >= _LEAF) & (feature < width)).all())
            and bool((left[inner] > own[inner]).all() and (right[inner] > own[inner]).all())
            and bool((left[inner] < size).all() and (right[inner] < size).all())
            and bool(((leaves >= 0) & (leaves < len(values))).all())
        )
        if not sound:
            raise ValueError("a tree that does not hold together")
        return cls(feature, threshold, left, right, missing_left, values)


def leaf_values(trees: Sequence[Tree], matrix: FloatArray) -> FloatArray:
    """(T trees of K values per leaf, (N, P) numbers) → (T, N, K): the values of the leaf that each case
    reaches in each tree.
    """
    block = Block.from_trees(trees)
    reached = [
        block.follow(matrix[start : start + block.rows_at_once])
        for start in range(0, len(matrix), block.rows_at_once)
    ]
    return np.concatenate(reached, axis=1) if reached else np.zeros((len(trees), 0, block.values.shape[1]))


@dataclass(frozen=True)
class Block:
    """Several trees in one set of arrays, so that all are followed at the same time."""

    roots: npt.NDArray[np.int64]
    """(T,)"""
    feature: npt.NDArray[np.int64]
    threshold: FloatArray
    children: npt.NDArray[np.int64]
    """(2, M): right and left; a leaf is its own child."""
    missing_left: npt.NDArray[np.bool_]
    leaf: npt.NDArray[np.int64]
    """(M,) row in `values`."""
    values: FloatArray

    @classmethod
    def from_trees(cls, trees: Sequence[Tree]) -> Block:
        sizes = [len(tree.feature) for tree in trees]
        leaves = [len(tree.values) for tree in trees]
        starts = np.cumsum([0, *sizes[:-1]])
        firsts = np.cumsum([0, *leaves[:-1]])
        inner = np.concatenate([tree.feature != _LEAF for tree in trees])
        own = np.arange(len(inner))
        left, right = (
            np.concatenate([side + start for side, start in zip(sides, starts, strict=True)])
            for sides in ([tree.left for tree in trees], [tree.right for tree in trees])
        )
        leaf = np.concatenate([tree.left + first for tree, first in zip(trees, firsts, strict=True)])
        return cls(
            roots=starts,
            feature=np.concatenate([np.maximum(tree.feature, 0) for tree in trees]),
            threshold=np.concatenate([tree.threshold for tree in trees]),
            children=np.stack([np.where(inner, right, own), np.where(inner, left, own)]),
            missing_left=np.concatenate([tree.missing_left for tree in trees]),
            leaf=np.where(inner, 0, leaf),
            values=np.concatenate([tree.values for tree in trees]),
        )

    @property
    def rows_at_once(self) -> int:
        return max(1, _AT_ONCE // len(self.roots))

    def follow(self, matrix: FloatArray) -> FloatArray:
        """(N, P) → (T, N, K)"""
        if not matrix.shape[1]:  # every tree is a leaf
            matrix = np.zeros((len(matrix), 1))
        nodes = np.repeat(self.roots[:, None], len(matrix), axis=1)
        rows = np.arange(len(matrix))
        while True:
            numbers = matrix[rows, self.feature[nodes]]
            goes_left = (numbers <= self.threshold[nodes]) | (np.isnan(numbers) & self.missing_left[nodes])
            next_nodes = self.children[goes_left.astype(np.int64), nodes]
            if (next_nodes == nodes).all():
                return self.values[self.leaf[nodes]]
            nodes = next_nodes
