"""Sizes below which an interval is printed with a caution, since its coverage in bench/coverage was outside
93 to 97 %."""

from __future__ import annotations

from medloom_trainer.contract.metric_catalogue import metric_of
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.statistics.clusters import Clusters

FEW_PATIENTS = 30
"""Number below which an evaluation reports that its patients are few, independently of single intervals."""
_FEWEST_CLUSTERS = 14
"""Number of patients with several rows each, below which no interval was simulated."""
_FEWEST = 5
"""Minimum number of patients of the rarest class, for metrics for which the catalogue has no number."""
FEWEST_TRUE_POSITIVES = 10
"""Minimum number of patients with the event that a threshold calls positive, for an interval of the net
benefit there. If ten or more are expected, the interval holds the true benefit in 93 to 96 % of all simulated
studies, with fewer in 56 to 100 % (docs/benchmarks.md; npm run bench:coverage -- --net-benefit). A larger
minimum improves nothing: near any minimum, the studies that reach it by chance are the ones with an interval.
"""


def caution_of_clusters(clusters: Clusters) -> Phrased | None:
    """The caution for a share of cases."""
    few = not clusters.one_row_each and clusters.count < _FEWEST_CLUSTERS
    return phrase("few_patients", count=clusters.count) if few else None


def caution_of(name: str, outcome: Outcome, clusters: Clusters) -> Phrased | None:
    """Reason, for a column of a table, why the interval of this metric is not reliable at this size; None if
    it is."""
    row = metric_of(name)
    fewest = {} if row is None else row.fewest
    needed = max(fewest.get("patients", 0), 0 if clusters.one_row_each else _FEWEST_CLUSTERS)
    if clusters.count < needed:
        return phrase("few_patients", count=clusters.count)
    rarest = outcome.rarest(name, clusters)
    if rarest is None:
        return None
    if rarest < fewest.get("of_rarest_class", _FEWEST):
        return phrase("few_of_a_class", count=rarest)
    return None
