"""Binary models combined for cases with more than one answer: one model for each label, or one model for the
hazard of each interval of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from medloom_trainer.baselines.design import FloatArray
from medloom_trainer.baselines.folds import Rows
from medloom_trainer.outcomes.kind import Labels


class BinaryModel(Protocol):
    """Predicts (N, P) → probabilities (N, 2)."""

    def predict(self, matrix: FloatArray) -> FloatArray: ...

    def to_json(self) -> dict[str, Any]: ...


FitOne = Callable[[FloatArray, Labels, Rows], tuple[BinaryModel, str]]
"""(matrix, labels of 0 and 1, groups) → a fitted model, and its setting in words."""


@dataclass(frozen=True)
class PerLabel:
    """One model for each of L labels."""

    models: tuple[BinaryModel, ...]

    def predict(self, matrix: FloatArray) -> FloatArray:
        """(N, P) → (N, L) probabilities."""
        return np.stack([model.predict(matrix)[:, 1] for model in self.models], axis=1)

    def to_json(self) -> dict[str, Any]:
        return {"labels": [model.to_json() for model in self.models]}


def fit_per_label(
    matrix: FloatArray, labels: Labels, groups: Rows, names: Sequence[str], fit: FitOne
) -> tuple[PerLabel, str]:
    """labels (N, L) of 1, 0 and -1: each model is fitted on the cases whose label is known."""
    models = []
    settings: dict[str, list[str]] = {}
    for k, name in enumerate(names):
        known = labels[:, k] >= 0
        model, words = fit(matrix[known], labels[known, k], groups[known])
        models.append(model)
        settings.setdefault(words, []).append(name)
    settings_text = "; ".join(f"{', '.join(labels)}: {words}" for words, labels in settings.items())
    return PerLabel(tuple(models)), f"one model per label; {settings_text}"


@dataclass(frozen=True)
class Hazards:
    """Predicts whether the event happens in an interval that a case has reached, by a model that reads the
    table and the number of the interval as one more column (Singer and Willett 1993)."""

    model: BinaryModel
    intervals: int
    """K"""

    def predict(self, matrix: FloatArray) -> FloatArray:
        """(N, P) → (N, K) survival at the edges."""
        hazards = [
            self.model.predict(_with_interval(matrix, np.full(len(matrix), k)))[:, 1]
            for k in range(self.intervals)
        ]
        return np.cumprod(1 - np.stack(hazards, axis=1), axis=1).astype(np.float64)

    def to_json(self) -> dict[str, Any]:
        return {"intervals": self.intervals, "model": self.model.to_json()}


def fit_hazards(
    matrix: FloatArray, targets: Labels, groups: Rows, intervals: int, fit: FitOne
) -> tuple[Hazards, str]:
    """targets (N, 2), as for survival: the number of intervals that a case outlived, and the interval of the
    event or -1. The model is fitted on one row for each interval that a case reached."""
    outlived, event = targets[:, 0], targets[:, 1]
    reached = outlived + (event >= 0)
    case = np.repeat(np.arange(len(matrix)), reached)
    interval = np.arange(len(case)) - np.repeat(np.cumsum(reached) - reached, reached)
    happened = (interval == event[case]).astype(np.int64)
    model, words = fit(_with_interval(matrix[case], interval), happened, groups[case])
    return Hazards(model, intervals), f"discrete-time hazards in {intervals} intervals; {words}"


def _with_interval(matrix: FloatArray, interval: Rows) -> FloatArray:
    return np.hstack([matrix, interval[:, None].astype(np.float64)])
