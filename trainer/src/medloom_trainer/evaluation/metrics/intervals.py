"""95 % intervals: Wilson for proportions and DeLong for ROC areas when every row is a patient of its own,
else, and for everything else, a percentile bootstrap that draws patients, not rows. Each interval names its
method."""

from __future__ import annotations

from typing import TypedDict

import numpy as np
import numpy.typing as npt

from medloom_trainer.evaluation.metrics.arrays import FloatArray
from medloom_trainer.evaluation.metrics.outcome import Metrics, Notes, Outcome
from medloom_trainer.evaluation.metrics.statistics.ranking import RankedScores
from medloom_trainer.evaluation.metrics.statistics.wilson import Z, wilson

_REPLICATES = 2000
_FEWER_REPLICATES = 1000
MANY_ROWS = 10_000
"""Above this many rows fewer replicates do: percentiles are smooth by then, and time grows with the rows."""
_MIN_PATIENTS = 10
"""Fewer patients than this are too few to resample."""
CHUNK = 1 << 17
"""Weights held at once (1 MiB): they stay in the cache, and memory does not grow with the table."""


class Interval(TypedDict):
    """As contracts declare it; low and high are None exactly when reason is not."""

    estimate: float | None
    low: float | None
    high: float | None
    method: str
    reason: str | None


def intervals(
    outcome: Outcome,
    values: Metrics,
    notes: Notes,
    patients: npt.NDArray[np.int64] | None,
    *,
    replicates: int | None = None,
    seed: int = 0,
) -> dict[str, Interval]:
    """Metric → interval. values and notes as `estimate` gives them; patients (N,), None where every row is
    its own."""
    if replicates is None:
        replicates = _REPLICATES if outcome.size <= MANY_ROWS else _FEWER_REPLICATES
    own = patients if patients is not None else np.arange(outcome.size)
    one_row_each = len(np.unique(own)) == outcome.size
    analytic = _analytic(outcome) if one_row_each else {}
    remaining = [name for name, value in values.items() if value is not None and name not in analytic]
    draws = bootstrap(outcome, own, replicates, seed) if remaining else {}

    found: dict[str, Interval] = {}
    for name, value in values.items():
        if name in analytic:
            method, bounds, reason = analytic[name]
        else:
            method = f"patient bootstrap, {replicates} replicates"
            bounds, reason = (
                _percentiles(draws[name]) if name in draws else (None, "too few patients to resample")
            )
        if value is None:
            bounds, reason = None, notes[name]
        low, high = bounds if bounds is not None else (None, None)
        found[name] = {"estimate": value, "low": low, "high": high, "method": method, "reason": reason}
    return found


def bootstrap(
    outcome: Outcome, patients: npt.NDArray[np.int64], replicates: int, seed: int
) -> dict[str, FloatArray]:
    """Metric → (replicates,) values under patients drawn with replacement; empty with fewer than
    _MIN_PATIENTS.

    A replicate weighs each row by how often its patient was drawn. The same seed gives the same draws.
    """
    member = np.unique(patients, return_inverse=True)[1]
    count = int(member.max()) + 1 if len(member) else 0
    if count < _MIN_PATIENTS:
        return {}
    generator = np.random.default_rng(seed)
    at_once = max(1, CHUNK // outcome.size)
    parts: list[dict[str, FloatArray]] = []
    for done in range(0, replicates, at_once):
        rows = min(at_once, replicates - done)
        drawn = generator.integers(count, size=(rows, count)) + np.arange(rows)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
        parts.append(outcome.measure(times[:, member].astype(np.float64)))
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def delong(ranked: RankedScores) -> tuple[float, float] | None:
    """95 % interval of the ROC area (DeLong, DeLong and Clarke-Pearson 1988), cut to 0..1.

    None with fewer than two cases of a class, or where the estimated variance is zero (an area of 1 or 0).
    """
    positives, negatives = ranked.counts(np.ones((1, len(ranked.order))))
    p, n = positives[0], negatives[0]  # (G,)
    m, k = float(p.sum()), float(n.sum())
    if min(m, k) < 2:
        return None
    of_positive = (np.cumsum(n) - n / 2) / k  # placement of a positive at each score among the negatives
    of_negative = 1 - (np.cumsum(p) - p / 2) / m
    area = float(p @ of_positive / m)
    among_positives = float(p @ np.square(of_positive - area)) / (m - 1) / m
    among_negatives = float(n @ np.square(of_negative - area)) / (k - 1) / k
    variance = among_positives + among_negatives
    if variance <= 1e-24:
        return None
    half = Z * float(variance) ** 0.5
    return max(0.0, area - half), min(1.0, area + half)


def _analytic(outcome: Outcome) -> dict[str, tuple[str, tuple[float, float] | None, str | None]]:
    """Metric → (method, bounds, why there are none), for one row per patient."""
    found: dict[str, tuple[str, tuple[float, float] | None, str | None]] = {}
    for name, (successes, trials) in outcome.proportions().items():
        bounds = wilson(successes, trials) if trials else None
        found[name] = ("Wilson", bounds, None if bounds else "no cases to count")
    for name, ranked in outcome.rankings().items():
        bounds = delong(ranked)
        reason = None if bounds else "fewer than two cases of a class, or a variance of zero"
        found[name] = ("DeLong", bounds, reason)
    return found


def _percentiles(values: FloatArray) -> tuple[tuple[float, float] | None, str | None]:
    """2.5 % and 97.5 % of the defined replicates; most must be defined, and they must differ."""
    defined = values[np.isfinite(values)]
    if 2 * len(defined) < len(values):
        return None, "undefined in most replicates"
    low, high = np.percentile(defined, [2.5, 97.5])
    if low == high:
        return None, "no spread between replicates"
    return (float(low), float(high)), None
