"""The decision threshold of a binary classifier, chosen on validation and kept with the checkpoint."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.statistics.ranking import RankedScores

_UNDECIDED = 0.5
"""Used where validation cannot decide: one class only, or no cut better than chance."""


def choose_threshold(labels: npt.ArrayLike, positive_probability: npt.ArrayLike) -> float:
    """The cut that maximizes Youden's J = sensitivity + specificity - 1 (Youden 1950): labels (N,) of 0/1,
    probability (N,).

    J does not depend on the prevalence, which in a study is often not that of the clinic; F1 does. The cut
    lies midway between two neighbouring probabilities, so that rounding on another device moves no case
    across it. Of cuts with the same J the one nearest to 0.5 is taken, of two equally near the lower. A
    case is positive where its probability >= threshold.
    """
    ranked = RankedScores.of(labels, positive_probability)
    positives, negatives = (side[0] for side in ranked.counts(np.ones((1, len(ranked.order)))))
    num_positive, num_negative = positives.sum(), negatives.sum()
    if num_positive == 0 or num_negative == 0 or len(ranked.distinct) < 2:
        return _UNDECIDED
    # J times both class sizes: whole numbers, so that equal cuts compare equal. A cut lies above each score
    # but the last.
    missed, rejected = np.cumsum(positives)[:-1], np.cumsum(negatives)[:-1]
    gain = rejected * num_positive - missed * num_negative
    if gain.max() <= 0:
        return _UNDECIDED
    cuts = (ranked.distinct[:-1] + ranked.distinct[1:]) / 2
    # Neighbouring floats have no number between them: the mean may round down to the lower one, which must
    # stay below.
    cuts = np.where(cuts > ranked.distinct[:-1], cuts, ranked.distinct[1:])
    best = cuts[gain == gain.max()]
    return float(best[np.argmin(np.abs(best - 0.5))])
