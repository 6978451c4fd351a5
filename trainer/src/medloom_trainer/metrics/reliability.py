"""Sizes below which an interval is printed with a caution, since its coverage in bench/coverage was outside
93 to 97 %."""

from __future__ import annotations

from medloom_trainer.contract.metric_catalogue import metric_of
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.statistics.clusters import Clusters

FEW_PATIENTS = 30
"""Number below which an evaluation reports that its patients are few, independently of single intervals."""
_FEWEST_CLUSTERS = 14
"""Number of patients with several rows each, below which no interval was simulated."""
_FEWEST = 5
"""Minimum number of patients of the rarest class, for metrics for which the catalogue has no number."""
FEWEST_TRUE_POSITIVES = 5
"""Minimum number of patients with the event that a threshold calls positive, for an interval of the net
benefit there. With fewer, coverage fell to 88 % and, at high thresholds, far below (npm run bench:coverage
-- --net-benefit)."""


def few_patients(count: int, qualifier: str = "") -> str:
    """The caution about so few patients. qualifier: " of a class" and the like."""
    return f"only 1 patient{qualifier}" if count == 1 else f"{count} patients{qualifier} are few"


def caution_of_clusters(clusters: Clusters) -> str | None:
    """The caution for a share of cases."""
    few = not clusters.one_row_each and clusters.count < _FEWEST_CLUSTERS
    return few_patients(clusters.count) if few else None


def caution_of(name: str, outcome: Outcome, clusters: Clusters) -> str | None:
    """Reason, for a column of a table, why the interval of this metric is not reliable at this size; None if
    it is."""
    row = metric_of(name)
    fewest = {} if row is None else row.fewest
    needed = max(fewest.get("patients", 0), 0 if clusters.one_row_each else _FEWEST_CLUSTERS)
    if clusters.count < needed:
        return few_patients(clusters.count)
    rarest = outcome.rarest(name, clusters)
    if rarest is None:
        return None
    if rarest < fewest.get("of_rarest_class", _FEWEST):
        return few_patients(rarest, " of a class")
    return None
