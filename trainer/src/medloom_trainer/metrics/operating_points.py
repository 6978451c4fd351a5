"""Thresholds that rules choose on validation, in addition to that of the model, and their results on other
cases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.binary import BinaryOutcome, decision_counts
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.threshold import Cuts, youden_cut

_MEASURES = ("sensitivity", "specificity", "ppv", "npv", "accuracy")
_ROUNDING = 1e-9


class OperatingPoint(NamedTuple):
    """Operating point as declared in the contracts, in the state of a checkpoint."""

    rule: Mapping[str, Any]
    """Contract OperatingRule."""
    threshold: float | None
    reason: str | None
    """Reason why there is no threshold."""
    sensitivity: float | None
    """On the cases by which it was chosen, like the specificity."""
    specificity: float | None


def choose_operating_point(
    rule: Mapping[str, Any], labels: npt.ArrayLike, probability: npt.ArrayLike
) -> OperatingPoint:
    """labels (N,) of 0/1 with both classes; probability (N,). A cut that puts every case on the same side is
    not an operating point."""
    cuts = Cuts.from_scores(labels, probability)
    chosen = _RULES[rule["rule"]](rule, cuts)
    if isinstance(chosen, str):
        return OperatingPoint(rule, None, chosen, None, None)
    index = int(np.flatnonzero(cuts.values == chosen)[0])
    sensitivity = 1 - cuts.missed[index] / cuts.num_positive
    specificity = cuts.rejected[index] / cuts.num_negative
    return OperatingPoint(rule, chosen, None, float(sensitivity), float(specificity))


def at_operating_point(outcome: BinaryOutcome, patients: npt.NDArray[np.int64] | None) -> dict[str, Any]:
    """Return metrics (name → interval) and confusion. outcome: of these cases, decided at the threshold."""
    values, notes = estimate(outcome)
    positive, called = outcome.labels == 1, outcome.predicted == 1
    return {
        "metrics": intervals(outcome, values, notes, patients, names=_MEASURES),
        "confusion": decision_counts(positive, called),
    }


def _youden(_rule: Mapping[str, Any], cuts: Cuts) -> float | str:
    found = youden_cut(cuts)
    return phrase("no_threshold_above_chance") if found is None else found


def _at_least_sensitivity(rule: Mapping[str, Any], cuts: Cuts) -> float | str:
    """The highest threshold with enough sensitivity: it has the best specificity of those."""
    least = rule["at_least"] * cuts.num_positive
    enough = cuts.num_positive - cuts.missed >= least - _ROUNDING
    if not enough.any():
        return phrase("sensitivity_of_all_positive", value=f"{rule['at_least']:g}")
    return float(cuts.values[enough][-1])


def _at_least_specificity(rule: Mapping[str, Any], cuts: Cuts) -> float | str:
    """The lowest threshold with enough specificity: it has the best sensitivity of those."""
    enough = cuts.rejected >= rule["at_least"] * cuts.num_negative - _ROUNDING
    if not enough.any():
        return phrase("specificity_of_all_negative", value=f"{rule['at_least']:g}")
    return float(cuts.values[enough][0])


def _least_cost(rule: Mapping[str, Any], cuts: Cuts) -> float | str:
    """The threshold whose errors cost the least at the prevalence of validation; of equally cheap ones the
    nearest to that of calibrated probabilities (Elkan 2001)."""
    miss, alarm = float(rule["false_negative"]), float(rule["false_positive"])
    of_one_answer = {"positive": alarm * cuts.num_negative, "negative": miss * cuts.num_positive}
    answer = min(of_one_answer, key=lambda name: of_one_answer[name])
    cost = miss * cuts.missed + alarm * (cuts.num_negative - cuts.rejected)
    bar = of_one_answer[answer] * (1 - _ROUNDING)
    if not cost.size or cost.min() >= bar:
        same: PhraseCode = "all_positive_as_cheap" if answer == "positive" else "all_negative_as_cheap"
        return phrase(same)
    return cuts.nearest(alarm / (alarm + miss), cost <= cost.min() * (1 + _ROUNDING))


_RULES = {
    "youden": _youden,
    "sensitivity": _at_least_sensitivity,
    "specificity": _at_least_specificity,
    "cost": _least_cost,
}
"""Contract OperatingRule: function that chooses a threshold, or returns the reason why none can be chosen."""
