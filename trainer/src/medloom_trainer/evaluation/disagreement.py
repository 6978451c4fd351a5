"""Disagreement between the members of an ensemble about each case, and its relation to errors: contract
Disagreement.

Each case has the standard deviation of the members' predictions with N - 1 (Lakshminarayanan, Pritzel and
Blundell 2017 use the variance). For classes it is that of the probability that decides: of the positive
class, or else of the most probable class of the mean. Probabilities also have the mutual information of the
prediction and the member, in nats: the entropy of the mean less the mean entropy (Houlsby et al. 2011;
Depeweg et al. 2018). It is the uncertainty that remains without that of the single members. Both are computed
from the probabilities of the networks, without a temperature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.data.types import Cases
from medloom_trainer.evaluation.postprocessing import shown_predictions
from medloom_trainer.evaluation.subgroups import MIN_PATIENTS
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.intervals import Interval, intervals, share_interval
from medloom_trainer.metrics.outcome import estimate
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes.kind import OutcomeKind, Threshold

_GROUPS = 3


def add_disagreement(
    result: dict[str, Any],
    kind: OutcomeKind,
    members: FloatArray | None,
    cases: Cases,
    predictions: FloatArray,
    seed: int,
) -> dict[str, list[Any]]:
    """Add the disagreement to the result if several members predicted. Return columns for the table of
    predictions."""
    if members is None:
        return {}
    result["disagreement"] = disagreement(kind, members, cases, predictions, result, seed)
    return disagreement_columns(kind, members)


def spread(kind: OutcomeKind, members: FloatArray) -> FloatArray:
    """members (M, N, …) predictions → (N,), or (N, L) for several labels: the standard deviation."""
    if kind.one_of_classes:
        shown = members.mean(axis=0).argmax(axis=1) if kind.positive_class is None else 1
        decided = members[:, np.arange(members.shape[1]), shown]
        found: FloatArray = decided.std(axis=0, ddof=1)
    elif kind.classes is None and not kind.is_number:
        # Standard deviation of the mean survival over the edges: one number for each case.
        found = members.mean(axis=2).std(axis=0, ddof=1)
    else:
        found = members.std(axis=0, ddof=1)
    return found


def mutual_information(kind: OutcomeKind, members: FloatArray) -> FloatArray | None:
    """members (M, N, K) → (N,), or (N, L) for several labels, in nats; None if predictions are not
    probabilities of classes."""
    if kind.one_of_classes:
        return _information(members)
    if kind.classes is not None:
        both = np.stack([1 - members, members], axis=-1)
        return _information(both)
    return None


def disagreement_columns(kind: OutcomeKind, members: FloatArray) -> dict[str, list[Any]]:
    """Columns of the table of predictions: member_sd and mutual_information; for several labels, those of
    each."""
    found: dict[str, list[Any]] = {}
    for name, values in (
        ("member_sd", spread(kind, members)),
        ("mutual_information", mutual_information(kind, members)),
    ):
        if values is None:
            continue
        if values.ndim == 1:
            found[name] = values.tolist()
        else:
            names = kind.classes or ()
            found |= {f"{name}_{label}": values[:, k].tolist() for k, label in enumerate(names)}
    return found


def disagreement_of_cases(kind: OutcomeKind, members: FloatArray) -> FloatArray:
    """members (M, N, …) → (N,): the mutual information, or the standard deviation without probabilities; for
    several labels their mean."""
    information = mutual_information(kind, members)
    values = spread(kind, members) if information is None else information
    return values if values.ndim == 1 else values.mean(axis=1)


def disagreement(
    kind: OutcomeKind,
    members: FloatArray,
    cases: Cases,
    predictions: FloatArray,
    result: Mapping[str, Any],
    seed: int,
) -> dict[str, Any]:
    """Return contract Disagreement. members (M, N, …): predictions for the cases of `result`; predictions: of
    the network; seed: of the bootstrap."""
    deviation, information = spread(kind, members), mutual_information(kind, members)
    measure = "sd" if information is None else "mutual_information"
    of_case = disagreement_of_cases(kind, members)
    facts: dict[str, Any] = {
        "members": len(members),
        "measure": measure,
        "mean_sd": float(deviation.mean()),
        "mean_mutual_information": None if information is None else float(information.mean()),
        "error": None,
        "groups": [],
        "reason": None,
    }
    if kind.classes is None and not kind.is_number:
        return facts | with_phrases({"reason": phrase("no_error_in_survival")})
    clusters = Clusters.from_patients(cases.patients, len(of_case))
    if clusters.count < _GROUPS * MIN_PATIENTS:
        return facts | with_phrases({"reason": phrase("fewer_patients", needed=_GROUPS * MIN_PATIENTS)})
    cuts = np.quantile(of_case, [k / _GROUPS for k in range(1, _GROUPS)])
    group = np.searchsorted(cuts, of_case, side="left")
    if len(np.unique(group)) < _GROUPS:
        return facts | with_phrases({"reason": phrase("equal_disagreement")})
    shown = shown_predictions(result, predictions)
    error_of = _errors(kind, cases, shown, kind.threshold_of(result), seed)
    rows = [
        {
            "low": float(of_case[inside].min()),
            "high": float(of_case[inside].max()),
            "cases": int(inside.sum()),
            "patients": clusters.having(inside),
            "error": error_of(inside),
        }
        for inside in (group == k for k in range(_GROUPS))
    ]
    return facts | {"error": "absolute_error" if kind.is_number else "error_rate", "groups": rows}


def _errors(
    kind: OutcomeKind, cases: Cases, predictions: FloatArray, threshold: Threshold, seed: int
) -> Callable[[npt.NDArray[np.bool_]], Interval]:
    """Return the error of the cases of a mask (N,): the error rate (for several labels, over known labels),
    or the mean absolute error."""
    labels: npt.NDArray[Any] = np.asarray(cases.labels)
    patients = cases.patients

    def mean_error(inside: npt.NDArray[np.bool_]) -> Interval:
        outcome = kind.measured(labels[inside], predictions[inside], None)
        own = None if patients is None else patients[inside]
        return intervals(outcome, *estimate(outcome), own, names=["mae"], seed=seed)["mae"]

    if kind.is_number:
        return mean_error
    wrong = np.zeros(len(labels), dtype=np.bool_)
    wrong[kind.mistakes(kind.measured(labels, predictions, threshold)).cases] = True
    clusters = Clusters.from_patients(patients, len(labels))
    return lambda inside: share_interval(wrong, inside, clusters)


def _information(members: FloatArray) -> FloatArray:
    """(M, …, K) probabilities → (…)"""
    found: FloatArray = _entropy(members.mean(axis=0)) - _entropy(members).mean(axis=0)
    return found.clip(min=0.0)  # negative values are only rounding errors


def _entropy(probabilities: FloatArray) -> FloatArray:
    """(…, K) → (…), in nats."""
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    found: FloatArray = -(probabilities * logs).sum(axis=-1)
    return found
