"""Sizes below which an interval is printed with a caution, since its coverage in bench/coverage was outside
93 to 97 %."""

from __future__ import annotations

from medloom_trainer.evaluation.metrics.outcome import Outcome
from medloom_trainer.evaluation.metrics.statistics.clusters import Clusters

FEW_PATIENTS = 30
"""Number below which an evaluation reports that its patients are few, independently of single intervals."""
_FEWEST_CLUSTERS = 14
"""Number of patients with several rows each, below which no interval was simulated."""
_FEWEST_OF_A_CLASS = {"auprc": 50}
"""Metric → minimum number of patients of the rarest class; below it the estimate is skewed and biased."""
_FEWEST_OF_ALL = dict.fromkeys(["rmse", "spearman"], 30) | dict.fromkeys(["loa_low", "loa_high"], 100)
"""Metric of a regression → minimum number of patients."""
_FEWEST = 5
"""Minimum number of patients of the rarest class for every other metric of a classification."""


def caution_of_clusters(clusters: Clusters) -> str | None:
    """The caution for a share of cases."""
    few = not clusters.one_row_each and clusters.count < _FEWEST_CLUSTERS
    return f"{clusters.count} patients are few" if few else None


def caution_of(name: str, outcome: Outcome, clusters: Clusters) -> str | None:
    """Reason, for a column of a table, why the interval of this metric is not reliable at this size; None if
    it is."""
    needed = max(_FEWEST_OF_ALL.get(name, 0), 0 if clusters.one_row_each else _FEWEST_CLUSTERS)
    if clusters.count < needed:
        return f"{clusters.count} patients are few"
    rarest = outcome.rarest(name, clusters)
    if rarest is None:
        return None
    if rarest < _FEWEST_OF_A_CLASS.get(name.partition("[")[0], _FEWEST):
        return f"{rarest} patients of a class are few"
    return None
