"""Predictions of the network → what the model states about each case: decisions at a threshold, sets and
intervals, survival at times, disagreement of members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, stored_phrases
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.disagreement import disagreement_columns, disagreement_of_cases
from medloom_trainer.evaluation.postprocessing import Postprocessing
from medloom_trainer.evaluation.prediction_sets import calibrated_sets, set_columns
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.conformal import class_sets
from medloom_trainer.outcomes import OutcomeKind, kind_of
from medloom_trainer.outcomes.kind import Threshold
from medloom_trainer.outcomes.survival import Survival

DEFAULT = "default"
"""Name of the decision threshold of the training."""
FIELDS = (
    "predicted",
    "probabilities",
    "set",
    "interval",
    "risk",
    "survival",
    "disagreement",
)
"""Fields of contract Prediction that state the prediction; null if there is none."""


@dataclass(frozen=True)
class Decision:
    """How the predictions of a model are stated, whatever the cases."""

    kind: OutcomeKind
    state: Mapping[str, Any]
    calibrated: bool
    operating_point: str | None
    """None: no decision by one threshold."""
    given_threshold: Threshold
    """For the predictions of the network."""

    @staticmethod
    def create(state: Mapping[str, Any], *, calibrated: bool, operating_point: str | None) -> Decision:
        """state: of the checkpoint. OPERATING_POINT_NOT_FOUND."""
        kind = kind_of(state)
        fitted = state.get("fitted_on_validation")
        has_temperature = fitted is not None and fitted["temperature"]["value"] is not None
        name, threshold = None, state["threshold"]
        if operating_point is not None and operating_point != DEFAULT:
            name, threshold = _point(kind, fitted, operating_point)
        elif kind.positive_class is not None:
            name = DEFAULT
        return Decision(kind, state, calibrated and has_temperature, name, threshold)

    def applied_to(self, predictions: FloatArray) -> Postprocessing:
        """predictions: of the network."""
        fitted = self.state.get("fitted_on_validation")
        return Postprocessing.create(
            self.kind, self.given_threshold, predictions, fitted, calibrated=self.calibrated
        )

    def basis(self) -> dict[str, Any]:
        """Fields of contract PredictionBasis."""
        applied = self.applied_to(self.kind.guesses(1))
        sets = calibrated_sets(applied)
        threshold = applied.threshold
        return {
            "task": self.kind.task,
            "classes": None if self.kind.classes is None else list(self.kind.classes),
            "temperature": applied.temperature["value"] if self.calibrated else None,
            "operating_point": self.operating_point,
            "threshold": threshold if isinstance(threshold, float) else None,
            "coverage": None if sets is None else 1 - sets["alpha"],
        }


def _point(kind: OutcomeKind, fitted: Mapping[str, Any] | None, wanted: str) -> tuple[str, float]:
    """(name, threshold) of the operating point with this name, or with this rule if it is the only one."""
    points = [] if fitted is None or kind.positive_class is None else fitted["operating_points"]
    named = {name_of(point["rule"]): point for point in points}
    chosen = [name for name in named if wanted in (name, name.partition(":")[0])]
    if len(chosen) != 1:
        known = ", ".join(name for name, point in named.items() if point["threshold"] is not None) or "none"
        message = phrase("operating_point_unknown", name=wanted[:64], points=known)
        raise TrainerError("OPERATING_POINT_NOT_FOUND", message)
    point = named[chosen[0]]
    if point["threshold"] is None:
        reason = stored_phrases(point, "reason") or ""
        message = phrase("operating_point_undefined", name=chosen[0], reason=reason)
        raise TrainerError("OPERATING_POINT_NOT_FOUND", message)
    return chosen[0], point["threshold"]


def name_of(rule: Mapping[str, Any]) -> str:
    """youden, sensitivity:0.9, specificity:0.9 or cost:5:1."""
    return ":".join([rule["rule"], *(f"{value:g}" for key, value in rule.items() if key != "rule")])


class Statements:
    """Statements about N cases."""

    def __init__(self, decision: Decision, predictions: FloatArray, members: FloatArray | None) -> None:
        """predictions (N, …) and members (M, N, …) of the network, as `predict_with_members` returns them."""
        self._decision = decision
        kind = decision.kind
        finite = np.isfinite(predictions)
        self.undefined = np.flatnonzero(~finite.all(axis=tuple(range(1, finite.ndim))))
        applied = decision.applied_to(np.where(finite, predictions, 0.5))
        shown = applied.predictions
        sets = calibrated_sets(applied)
        self.columns: dict[str, Sequence[Any]] = {
            **kind.prediction_columns(shown, applied.threshold),
            **({} if sets is None else set_columns({"conformal": sets}, kind, shown)),
        }
        self._inside: npt.NDArray[np.bool_] | None = None
        if sets is not None and kind.one_of_classes:
            self._inside = class_sets(shown, sets["method"], sets["quantile"])
        self._survival = _survival(kind, shown)
        self._disagreement: Sequence[float] | None = None
        if members is not None:
            self.columns |= disagreement_columns(kind, members)
            self._disagreement = disagreement_of_cases(kind, members).tolist()

    def of_case(self, case: int) -> dict[str, Any]:
        """Fields of contract Prediction."""
        kind, columns = self._decision.kind, self.columns
        names = kind.classes or ()
        found: dict[str, Any] = dict.fromkeys(FIELDS)
        if kind.one_of_classes or kind.is_number:
            found["predicted"] = columns["predicted"][case]
        elif names:
            found["predicted"] = [name for name in names if columns[f"predicted_{name}"][case] == "1"]
        if names:
            found["probabilities"] = {name: columns[f"probability_{name}"][case] for name in names}
        if self._inside is not None:
            found["set"] = [names[k] for k in np.flatnonzero(self._inside[case])]
        if "interval_low" in columns:
            found["interval"] = {"low": columns["interval_low"][case], "high": columns["interval_high"][case]}
        if self._survival is not None:
            found["risk"] = columns["risk"][case]
            times, survival = self._survival
            found["survival"] = [
                {"time": time, "survival": share, "risk": 1 - share}
                for time, share in zip(times, survival[case], strict=True)
            ]
        if self._disagreement is not None:
            found["disagreement"] = self._disagreement[case]
        return found


def _survival(kind: OutcomeKind, shown: FloatArray) -> tuple[list[float], list[list[float]]] | None:
    """(times, survival of each case): at the edges of the intervals and at the horizons of the metrics."""
    if not isinstance(kind, Survival):
        return None
    grid = kind.grid
    horizons = [time for time in grid.horizons if time not in grid.edges]
    times = np.concatenate([grid.edges, np.asarray(horizons, dtype=np.float64)])
    curve = np.concatenate([shown, grid.survival(shown, np.asarray(horizons, dtype=np.float64))], axis=1)
    order = np.argsort(times, kind="stable")
    return times[order].tolist(), curve[:, order].tolist()
