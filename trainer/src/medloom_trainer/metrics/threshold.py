"""The decision threshold of a binary classifier, chosen on validation and stored with the checkpoint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.ranking import RankedScores

_UNDECIDED = 0.5
"""Threshold if validation cannot decide: only one class, or no cut better than chance."""


class Cuts(NamedTuple):
    """Every way to divide the cases in two by their probability, C of them, ascending. A case is positive if
    its probability >= the cut.

    A cut is midway between two neighboring probabilities, so that rounding on another device moves no case
    across it.
    """

    values: FloatArray
    """(C,)"""
    missed: FloatArray
    """(C,) positives below the cut."""
    rejected: FloatArray
    """(C,) negatives below the cut."""
    num_positive: float
    num_negative: float

    @staticmethod
    def from_scores(labels: npt.ArrayLike, positive_probability: npt.ArrayLike) -> Cuts:
        """labels (N,) of 0/1, probability (N,)."""
        ranked = RankedScores.from_scores(labels, positive_probability)
        positives, negatives = (side[0] for side in ranked.counts(np.ones((1, len(ranked.order)))))
        below, above = ranked.distinct[:-1], ranked.distinct[1:]
        values = (below + above) / 2
        missed, rejected = np.cumsum(positives)[:-1], np.cumsum(negatives)[:-1]
        return Cuts(values, missed, rejected, float(positives.sum()), float(negatives.sum()))

    def youden(self) -> FloatArray:
        """(C,) J times both class sizes: whole numbers, so that equal cuts compare equal."""
        gain: FloatArray = self.rejected * self.num_positive - self.missed * self.num_negative
        return gain

    def nearest(self, to: float, among: npt.NDArray[np.bool_]) -> float:
        """The cut `among` these that is nearest to a probability; the lower of two equally near ones."""
        chosen = self.values[among]
        return float(chosen[np.argmin(np.abs(chosen - to))])


def choose_threshold(labels: npt.ArrayLike, positive_probability: npt.ArrayLike) -> float:
    """The cut that maximizes Youden's J = sensitivity + specificity - 1 (Youden 1950): labels (N,) of 0/1,
    probability (N,).

    J does not depend on the prevalence, which in a study often differs from that in the clinic; F1 does. Of
    cuts with the same J the one nearest to 0.5 is taken.
    """
    found = youden_cut(Cuts.from_scores(labels, positive_probability))
    return _UNDECIDED if found is None else found


def undecided(labels: npt.ArrayLike, positive_probability: npt.ArrayLike) -> str | None:
    """Reason why `choose_threshold` returns the default; None if it chooses."""
    cuts = Cuts.from_scores(labels, positive_probability)
    if youden_cut(cuts) is not None:
        return None
    if min(cuts.num_positive, cuts.num_negative) == 0:
        return phrase("validation_of_one_class")
    return phrase("no_threshold_above_chance")


def youden_cut(cuts: Cuts) -> float | None:
    """None if one class is absent, or no cut is better than chance."""
    gain = cuts.youden()
    if min(cuts.num_positive, cuts.num_negative) == 0 or not gain.size or gain.max() <= 0:
        return None
    return cuts.nearest(_UNDECIDED, gain == gain.max())
