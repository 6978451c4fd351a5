"""Two trained models compared on the same cases, metric by metric: contract ModelDifference.

Both models are fixed. The uncertainty is that of the choice of tested patients, so the same patients are
drawn for both. ROC areas of two classes with one row for each patient have DeLong's paired test instead;
accuracy over independent rows has McNemar's exact test in addition to the interval of the bootstrap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from medloom_trainer.contract.phrases import Phrased, phrase, with_phrases
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.intervals import MANY_ROWS, bootstrap
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.outcome import Outcome, estimate
from medloom_trainer.metrics.statistics.clusters import Clusters, t_quantile
from medloom_trainer.metrics.statistics.mcnemar import mcnemar
from medloom_trainer.metrics.statistics.minimum_patients import PAIRED, Minimum, too_few_to_compare
from medloom_trainer.metrics.statistics.roc_area import FEW, area_difference

_REPLICATES = 2000
_FEWER_REPLICATES = 500
_MIN_PATIENTS = 10
"""Minimum number of patients for resampling."""
_ROUNDING = 1e-12
_SAME_FOR_EVERY_MODEL = ("prevalence",)
_BIASED = {"ece": phrase("biased_difference")}


class Difference(TypedDict):
    """Difference as declared in the contracts: first minus second."""

    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    method: str
    test: str
    reason: str | None
    method_phrases: NotRequired[list[dict[str, Any]]]
    test_phrases: NotRequired[list[dict[str, Any]]]
    reason_phrases: NotRequired[list[dict[str, Any]]]


class Agreement(NamedTuple):
    """Numbers of cases that both, one or neither of two models classify correctly."""

    both_right: int
    only_first: int
    only_second: int
    both_wrong: int


class PairedDifferences:
    """Models on the same cases in the same order. Each is resampled once, however often it is compared."""

    def __init__(
        self,
        outcomes: Sequence[Outcome],
        patients: npt.NDArray[np.int64] | None,
        *,
        seed: int = 0,
        replicates: int | None = None,
    ) -> None:
        """patients (N,), None if every row is a separate patient."""
        self._outcomes = outcomes
        self._clusters = Clusters.from_patients(patients, outcomes[0].size)
        self._estimates = [estimate(outcome) for outcome in outcomes]
        several = _REPLICATES if outcomes[0].size <= MANY_ROWS else _FEWER_REPLICATES
        self._replicates = replicates or several
        self._draws: list[dict[str, FloatArray]] = []
        if self._clusters.count >= _MIN_PATIENTS:
            # The same seed draws the same patients for every model.
            self._draws = [bootstrap(one, self._clusters, self._replicates, seed) for one in outcomes]

    def between(self, first: int, second: int, minimum: Minimum = PAIRED) -> dict[str, Difference]:
        """Metric → first minus second. minimum: numbers of patients that an interval needs."""
        values = self._estimates[first][0]
        names = [name for name in values if not name.endswith("]") and name not in _SAME_FOR_EVERY_MODEL]
        return {name: self._difference(name, first, second, minimum) for name in names}

    def agreement(self, first: int, second: int) -> Agreement | None:
        """None if cases do not have exactly one class."""
        a, b = self._outcomes[first], self._outcomes[second]
        classes = BinaryOutcome | MulticlassOutcome
        if not isinstance(a, classes) or not isinstance(b, classes):
            return None
        right, other = a.predicted == a.labels, b.predicted == b.labels
        pairs = ((right, other), (right, ~other), (~right, other), (~right, ~other))
        return Agreement(*(int((one & two).sum()) for one, two in pairs))

    def _difference(self, name: str, first: int, second: int, minimum: Minimum) -> Difference:
        reason = self._undefined(name, first, second)
        if reason is not None:
            return _without_interval(None, reason)
        value = self._value(name, first) - self._value(name, second)
        if name in _BIASED:
            return _without_interval(value, _BIASED[name])
        few = too_few_to_compare(self._outcomes[first], name, self._clusters, minimum)
        if few is None:
            area = self._area(first, second) if name == "auc" else None
            found = area or self._resampled(name, value, first, second)
        else:
            found = _without_interval(value, few)
        agreement = self.agreement(first, second)
        if name == "accuracy" and agreement is not None and self._clusters.one_row_each:
            p = mcnemar(agreement.only_first, agreement.only_second)
            found = cast("Difference", {**found, "p": p, **with_phrases({"test": phrase("mcnemar")})})
        return found

    def _undefined(self, name: str, first: int, second: int) -> str | None:
        notes = [self._estimates[model][1].get(name) for model in (first, second)]
        return next((note for note in notes if note is not None), None)

    def _value(self, name: str, model: int) -> float:
        value = self._estimates[model][0][name]
        assert value is not None  # _undefined found no reason
        return value

    def _area(self, first: int, second: int) -> Difference | None:
        """DeLong's difference, if it applies: two classes, one row for each patient, and enough patients of
        each class."""
        a, b = self._outcomes[first], self._outcomes[second]
        if not isinstance(a, BinaryOutcome) or not isinstance(b, BinaryOutcome):
            return None
        rarest = a.rarest("auc", self._clusters)
        if not self._clusters.one_row_each or rarest < FEW:
            return None
        found = area_difference(a.ranked, b.ranked, self._clusters)
        if found is None:
            return None
        return _with_interval(phrase("delong_paired"), *found)

    def _change(self, name: str, first: int, second: int) -> FloatArray:
        """The difference in each replicate. That of two roots is linear in the means under them: a few large
        errors change the roots of a replicate too little, so that equal models differed too often."""
        a, b = self._draws[first][name], self._draws[second][name]
        mean = self._outcomes[first].means().get(name)
        total = self._value(name, first) + self._value(name, second)
        if mean is None or not mean.root or total <= _ROUNDING:
            return a - b
        return (a**2 - b**2) / total

    def _resampled(self, name: str, value: float, first: int, second: int) -> Difference:
        """Student's interval and test with the standard error of the paired bootstrap."""
        if not self._draws:
            return _without_interval(value, phrase("too_few_to_resample"))
        draws = self._change(name, first, second)
        defined = draws[np.isfinite(draws)]
        if 2 * len(defined) < len(draws):
            return _without_interval(value, phrase("undefined_in_most"))
        method = phrase("paired_bootstrap", replicates=self._replicates)
        count = self._clusters.count
        error = float(defined.std(ddof=1)) * sqrt(count / (count - 1))  # a bootstrap divides by N, not N - 1
        if error <= _ROUNDING:
            if abs(value) > _ROUNDING:
                return _without_interval(value, phrase("no_spread"))
            error, p = 0.0, 1.0
        else:
            p = float(2 * stdtr(count - 1, -abs(value) / error))
        half = t_quantile(count - 1) * error
        return _with_interval(method, value, value - half, value + half, p)


def _with_interval(method: Phrased, value: float, low: float, high: float, p: float) -> Difference:
    return _difference({"estimate": value, "low": low, "high": high, "p": p}, method, None)


def _without_interval(value: float | None, reason: str) -> Difference:
    numbers = {"estimate": value, "low": None, "high": None, "p": None}
    return _difference(numbers, phrase("no_method"), reason)


def _difference(numbers: Mapping[str, float | None], method: Phrased, reason: str | None) -> Difference:
    texts = with_phrases({"method": method, "test": method, "reason": reason})
    return cast("Difference", {**numbers, **texts})
