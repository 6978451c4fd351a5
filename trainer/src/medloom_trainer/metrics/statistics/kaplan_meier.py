"""Survival curves of censored times (Kaplan and Meier 1958), of events or of censoring."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables import censored_steps
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.statistics.wilson import Z


@dataclass(frozen=True)
class StepCurve:
    """1 before the first time; `values[k]` from `times[k]`, also beyond the last time."""

    times: FloatArray
    values: FloatArray
    variance: FloatArray
    """Greenwood's sum at each time: the variance of log S."""

    def at(self, times: FloatArray) -> FloatArray:
        index = np.searchsorted(self.times, times, side="right")
        found: FloatArray = np.concatenate([[1.0], self.values])[index]
        return found

    def median(self) -> float | None:
        """The first time at which the curve is at most 0.5."""
        below = np.flatnonzero(self.values <= 0.5)
        return float(self.times[below[0]]) if below.size else None

    def interval(self, time: float) -> tuple[float, float]:
        """95 % bounds at one time, on the log(-log) scale (Kalbfleisch and Prentice 1980); (0, 1) if the
        curve is at 0 or 1."""
        index = int(np.searchsorted(self.times, time, side="right")) - 1
        value = 1.0 if index < 0 else float(self.values[index])
        if not 0 < value < 1:
            return 0.0, 1.0
        half = Z * float(np.sqrt(self.variance[index])) / abs(np.log(value))
        return float(value ** np.exp(half)), float(value ** np.exp(-half))


def survival_curve(time: FloatArray, event: npt.NDArray[np.bool_]) -> StepCurve:
    """time (N,), event (N,): the event happened at that time. At equal times events precede censoring."""
    times, index = np.unique(time, return_inverse=True)
    events = np.bincount(index, weights=event, minlength=len(times))
    at_risk = np.bincount(index, minlength=len(times))[::-1].cumsum()[::-1].astype(np.float64)
    denominator = at_risk * (at_risk - events)
    terms = np.divide(events, denominator, out=np.zeros(len(times)), where=denominator > 0)
    values: FloatArray = np.cumprod(1 - events / at_risk).astype(np.float64)
    return StepCurve(times, values, np.cumsum(terms))


def censoring_curve(time: FloatArray, event: npt.NDArray[np.bool_]) -> StepCurve:
    """The curve of censoring instead of events: how long cases stay uncensored; without its variance."""
    times, values = censored_steps(time, event)
    return StepCurve(times, values, np.zeros(len(times)))
