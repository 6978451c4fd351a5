"""Areas under the ROC and precision–recall curves from one sort, for any number of weightings of the same
cases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.arrays import FloatArray


@dataclass(frozen=True)
class RankedScores:
    """Scores sorted ascending, tied ones grouped. N cases, G distinct scores."""

    order: npt.NDArray[np.intp]
    """(N,) positions that sort the scores."""
    starts: npt.NDArray[np.intp]
    """(G,) first sorted position of each distinct score."""
    positive: FloatArray
    """(N,) 1 for cases of the positive class, in sorted order."""
    distinct: FloatArray
    """(G,) the distinct scores, ascending."""

    @staticmethod
    def of(positive: npt.ArrayLike, scores: npt.ArrayLike) -> RankedScores:
        """positive (N,) of 0/1 or bool, scores (N,); a higher score means the positive class."""
        values = np.asarray(scores, dtype=np.float64)
        order = np.argsort(values, kind="stable")
        ascending = values[order]
        is_first = np.ones(len(values), dtype=bool)
        is_first[1:] = ascending[1:] != ascending[:-1]
        starts = np.flatnonzero(is_first)
        return RankedScores(order, starts, np.asarray(positive, dtype=np.float64)[order], ascending[starts])

    def groups(self) -> npt.NDArray[np.intp]:
        """(N,) which distinct score each case has."""
        found = np.zeros(len(self.order), dtype=np.intp)
        found[self.order] = np.searchsorted(self.starts, np.arange(len(self.order)), side="right") - 1
        return found

    def counts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights (R, N) → weight of positives and of negatives at each distinct score, (R, G) each."""
        sorted_weights = np.take(weights, self.order, axis=1)
        positives = sorted_weights * self.positive
        if len(self.starts) == len(self.order):
            return positives, sorted_weights - positives
        positives = np.add.reduceat(positives, self.starts, axis=1)
        return positives, np.add.reduceat(sorted_weights, self.starts, axis=1) - positives

    def areas(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Weights (R, N) → ROC area (R,) and average precision (R,); NaN where a class has no weight.

        ROC area: the probability that a positive outranks a negative, ties counting half (Hanley and
        McNeil 1982).
        Average precision: sum of the recall steps times precision, without interpolation.
        """
        positives, negatives = self.counts(weights)
        positives_up_to = np.cumsum(positives, axis=1)
        negatives_up_to = np.cumsum(negatives, axis=1)
        num_positive, num_negative = positives.sum(axis=1), negatives.sum(axis=1)
        defined = (num_positive > 0) & (num_negative > 0)

        outranked = np.einsum("rg,rg->r", positives, negatives_up_to - negatives / 2)
        pairs = num_positive * num_negative
        roc = np.divide(outranked, pairs, out=np.full(len(pairs), np.nan), where=defined)

        called = np.add(positives, negatives)
        true_called = num_positive[:, None] - positives_up_to + positives
        called += (num_positive + num_negative)[:, None] - positives_up_to - negatives_up_to
        np.divide(true_called, called, out=true_called, where=called > 0)
        steps = np.einsum("rg,rg->r", positives, true_called)
        precision = np.divide(steps, num_positive, out=np.full(len(pairs), np.nan), where=defined)
        return roc, precision
