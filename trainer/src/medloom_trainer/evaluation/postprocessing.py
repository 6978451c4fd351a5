"""Predictions of a network after applying the values that its training fitted on validation: the threshold
and, if requested, the temperature.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, stored_phrases, with_phrases
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.temperature import (
    NO_CLASSES,
    threshold_with_temperature,
    with_temperature,
)
from medloom_trainer.outcomes.kind import Labels, OutcomeKind, Threshold

NOTHING_FITTED = phrase("fitted_by_older_version")


@dataclass(frozen=True)
class Postprocessing:
    """Predictions of a network with the threshold and temperature that its training fitted on validation."""

    kind: OutcomeKind
    given: FloatArray
    """Predictions of the network, in the form of the kind of outcome."""
    given_threshold: Threshold
    """Threshold for `given`."""
    fitted: Mapping[str, Any] | None
    """Values that the checkpoint stores from validation; None in checkpoints of older versions."""
    temperature: Mapping[str, Any]
    """value, reason (why there is none), applied."""

    @staticmethod
    def create(
        kind: OutcomeKind,
        threshold: Threshold,
        given: FloatArray,
        fitted: Mapping[str, Any] | None,
        *,
        calibrated: bool,
    ) -> Postprocessing:
        """threshold: None means 0.5 if there is a decision. calibrated: apply the temperature;
        TEMPERATURE_UNAVAILABLE if there is none."""
        value: float | None = None
        reason: str | None = NOTHING_FITTED if kind.one_of_classes else NO_CLASSES
        bounds: dict[str, float | None] = {"low": None, "high": None}
        if fitted is not None:
            value, reason = fitted["temperature"]["value"], stored_phrases(fitted["temperature"], "reason")
            bounds = {name: fitted["temperature"].get(name) for name in bounds}
        if calibrated and value is None:
            message = phrase("temperature_not_available", reason=reason or NOTHING_FITTED)
            raise TrainerError("TEMPERATURE_UNAVAILABLE", message)
        temperature = with_phrases({"value": value, **bounds, "reason": reason, "applied": calibrated})
        return Postprocessing(kind, given, kind.threshold_or_default(threshold), fitted, temperature)

    @cached_property
    def predictions(self) -> FloatArray:
        """Predictions as the result shows them."""
        return shown_predictions({"temperature": self.temperature}, self.given)

    @property
    def threshold(self) -> Threshold:
        """Threshold for `predictions`."""
        given = self.given_threshold
        return self.shown_threshold(given) if isinstance(given, float) else given

    def shown_threshold(self, given: float) -> float:
        """Convert a threshold for `given` to one for `predictions`."""
        applied, value = self.temperature["applied"], self.temperature["value"]
        return threshold_with_temperature(given, value) if applied else given

    def outcome(self, labels: Labels, inside: npt.NDArray[np.bool_] | slice = slice(None)) -> Outcome:
        """Outcome of the masked cases, which have these labels."""
        return self.kind.measured(labels, self.predictions[inside], self.threshold)

    def other_way(self) -> Postprocessing | None:
        """The predictions with the temperature if it is not applied, and without it if it is; None without a
        temperature."""
        if self.temperature["value"] is None:
            return None
        return replace(self, temperature={**self.temperature, "applied": not self.temperature["applied"]})


def shown_predictions(result: Mapping[str, Any], given: npt.ArrayLike) -> FloatArray:
    """Predictions of the network as the result shows them; results of older versions have no temperature."""
    temperature, values = result.get("temperature"), np.asarray(given, dtype=np.float64)
    if temperature is None or not temperature["applied"]:
        return values
    return with_temperature(values, temperature["value"])
