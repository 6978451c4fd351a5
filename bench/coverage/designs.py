"""The simulated studies: number of cases and patients, and performance of the model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax, ndtri, softmax
from scipy.stats import norm

from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.metrics.regression import RegressionOutcome

SHARED = 0.4
"""Variance share that cases of one patient have in common, both of their class and of the model's view."""
SLOPE = 0.8
"""Calibration slope of the simulated model: its probabilities are too extreme."""

Floats = npt.NDArray[np.float64]
Patients = npt.NDArray[np.int64] | None
"""(N,) patient of each row; None if every row is a separate patient."""


@dataclass(frozen=True)
class Design(ABC):
    """cases rows, with as many patients unless stated otherwise; rows are spread evenly over the patients."""

    name: str
    cases: int
    patients: int | None = None

    def members(self) -> Patients:
        """(cases,) patient of each row, None if every row is a separate patient."""
        return None if self.patients is None else np.arange(self.cases) % self.patients

    def normal(self, random: np.random.Generator, patients: Patients, shape: Any) -> Floats:
        """Standard normal values; rows of one patient share a part."""
        own: Floats = random.standard_normal(shape)
        if patients is None:
            return own
        common = random.standard_normal((int(patients.max()) + 1, *own.shape[1:]))[patients]
        mixed: Floats = sqrt(SHARED) * common + sqrt(1 - SHARED) * own
        return mixed

    @abstractmethod
    def draw(self, random: np.random.Generator, cases: int, patients: Patients) -> Outcome:
        """A study with this number of rows: the same population for every number."""


@dataclass(frozen=True)
class Binary(Design):
    """Two normal distributions with equal variance: the true log odds are linear in the model's view."""

    prevalence: float = 0.5
    auc: float = 0.8

    def draw(self, random: np.random.Generator, cases: int, patients: Patients) -> Outcome:
        distance = sqrt(2) * float(ndtri(self.auc))
        labels = (norm.cdf(self.normal(random, patients, cases)) < self.prevalence).astype(np.int64)
        seen = self.normal(random, patients, cases) + distance * (labels - 0.5)
        prior = np.log(self.prevalence / (1 - self.prevalence))
        probability = 1 / (1 + np.exp(-(distance * seen + prior) / SLOPE))
        # Midway between the two distributions, where Youden's J is largest.
        threshold = float(1 / (1 + np.exp(-prior / SLOPE)))
        return BinaryOutcome(labels, probability, threshold)


@dataclass(frozen=True)
class Multiclass(Design):
    """One normal direction per class."""

    shares: tuple[float, ...] = ()
    distance: float = 1.5

    def draw(self, random: np.random.Generator, cases: int, patients: Patients) -> Outcome:
        shares = np.array(self.shares) / sum(self.shares)
        uniform = norm.cdf(self.normal(random, patients, cases))
        labels = np.searchsorted(np.cumsum(shares)[:-1], uniform).astype(np.int64)
        seen = (
            self.normal(random, patients, (cases, len(shares))) + self.distance * np.eye(len(shares))[labels]
        )
        logits = log_softmax(np.log(shares) + self.distance * seen, axis=1)
        return MulticlassOutcome(labels, softmax(logits / SLOPE, axis=1), tuple("abcdef"[: len(shares)]))


@dataclass(frozen=True)
class Regression(Design):
    """A prediction that correlates with the truth by about 0.7, shrunk towards the mean, with a bias."""

    def draw(self, random: np.random.Generator, cases: int, patients: Patients) -> Outcome:
        truth = 10 * self.normal(random, patients, cases)
        predicted = 1 + 0.6 * truth + 6 * self.normal(random, patients, cases)
        return RegressionOutcome(truth, predicted)


def _binary(events: int, others: int, auc: float, patients: int | None = None) -> Binary:
    suffix = f" of {patients} patients" if patients else ""
    cases = events + others
    return Binary(f"{events}/{others}{suffix}, AUC {auc}", cases, patients, events / cases, auc)


def _multiclass(*shares: int, patients: int | None = None) -> Multiclass:
    suffix = f" of {patients} patients" if patients else ""
    return Multiclass(f"{'/'.join(map(str, shares))}{suffix}", sum(shares), patients, shares)


def _regression(cases: int, patients: int | None = None) -> Regression:
    suffix = f" of {patients} patients" if patients else ""
    return Regression(f"regression, {cases} cases{suffix}", cases, patients)


FEW_EVENTS: tuple[Design, ...] = tuple(_binary(events, 100, 0.8) for events in (1, 2, 3, 4, 5))
DESIGNS: tuple[Design, ...] = (
    _binary(8, 100, 0.75),
    _binary(8, 100, 0.9),
    _binary(20, 80, 0.75),
    _binary(20, 80, 0.9),
    _binary(50, 50, 0.75),
    _binary(50, 50, 0.9),
    _binary(50, 50, 0.97),
    _binary(50, 300, 0.8),
    _binary(50, 300, 0.95),
    _binary(500, 500, 0.9),
    _binary(24, 60, 0.85, patients=14),
    _binary(30, 90, 0.85, patients=30),
    _binary(90, 150, 0.85, patients=60),
    _binary(500, 500, 0.9, patients=250),
    _multiclass(10, 20, 30),
    _multiclass(40, 60, 100),
    _multiclass(40, 60, 100, patients=50),
    _regression(20),
    _regression(60),
    _regression(500),
    _regression(84, patients=14),
    _regression(160, patients=40),
)
QUICK = (DESIGNS[1], DESIGNS[5], DESIGNS[11], DESIGNS[14], DESIGNS[18])
