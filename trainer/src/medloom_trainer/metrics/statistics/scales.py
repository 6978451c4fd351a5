"""Scales on which the estimate of a metric is nearly normal, so that bounds stay within the range of the
metric."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, log, tanh
from typing import NamedTuple

from scipy.special import expit, logit

from medloom_trainer.contract.metric_catalogue import MetricScale, metric_of


class Scale(NamedTuple):
    """Transformation of a bounded metric on which its interval is symmetric."""

    name: str
    forward: Callable[[float], float]
    inverse: Callable[[float], float]
    derivative: Callable[[float], float]
    """Derivative of `forward`, at a value of the metric."""
    low: float
    high: float
    """The ends, which no value on the scale reaches."""

    def interval(self, estimate: float, error: float, quantile: float) -> tuple[float, float] | None:
        """estimate ± quantile standard errors, on the scale, by the delta method; error: of the metric
        itself. None at an end of the scale."""
        if not self.low < estimate < self.high:
            return None
        middle, half = self.forward(estimate), quantile * error * abs(self.derivative(estimate))
        bounds = sorted((self.inverse(middle - half), self.inverse(middle + half)))
        return bounds[0], bounds[1]


_UNIT = Scale(
    "logit", lambda x: float(logit(x)), lambda y: float(expit(y)), lambda x: 1 / (x * (1 - x)), 0, 1
)
_POSITIVE = Scale("log", log, lambda y: exp(min(y, 700)), lambda x: 1 / x, 0, inf)
_BELOW_ONE = Scale(
    "log(1 - x)", lambda x: log(1 - x), lambda y: 1 - exp(min(y, 700)), lambda x: 1 / (1 - x), -inf, 1
)
_CORRELATION = Scale(
    "Fisher's z", lambda x: (log(1 + x) - log(1 - x)) / 2, tanh, lambda x: 1 / (1 - x * x), -1, 1
)
_PLAIN = Scale("", lambda x: x, lambda y: y, lambda x: 1.0, -inf, inf)

_SCALES: dict[MetricScale, Scale] = {
    "share": _UNIT,
    "positive": _POSITIVE,
    "below_one": _BELOW_ONE,
    "correlation": _CORRELATION,
    "real": _PLAIN,
}


def scale_of(metric: str) -> Scale:
    """The scale of a metric. KeyError for a metric that the catalogue does not have."""
    row = metric_of(metric)
    if row is None:
        raise KeyError(f"the catalogue of metrics does not have {metric}")
    return _SCALES[row.scale]
