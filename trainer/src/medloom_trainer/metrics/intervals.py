"""95 % intervals. Each names its method, whose coverage was simulated (bench/coverage).

Proportions: Wilson. F1: Wilson of the overlap that determines it. Balanced accuracy: the combined bounds of
its proportions. ROC areas: DeLong on the logit scale. Calibration line: its likelihood. Means of a number for
each case (log loss, absolute error): bootstrap-t. Everything else: Student's interval with the standard error
of a bootstrap, on the scale of the metric; bootstrap percentiles are too narrow at the sizes of typical
studies. A bootstrap draws patients, not rows, so that rows that share a patient count by their joint
information.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import Phrased, join, phrase, with_phrases
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.outcome import Mean, Metrics, Notes, Outcome, Share
from medloom_trainer.metrics.reliability import caution_of, caution_of_clusters
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile
from medloom_trainer.metrics.statistics.resampling import patient_draws, studentized_mean
from medloom_trainer.metrics.statistics.roc_area import area_interval
from medloom_trainer.metrics.statistics.scales import Scale, scale_of
from medloom_trainer.metrics.statistics.wilson import Z, clustered_wilson, wilson

_REPLICATES = 1000
_FEWER_REPLICATES = 500
MANY_ROWS = 10_000
"""Number of rows above which fewer replicates are used: time grows with the rows."""
_MIN_PATIENTS = 10
"""Minimum number of patients for resampling."""
_ROUNDING = 1e-12
"""Limit, relative to the value, below which a standard error is rounding."""
_NO_INTERVAL = {"ece": phrase("biased")}


class Interval(TypedDict):
    """Interval as declared in the contracts; low and high are None exactly if reason is not."""

    estimate: float | None
    low: float | None
    high: float | None
    method: str
    reason: str | None
    caution: str | None
    method_phrases: NotRequired[list[dict[str, Any]]]
    reason_phrases: NotRequired[list[dict[str, Any]]]
    caution_phrases: NotRequired[list[dict[str, Any]]]


class _Found(NamedTuple):
    method: Phrased
    bounds: tuple[float, float] | None
    reason: str | None = None

    def interval(self, estimate: float | None, caution: Phrased | None) -> Interval:
        low, high = self.bounds if self.bounds is not None else (None, None)
        texts = {"method": self.method, "reason": self.reason, "caution": caution}
        return cast("Interval", {"estimate": estimate, "low": low, "high": high, **with_phrases(texts)})


def intervals(
    outcome: Outcome,
    values: Metrics,
    notes: Notes,
    patients: npt.NDArray[np.int64] | None,
    *,
    names: Iterable[str] | None = None,
    replicates: int | None = None,
    seed: int = 0,
) -> dict[str, Interval]:
    """Metric → interval. values and notes: from `estimate`; patients (N,), None if every row is a separate
    patient; names: the metrics, all by default."""
    wanted = {name: values[name] for name in (values if names is None else names)}
    clusters = Clusters.from_patients(patients, outcome.size)
    analytic = _analytic(outcome, values, clusters)
    remaining = {
        name: value
        for name, value in wanted.items()
        if value is not None and name not in analytic and name not in _NO_INTERVAL
    }
    resampled = _resampled(outcome, remaining, clusters, replicates, seed)
    found: dict[str, Interval] = {}
    for name, value in wanted.items():
        one = analytic.get(name) or resampled.get(name) or _Found(phrase("no_method"), None)
        if value is None:
            one = one._replace(bounds=None, reason=notes[name])
        elif name in _NO_INTERVAL:
            one = one._replace(reason=_NO_INTERVAL[name])
        caution = None if one.bounds is None else caution_of(name, outcome, clusters)
        found[name] = one.interval(value, caution)
    return found


def share_interval(
    success: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_], clusters: Clusters
) -> Interval:
    """Interval of a share of cases that is not a metric of the outcome: success and among (N,)."""
    found = _proportion(Share(success, among), clusters)
    trials = int(among.sum())
    estimate = int((success & among).sum()) / trials if trials else None
    return found.interval(estimate, None if found.bounds is None else caution_of_clusters(clusters))


def bootstrap(outcome: Outcome, clusters: Clusters, replicates: int, seed: int) -> dict[str, FloatArray]:
    """Metric → (replicates,) values under patients drawn with replacement.

    In a replicate, the weight of a row is the number of times that its patient was drawn. The same seed gives
    the same draws.
    """
    draws = patient_draws(clusters.count, replicates, seed, outcome.size)
    parts = [outcome.measure(times[:, clusters.member]) for times in draws]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _resampled(
    outcome: Outcome, values: Mapping[str, float], clusters: Clusters, replicates: int | None, seed: int
) -> dict[str, _Found]:
    if not values:
        return {}
    if replicates is None:
        replicates = _REPLICATES if outcome.size <= MANY_ROWS else _FEWER_REPLICATES
    method = phrase("bootstrap", replicates=replicates)
    if clusters.count < _MIN_PATIENTS:
        return dict.fromkeys(values, _Found(method, None, phrase("too_few_to_resample")))
    means = {name: mean for name, mean in outcome.means().items() if name in values}
    found = {
        name: _bootstrap_t(name, mean, _clusters_of(name, outcome, clusters), replicates, seed)
        for name, mean in means.items()
    }
    if found.keys() == values.keys():
        return found
    draws = bootstrap(outcome, clusters, replicates, seed)
    return {
        name: found.get(name) or _student(name, value, draws[name], clusters.count, method)
        for name, value in values.items()
    }


def _clusters_of(name: str, outcome: Outcome, clusters: Clusters) -> Clusters:
    """The patients of the cases on which a metric is measured."""
    rows = outcome.rows_of(name)
    return clusters if rows is None or len(rows) == outcome.size else clusters.take(rows)


def _bootstrap_t(name: str, mean: Mean, clusters: Clusters, replicates: int, seed: int) -> _Found:
    scale = scale_of(name)
    named = _with_scale(phrase("bootstrap_t", replicates=replicates), scale)
    if clusters.count < _MIN_PATIENTS:
        return _Found(named, None, phrase("too_few_to_resample"))
    bounds = studentized_mean(
        mean.values, clusters, positive=scale.low == 0, replicates=replicates, seed=seed
    )
    if bounds is None or not bounds[0] < bounds[1]:
        return _Found(named, None, phrase("no_spread"))
    return _Found(named, (sqrt(bounds[0]), sqrt(bounds[1])) if mean.root else bounds)


def _with_scale(method: Phrased, scale: Scale) -> Phrased:
    return join(method, phrase("scale", scale=scale.name)) if scale.name else method


def _student(name: str, value: float, draws: FloatArray, patients: int, method: Phrased) -> _Found:
    """Student's interval with the standard error of the defined replicates; most of them must be defined, and
    they must differ."""
    scale = scale_of(name)
    named = _with_scale(method, scale)
    defined = draws[np.isfinite(draws)]
    if 2 * len(defined) < len(draws):
        return _Found(named, None, phrase("undefined_in_most"))
    # A bootstrap divides by N, not by N - 1.
    error = float(defined.std(ddof=1)) * sqrt(patients / (patients - 1))
    spread = error > _ROUNDING * abs(value)
    bounds = scale.interval(value, error, t_quantile(patients - 1)) if spread else None
    if bounds is None or not bounds[0] < bounds[1]:
        return _Found(named, None, phrase("no_spread"))
    return _Found(named, bounds)


def _analytic(outcome: Outcome, values: Metrics, clusters: Clusters) -> dict[str, _Found]:
    found = {name: _proportion(share, clusters) for name, share in outcome.proportions().items()}
    for name, share in outcome.overlaps().items():
        _, bounds, reason = _proportion(share, clusters)
        both = None if bounds is None else (_f1(bounds[0]), _f1(bounds[1]))
        exact = clusters.one_row_each
        method = phrase("wilson_overlap") if exact else phrase("wilson_effective_overlap")
        found[name] = _Found(method, both, reason)
    if clusters.one_row_each:
        found |= {name: _mean(found, values, parts) for name, parts in outcome.averages().items()}
    for name, ranked in outcome.rankings().items():
        area = area_interval(ranked, _clusters_of(name, outcome, clusters))
        found[name] = (
            _Found(area.method, (area.low, area.high))
            if area
            else _Found(phrase("delong"), None, phrase("fewer_than_two_of_a_class"))
        )
    quantile = Z if clusters.one_row_each else t_quantile(max(clusters.count - 1, 1))
    for name, error in outcome.standard_errors(clusters).items():
        value, half = values[name], quantile * error
        defined = value is not None and np.isfinite(half)
        bounds = (value - half, value + half) if value is not None and defined else None
        reason = None if bounds else phrase("no_standard_error")
        found[name] = _Found(phrase("logistic_likelihood"), bounds, reason)
    return found


def _proportion(share: Share, clusters: Clusters) -> _Found:
    method = phrase("wilson" if clusters.one_row_each else "wilson_effective")
    trials = int(share.among.sum())
    if trials == 0:
        return _Found(method, None, phrase("no_cases"))
    if clusters.one_row_each:
        return _Found(method, wilson(int((share.success & share.among).sum()), trials))
    bounds = clustered_wilson(share.success, share.among, clusters)
    return _Found(method, bounds, None if bounds else phrase("one_patient_only"))


def _f1(overlap: float) -> float:
    return 2 * overlap / (1 + overlap)


def _mean(found: dict[str, _Found], values: Metrics, parts: Iterable[str]) -> _Found:
    """The mean of independent proportions from their intervals (MOVER; Newcombe 1998, Zou and Donner
    2008)."""
    method = phrase("wilson_combined")
    shares = [(values[name], found[name].bounds) for name in parts]
    below = above = total = 0.0
    for value, bounds in shares:
        if value is None or bounds is None:
            return _Found(method, None, phrase("proportion_without_interval"))
        total, below = total + value, below + (value - bounds[0]) ** 2
        above += (bounds[1] - value) ** 2
    count = len(shares)
    return _Found(method, ((total - sqrt(below)) / count, (total + sqrt(above)) / count))
