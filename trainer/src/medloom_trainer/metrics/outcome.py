"""Common interface of all families of metrics: one pass over weighted cases, and a reason for each undefined
number.

A metric is a function of the cases and their weights. With weights of one it is the estimate; with the counts
of a bootstrap replicate it is the value of that replicate. So the estimate and its interval come from the
same code. Inside this package an undefined value is NaN; it is returned as None with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.ranking import RankedScores

Metrics = dict[str, float | None]
Notes = dict[str, str]


class Share(NamedTuple):
    """A proportion: (N,) the cases that succeed, and the cases that count."""

    success: npt.NDArray[np.bool_]
    among: npt.NDArray[np.bool_]


class Mean(NamedTuple):
    """A mean over cases, or the square root of one."""

    values: FloatArray
    """(N,)"""
    root: bool = False


class Outcome(Protocol):
    """Cases with truth and prediction, which can be measured with any weights."""

    size: int
    """N, the number of cases."""

    def measure(self, weights: FloatArray) -> dict[str, FloatArray]:
        """Weights (R, N), whole numbers → metric → (R,) values, NaN if undefined."""
        ...

    def explain(self, name: str) -> str:
        """Reason why the metric is undefined on these cases."""
        ...

    def proportions(self) -> Mapping[str, Share]:
        """Metrics that are a share of cases."""
        ...

    def overlaps(self) -> Mapping[str, Share]:
        """F1 scores: the share of cases that are positive in truth and in the prediction, among those that
        are positive in either. F1 = 2 share / (1 + share)."""
        ...

    def averages(self) -> Mapping[str, Sequence[str]]:
        """Metrics that are the mean of shares of different cases: name → the names of these shares."""
        ...

    def means(self) -> Mapping[str, Mean]:
        """Metrics that are the mean of a number for each case."""
        ...

    def rankings(self) -> Mapping[str, RankedScores]:
        """Metrics that are an area under a ROC curve: name → the scores."""
        ...

    def rows_of(self, name: str) -> npt.NDArray[np.intp] | None:
        """Positions of the cases on which a metric of `means` or `rankings` is measured; None for all."""
        ...

    def standard_errors(self, clusters: Clusters) -> Mapping[str, float]:
        """Metrics fitted by maximum likelihood: name → standard error between patients."""
        ...

    def rarest(self, name: str, clusters: Clusters) -> int | None:
        """Number of patients of the rarest class that affects the metric; None for a regression."""
        ...


def estimate(outcome: Outcome) -> tuple[Metrics, Notes]:
    """Every metric of the unweighted cases, and the reason for each that is None."""
    measured = outcome.measure(np.ones((1, outcome.size)))
    values = {name: finite(value[0]) for name, value in measured.items()}
    return values, {name: outcome.explain(name) for name, value in values.items() if value is None}


def finite(value: Any) -> float | None:
    """The number, or None if it is NaN or infinite."""
    return float(value) if np.isfinite(value) else None


def ratio(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> FloatArray:
    """numerator / denominator, NaN if the denominator is zero."""
    top, bottom = np.broadcast_arrays(np.asarray(numerator, float), np.asarray(denominator, float))
    quotient: FloatArray = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom != 0)
    return quotient
