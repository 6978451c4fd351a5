"""Target statistics of categories, smoothed towards the mean of the training split (Micci-Barreca 2001).

A training row gets its code only from the other patients (out of fold); every other split gets the statistics
of the whole training split. Codes are in units of the label's standard deviation around its mean: 0 means
that nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import Target

SMOOTHING = 10.0
"""Number of cases of a category for which its code is midway between its mean and the overall mean."""

_FOLDS = 5


@dataclass(frozen=True)
class TargetCodes:
    """The training labels as numbers, and the fold of each row."""

    codes: npt.NDArray[np.float64]
    """(N, T) standardized: T = 1 for two classes or regression, else one for each class or label."""
    folds: npt.NDArray[np.int64]
    """(N,) rows of one patient are in one fold."""

    def encode(self, index: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """(N,) category numbers (0: unknown) → (N, T), each row without the labels of its own fold."""
        size = int(index.max(initial=0))
        encoded = np.zeros((len(index), self.codes.shape[1]))
        for fold in range(_FOLDS):
            mine = self.folds == fold
            means = np.asarray(fit_target_means(index[~mine], size, self.codes[~mine])).reshape(size, -1)
            seen = mine & (index > 0)
            encoded[seen] = means[index[seen] - 1]
        return encoded


def code_targets(questions: Sequence[Target], groups: npt.NDArray[np.int64], seed: int) -> TargetCodes:
    """Questions of the label about N rows → standardized codes, concatenated for several questions, 0 if a
    row does not answer; and folds by group (N,)."""
    parts = [_codes_of(question, len(groups)) for question in questions]
    names, group_of = np.unique(groups, return_inverse=True)
    fold_of_group = np.random.default_rng([seed, 1]).permutation(len(names)) % _FOLDS
    codes = np.concatenate(parts, axis=1) if parts else np.zeros((len(groups), 1))
    return TargetCodes(codes, fold_of_group[group_of])


def _codes_of(question: Target, size: int) -> npt.NDArray[np.float64]:
    """(N, T)"""
    labels, num_classes = question.labels, question.num_classes
    if num_classes is None:
        raw = labels.astype(np.float64)[:, None]
    elif num_classes == 2:
        raw = (labels == 1).astype(np.float64)[:, None]
    else:
        raw = (labels[:, None] == np.arange(num_classes)).astype(np.float64)
    spread = raw.std(axis=0)
    codes = np.zeros((size, raw.shape[1]))
    codes[question.rows] = (raw - raw.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return codes


def fit_target_means(
    index: npt.NDArray[np.int64], num_categories: int, codes: npt.NDArray[np.float64]
) -> list[list[float]]:
    """(N,) category numbers from 1, (N, T) codes → num_categories rows of T smoothed means."""
    sums = np.zeros((num_categories + 1, codes.shape[1]))
    np.add.at(sums, index, codes)
    counts = np.bincount(index, minlength=num_categories + 1)[:, None]
    prior = codes.mean(axis=0) if len(codes) else np.zeros(codes.shape[1])
    means: list[list[float]] = ((sums + SMOOTHING * prior) / (counts + SMOOTHING))[1:].tolist()
    return means
