"""Inner folds of the rows that a baseline is fitted on. They choose its setting."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.baselines.design import FloatArray

Rows = npt.NDArray[np.int64]
_SMALLEST = 1e-15
"""Lower bound of a probability in the log loss, as in the log loss of an evaluation."""


def inner_folds(
    labels: npt.NDArray[Any], groups: Rows, *, classes: int, folds: int, seed: int
) -> list[tuple[Rows, Rows]]:
    """Return (rows to fit, rows to measure) for each fold. All rows of a patient are in the same fold, and
    classes are spread evenly. There are fewer folds if there are fewer patients, and none if there is only
    one. classes: 0 for numbers.
    """
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold

    patients = len(np.unique(groups))
    count = min(folds, patients)
    if count < 2:
        return []
    splitter: Any = GroupKFold(count, shuffle=True, random_state=seed)
    if classes:
        # Placing every patient separately takes a second for ten thousand patients.
        by_class = StratifiedKFold if patients == len(groups) else StratifiedGroupKFold
        splitter = by_class(count, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds is not an error
        try:
            return [(fit, held) for fit, held in splitter.split(labels, labels, groups) if len(held)]
        except ValueError:  # every class has fewer rows than folds
            plain = GroupKFold(count, shuffle=True, random_state=seed)
            return [(fit, held) for fit, held in plain.split(labels, labels, groups) if len(held)]


def total_loss(labels: npt.NDArray[Any], predictions: FloatArray) -> float:
    """Log loss of (N, K) probabilities, or squared error of (N,) numbers, summed over the rows."""
    if predictions.ndim == 1:
        return float(np.square(predictions - labels).sum())
    own = np.take_along_axis(predictions, labels[:, None], axis=1)
    return float(-np.log(np.clip(own, _SMALLEST, 1.0)).sum())


def interval_loss(targets: npt.NDArray[Any], survival: FloatArray) -> float:
    """Negative log-likelihood of the time intervals, summed over the rows. targets (N, 2): the number of
    intervals that a case outlived, and the interval of the event or -1; survival (N, K) at their edges."""
    before = np.concatenate([np.ones((len(survival), 1)), survival], axis=1)
    rows = np.arange(len(targets))
    outlived, event = targets[:, 0], targets[:, 1]
    last = before[rows, outlived]
    lost = last - before[rows, np.minimum(outlived + 1, before.shape[1] - 1)]
    share = np.where(event >= 0, lost, last)
    return float(-np.log(np.clip(share, _SMALLEST, 1.0)).sum())


def chosen_by(folds: list[tuple[Rows, Rows]], classes: int) -> str:
    """Describe, for a reader, how a setting was chosen."""
    if not folds:
        return "default: all training rows belong to one patient"
    measure = "log loss" if classes else "squared error"
    return f"lowest {measure} in {len(folds)}-fold grouped cross-validation on the fitted rows"
