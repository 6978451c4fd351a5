"""ROC and precision–recall curves for drawing. Areas are computed from all cases elsewhere; only the drawn
curves are thinned."""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.ranking import RankedScores

MAX_POINTS = 500


def roc_curve(ranked: RankedScores) -> tuple[FloatArray, FloatArray]:
    """False positive rate and sensitivity from (0, 0) to (1, 1), one point for each distinct score. Both
    classes must occur."""
    positives, negatives = (side[0, ::-1] for side in ranked.counts(np.ones((1, len(ranked.order)))))
    return _shares(negatives), _shares(positives)


def pr_curve(ranked: RankedScores) -> tuple[FloatArray, FloatArray]:
    """Recall and precision by ascending recall, from (0, 1), one point for each distinct score. Both classes
    must occur."""
    positives, negatives = (side[0, ::-1] for side in ranked.counts(np.ones((1, len(ranked.order)))))
    called = np.cumsum(positives + negatives)
    return _shares(positives), np.concatenate([[1.0], np.cumsum(positives) / called])


def thin(x: FloatArray, y: FloatArray, max_points: int = MAX_POINTS) -> tuple[FloatArray, FloatArray]:
    """Return at most `max_points` of the points of a line, including both ends; if all fit, only points that
    change nothing are left out.

    The point farthest from the current line is added first (Ramer 1972; Douglas and Peucker 1973).
    """
    last = len(x) - 1
    indices = {0, last}
    waiting: list[tuple[float, int, int, int]] = []

    def consider(left: int, right: int) -> None:
        if right - left < 2:
            return
        across, along = x[right] - x[left], y[right] - y[left]
        dx, dy = x[left + 1 : right] - x[left], y[left + 1 : right] - y[left]
        length = np.hypot(across, along)
        distances = np.abs(across * dy - along * dx) / length if length > 0 else np.hypot(dx, dy)
        farthest = int(distances.argmax())
        if distances[farthest] > 1e-12:
            heappush(waiting, (-float(distances[farthest]), left, left + 1 + farthest, right))

    consider(0, last)
    while waiting and len(indices) < max_points:
        _, left, middle, right = heappop(waiting)
        indices.add(middle)
        consider(left, middle)
        consider(middle, right)
    chosen = np.array(sorted(indices))
    return x[chosen], y[chosen]


def _shares(counts: FloatArray) -> FloatArray:
    reached = np.concatenate([[0.0], np.cumsum(counts)])
    shares: FloatArray = reached / reached[-1]
    return shares
