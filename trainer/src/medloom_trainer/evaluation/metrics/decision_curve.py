"""Decision curve analysis (Vickers and Elkin 2006): whether acting on the prediction does more good than
treating everybody or nobody.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.arrays import FloatArray

_THRESHOLDS = np.arange(1, 91) / 100
"""Above 0.9 a false positive outweighs nine true ones: the curve follows single cases."""


def decision_curve(labels: npt.ArrayLike, probability: npt.ArrayLike) -> dict[str, Any]:
    """labels (N,) of 0/1, both of them there; probability (N,) of class 1. → thresholds (T,), and the net
    benefit (T,) of the model and of treating all; that of treating nobody is 0.

    Net benefit at threshold t: (true positives - false positives * t / (1 - t)) / N. Who treats from a
    probability of t on takes 1 / t - 1 needless treatments for one that is needed.
    """
    truth, chances = np.asarray(labels) == 1, np.asarray(probability, dtype=np.float64)
    positives, negatives = np.sort(chances[truth]), np.sort(chances[~truth])
    return {
        "thresholds": _THRESHOLDS.tolist(),
        "model": _net_benefit(_from(positives), _from(negatives), len(truth)).tolist(),
        "treat_all": _net_benefit(
            np.full(len(_THRESHOLDS), len(positives)), np.full(len(_THRESHOLDS), len(negatives)), len(truth)
        ).tolist(),
    }


def _from(ascending: FloatArray) -> npt.NDArray[np.intp]:
    """(T,) how many are at or above each threshold."""
    return len(ascending) - np.searchsorted(ascending, _THRESHOLDS, side="left")


def _net_benefit(
    true_positives: npt.NDArray[np.integer[Any]], false_positives: npt.NDArray[np.integer[Any]], size: int
) -> FloatArray:
    benefit: FloatArray = (true_positives - false_positives * _THRESHOLDS / (1 - _THRESHOLDS)) / size
    return benefit
