"""Number of patients of a class below which two models are not compared."""

from __future__ import annotations

from typing import Protocol

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.metrics.statistics.clusters import Clusters

FEWEST_OF_A_CLASS = 5
"""With fewer patients of the rarest class (for survival: with an event), two equally good models are found to
differ far too often: in simulated comparisons up to 46 % with one, 4 to 21 % with two (npm run bench:coverage
-- --comparisons --few-events).
"""
_OF_ALL_CASES = frozenset(
    {"accuracy", "brier", "log_loss", "ece", "hamming_loss", "subset_accuracy", "integrated_brier"}
)
"""Means over all cases, on which a rare class has little effect."""


class _HasClasses(Protocol):
    def rarest(self, name: str, clusters: Clusters) -> int | None: ...


def too_few_of_a_class(
    outcome: _HasClasses, name: str, clusters: Clusters, fewest: int = FEWEST_OF_A_CLASS
) -> Phrased | None:
    """Reason why models are not compared by this metric; None if they can be."""
    if name in _OF_ALL_CASES:
        return None
    rarest = outcome.rarest(name, clusters)
    if rarest is None or rarest >= fewest:
        return None
    return phrase("too_few_to_compare", needed=fewest)
