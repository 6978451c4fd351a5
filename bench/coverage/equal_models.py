"""Pairs of equally good models: both see the truth equally well and err independently, so that every
difference between them is chance."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.features import fit_time_grid
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.multilabel import MultilabelOutcome
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.metrics.survival import SurvivalOutcome
from medloom_trainer.outcomes.survival import Survival

Floats = npt.NDArray[np.float64]
Patients = npt.NDArray[np.int64] | None

REST = 94
"""Patients of the other classes."""
SIGNAL = 1.2
"""Distance of a class from the rest, in standard deviations of a model's error."""
_ROWS_EACH = 4
"""Rows of a patient where patients have several."""
_INTERVALS = 10
_TRAINED = 4
"""Training cases for each measured one: they determine the time grid of survival."""


class Models(NamedTuple):
    """model: draws another model of the same cases. patients (N,), None if every row is a patient."""

    model: Callable[[], Outcome]
    patients: Patients = None


def binary(rng: np.random.Generator, few: int) -> Models:
    return _two_classes(rng, np.repeat([0, 1], [REST, few]))


def halves(rng: np.random.Generator, patients: int) -> Models:
    return _two_classes(rng, np.arange(patients) % 2)


def _two_classes(rng: np.random.Generator, labels: npt.NDArray[np.int64]) -> Models:
    def model() -> Outcome:
        return BinaryOutcome(labels, _sigmoid(SIGNAL * (2 * labels - 1) + rng.normal(size=len(labels))), 0.5)

    return Models(model)


def rows_of_patients(rng: np.random.Generator, few: int) -> Models:
    """Rows of a patient share the label and half of the variance of a model's error."""
    patients = np.repeat(np.arange(REST // 2 + few), _ROWS_EACH)
    labels = (patients >= REST // 2).astype(np.int64)

    def model() -> Outcome:
        error = rng.normal(size=REST // 2 + few)[patients] + rng.normal(size=len(labels))
        return BinaryOutcome(labels, _sigmoid(SIGNAL * (2 * labels - 1) + error), 0.5)

    return Models(model, patients)


def four_classes(rng: np.random.Generator, few: int) -> Models:
    labels = np.repeat([0, 1, 2, 3], [REST - 60, 30, 30, few])

    def model() -> Outcome:
        scores = np.exp(SIGNAL * 2 * np.eye(4)[labels] + rng.normal(size=(len(labels), 4)))
        return MulticlassOutcome(labels, scores / scores.sum(axis=1, keepdims=True), tuple("abcd"))

    return Models(model)


def three_labels(rng: np.random.Generator, few: int) -> Models:
    labels = rng.integers(0, 2, size=(REST + few, 3))
    labels[:, 2] = 0
    labels[rng.permutation(REST + few)[:few], 2] = 1

    def model() -> Outcome:
        scores = _sigmoid(SIGNAL * (2 * labels - 1) + rng.normal(size=labels.shape))
        return MultilabelOutcome(labels, scores, [0.5] * 3, tuple("abc"))

    return Models(model)


def regression(rng: np.random.Generator, cases: int) -> Models:
    truth = rng.normal(size=cases)

    def model() -> Outcome:
        return RegressionOutcome(truth, truth + rng.normal(size=cases))

    return Models(model)


def skewed_regression(rng: np.random.Generator, cases: int) -> Models:
    """Lognormal quantities, such as many laboratory values, with errors that grow with them."""
    truth = np.exp(rng.normal(size=cases))

    def model() -> Outcome:
        return RegressionOutcome(truth, truth * np.exp(0.5 * rng.normal(size=cases)))

    return Models(model)


def survival(rng: np.random.Generator, events: int) -> Models:
    """Observation ends at the last event; half of the others are lost before, independently of their risk."""
    trained, _ = _followed(rng, _TRAINED * events, _TRAINED * REST)
    fitted = fit_time_grid(trained, _INTERVALS)
    grid = Survival.of_state({"preprocessing": {"survival": fitted}}).grid
    labels, risk = _followed(rng, events, REST)

    def model() -> Outcome:
        hazard = np.exp(risk + rng.normal(size=len(risk)))
        curves = np.exp(-np.outer(hazard, grid.edges))
        return SurvivalOutcome(labels[:, 0], labels[:, 1], curves, grid)

    return Models(model)


def _followed(rng: np.random.Generator, events: int, others: int) -> tuple[Floats, Floats]:
    """((N, 2) time and event, (N,) log hazard)"""
    risk = SIGNAL * rng.normal(size=events + others)
    hidden = rng.exponential(np.exp(-risk))
    end = np.sort(hidden)[events - 1]
    happened = hidden <= end
    lost = ~happened & (rng.random(len(risk)) < 0.5)
    time = np.where(lost, rng.uniform(0, end, len(risk)), np.minimum(hidden, end))
    return np.stack([time, happened.astype(np.float64)], axis=1), risk


def _sigmoid(values: Floats) -> Floats:
    return 1 / (1 + np.exp(-values))
