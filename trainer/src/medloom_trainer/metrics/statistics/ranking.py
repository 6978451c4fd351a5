"""Areas under the ROC and precision–recall curves from one sort, for any number of weightings of the same
cases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.group_sums import by_case, sums_of_groups
from medloom_trainer.metrics.statistics.ties import starts_of_groups


class _Steps(NamedTuple):
    """Intervals between the P distinct scores of positives. Only these change recall, so areas need only
    their sums: for a rare class that is a small part of the cases."""

    sums: csr_array
    """(3 P + 1, N): the positives at each score, the negatives tied with them, and the negatives below the
    score but not below the previous one; the last row has the negatives above all scores."""
    scores: int
    """P."""
    ties: bool
    """Ties between cases of both classes."""


@dataclass(frozen=True)
class RankedScores:
    """Scores sorted ascending, with tied ones grouped (`ties`). N cases, G distinct scores."""

    order: npt.NDArray[np.intp]
    """(N,) positions that sort the scores."""
    starts: npt.NDArray[np.intp]
    """(G,) first sorted position of each distinct score."""
    positive: FloatArray
    """(N,) 1 for cases of the positive class, in sorted order."""
    distinct: FloatArray
    """(G,) the distinct scores, ascending."""

    @staticmethod
    def from_scores(positive: npt.ArrayLike, scores: npt.ArrayLike) -> RankedScores:
        """positive (N,) of 0/1 or bool, scores (N,); a higher score means the positive class."""
        values = np.asarray(scores, dtype=np.float64)
        order = np.argsort(values, kind="stable")
        ascending = values[order]
        starts = starts_of_groups(ascending)
        return RankedScores(order, starts, np.asarray(positive, dtype=np.float64)[order], ascending[starts])

    def groups(self) -> npt.NDArray[np.intp]:
        """(N,) index of the distinct score of each case."""
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
        """Weights (R, N) → ROC area (R,) and average precision (R,); NaN if a class has no weight.

        ROC area: the probability that a positive outranks a negative, ties counting half (Hanley and McNeil
        1982). Average precision: sum of the recall steps times precision, without interpolation.
        """
        sums, count, ties = self._steps
        found = sums @ by_case(weights)  # (3 P + 1, R)
        positives, tied, between = found[:count], found[count : 2 * count], found[2 * count :]
        below = np.cumsum(between[:-1], axis=0)
        if ties:
            below[1:] += np.cumsum(tied[:-1], axis=0)
        num_positive = positives.sum(axis=0)
        num_negative = tied.sum(axis=0) + between.sum(axis=0)
        defined = (num_positive > 0) & (num_negative > 0)

        outranked = np.einsum("pr,pr->r", positives, below + tied / 2 if ties else below)
        pairs = num_positive * num_negative
        roc = np.divide(outranked, pairs, out=np.full(len(pairs), np.nan), where=defined)

        true_called = num_positive - np.cumsum(positives, axis=0) + positives
        called = true_called + num_negative - below
        np.divide(true_called, called, out=true_called, where=called > 0)
        steps = np.einsum("pr,pr->r", positives, true_called)
        precision = np.divide(steps, num_positive, out=np.full(len(pairs), np.nan), where=defined)
        return roc, precision

    @cached_property
    def _steps(self) -> _Steps:
        size = len(self.order)
        positive = self.positive == 1
        group = np.searchsorted(self.starts, np.arange(size), side="right") - 1  # for each sorted position
        stepping, step_of = np.unique(group[positive], return_inverse=True)
        count = len(stepping)
        row = np.empty(size, dtype=np.intp)
        row[positive] = step_of
        negative = group[~positive]
        after = np.searchsorted(stepping, negative)  # the first step at or above each negative
        tied = np.append(stepping, -1)[after] == negative
        row[~positive] = np.where(tied, count + after, 2 * count + after)
        of_case = np.empty(size, dtype=np.intp)
        of_case[self.order] = row
        return _Steps(sums_of_groups(of_case, 3 * count + 1), count, bool(tied.any()))
