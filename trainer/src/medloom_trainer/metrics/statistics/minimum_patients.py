"""Numbers of patients below which two models are not compared, for each method of comparison.

They were found by simulations of two equally good models, which should differ significantly in 5 % of the
comparisons (npm run bench:coverage -- --comparisons; docs/benchmarks.md has the table).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.metrics.statistics.clusters import Clusters


class Minimum(NamedTuple):
    """Minimum number of patients of a method."""

    of_a_class: int
    """Patients of the rarest class; for survival: with an event."""
    patients: int
    """All patients, whatever their class."""


NO_MINIMUM = Minimum(0, 0)
PAIRED = Minimum(of_a_class=5, patients=10)
"""The paired bootstrap over the patients of one set of cases. Of a class: up to 71 % with one patient, 24 %
with two, 15 % with three, 14 % with four, at most 9 % with five or more. Without classes at most 7 % from ten
patients on."""
POOLED = Minimum(of_a_class=5, patients=10)
"""The same over the pooled predictions of a study: the variance between seeds makes it more conservative, at
most 6 % with one patient; the minimum is that of a single set, since a study may have one seed."""
FOLDS = Minimum(of_a_class=5, patients=10)
"""The corrected resampled t-test over the folds of a study: 43 % with two patients of a class, 20 % with
three, 10 % with four, 3 % with five."""
_OF_ALL_CASES = frozenset(
    {"accuracy", "brier", "log_loss", "ece", "hamming_loss", "subset_accuracy", "integrated_brier"}
)
"""Means over all cases, on which a rare class has little effect."""


class _HasClasses(Protocol):
    def rarest(self, name: str, clusters: Clusters) -> int | None: ...


def too_few_to_compare(
    outcome: _HasClasses, name: str, clusters: Clusters, minimum: Minimum
) -> Phrased | None:
    """Reason why two models are not compared by this metric; None if they are."""
    if clusters.count < minimum.patients:
        return phrase("too_few_patients_to_compare", needed=minimum.patients)
    rarest = None if name in _OF_ALL_CASES else outcome.rarest(name, clusters)
    if rarest is None or rarest >= minimum.of_a_class:
        return None
    return phrase("too_few_to_compare", needed=minimum.of_a_class)
