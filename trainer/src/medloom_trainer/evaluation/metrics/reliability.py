"""Where an interval is printed with a caution: the sizes at which it missed 93 to 97 % in bench/coverage."""

from __future__ import annotations

from medloom_trainer.evaluation.metrics.outcome import Outcome
from medloom_trainer.evaluation.metrics.statistics.clusters import Clusters

FEW_PATIENTS = 30
"""Below this an evaluation says that its patients are few, whatever holds for single intervals."""
_FEWEST_CLUSTERS = 14
"""Patients with several rows each, below which no interval was simulated."""
_FEWEST_OF_A_CLASS = {"auprc": 50}
"""Metric → patients that the rarest class needs; the estimate is skewed and biased below."""
_FEWEST_OF_ALL = dict.fromkeys(["rmse", "spearman"], 30) | dict.fromkeys(["loa_low", "loa_high"], 100)
"""Metric of a regression → patients that it needs."""
_FEWEST = 5
"""Patients of the rarest class that every other metric of a classification needs."""


def caution_of_clusters(clusters: Clusters) -> str | None:
    """The same for a share of cases."""
    few = not clusters.one_row_each and clusters.count < _FEWEST_CLUSTERS
    return f"{clusters.count} patients are few" if few else None


def caution_of(name: str, outcome: Outcome, clusters: Clusters) -> str | None:
    """Why the interval of this metric is not reliable at this size, for a column of a table; None where it
    is."""
    needed = max(_FEWEST_OF_ALL.get(name, 0), 0 if clusters.one_row_each else _FEWEST_CLUSTERS)
    if clusters.count < needed:
        return f"{clusters.count} patients are few"
    rarest = outcome.rarest(name, clusters)
    if rarest is None:
        return None
    if rarest < _FEWEST_OF_A_CLASS.get(name.partition("[")[0], _FEWEST):
        return f"{rarest} patients of a class are few"
    return None
