"""Metrics of a binary classifier: ranking, decisions at the validation threshold, and calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.calibration import SMALLEST, CalibrationLine, bin_gaps
from medloom_trainer.metrics.outcome import Mean, Share, ratio
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.ties import reaches


class BinaryOutcome:
    """labels (N,) of 0/1, probability (N,) of class 1; a case is predicted as positive if probability >=
    threshold, which is one number or (N,)."""

    def __init__(
        self, labels: npt.ArrayLike, probability: npt.ArrayLike, threshold: float | FloatArray
    ) -> None:
        self.labels = np.asarray(labels, dtype=np.int64)
        self.probability = np.asarray(probability, dtype=np.float64)
        self.predicted = reaches(self.probability, threshold).astype(np.int64)
        self.size = len(self.labels)
        self.ranked = RankedScores.from_scores(self.labels, self.probability)
        self._line = CalibrationLine(self.labels, self.probability)
        self._sums = np.stack(  # (N, 6): weighted sums of these give the counts and mean losses
            [
                self.labels & self.predicted,
                self.labels,
                self.predicted,
                np.ones(self.size),
                np.square(self.probability - self.labels),
                log_losses(self.labels, self.probability),
            ],
            axis=1,
        )
        self._gaps = bin_gaps(self.labels, self.probability)

    def measure(self, weights: FloatArray) -> dict[str, FloatArray]:
        true_positive, positive, called, total, squared, log_losses = (weights @ self._sums).T
        negative = total - positive
        true_negative = negative - called + true_positive
        sensitivity, specificity = ratio(true_positive, positive), ratio(true_negative, negative)
        auc, auprc = self.ranked.areas(weights)
        slope, intercept = self._line.fit(weights)
        return {
            "accuracy": ratio(true_positive + true_negative, total),
            "auc": auc,
            "f1_score": ratio(2 * true_positive, positive + called),
            "auprc": auprc,
            "prevalence": ratio(positive, total),
            "balanced_accuracy": (sensitivity + specificity) / 2,
            "sensitivity": sensitivity,
            "specificity": specificity,
            "ppv": ratio(true_positive, called),
            "npv": ratio(true_negative, total - called),
            "brier": ratio(squared, total),
            "log_loss": ratio(log_losses, total),
            "ece": ratio(np.abs(weights @ self._gaps).sum(axis=1), total),
            "calibration_slope": slope,
            "calibration_intercept": intercept,
        }

    def explain(self, name: str) -> str:
        positives = int(self.labels.sum())
        if self.size == 0:
            return phrase("note_no_cases")
        if name == "ppv":
            return phrase("note_none_positive")
        if name == "npv":
            return phrase("note_none_negative")
        if name == "f1_score":
            return phrase("note_nothing_positive")
        if positives == 0:
            return phrase("note_without_positives")
        if positives == self.size:
            return phrase("note_without_negatives")
        return phrase("note_no_slope")

    def proportions(self) -> Mapping[str, Share]:
        positive, called = self.labels == 1, self.predicted == 1
        prevalence = Share(positive, np.ones(self.size, dtype=bool))
        return {"prevalence": prevalence, **decision_shares(positive, called)}

    def overlaps(self) -> Mapping[str, Share]:
        positive, called = self.labels == 1, self.predicted == 1
        return {"f1_score": Share(positive & called, positive | called)}

    def averages(self) -> Mapping[str, Sequence[str]]:
        return {"balanced_accuracy": ("sensitivity", "specificity")}

    def means(self) -> Mapping[str, Mean]:
        return {"brier": Mean(self._sums[:, 4]), "log_loss": Mean(self._sums[:, 5])}

    def rows_of(self, name: str) -> None:
        return None

    def rankings(self) -> Mapping[str, RankedScores]:
        return {"auc": self.ranked}

    def standard_errors(self, clusters: Clusters) -> Mapping[str, float]:
        slope, intercept = self._line.standard_errors(clusters)
        return {"calibration_slope": slope, "calibration_intercept": intercept}

    def rarest(self, name: str, clusters: Clusters) -> int:
        return min(clusters.having(self.labels == 1), clusters.having(self.labels == 0))


def decision_shares(positive: npt.NDArray[np.bool_], called: npt.NDArray[np.bool_]) -> dict[str, Share]:
    """positive (N,): the truth; called (N,): the decision."""
    right = positive == called
    return {
        "accuracy": Share(right, np.ones(len(right), dtype=bool)),
        "sensitivity": Share(right, positive),
        "specificity": Share(right, ~positive),
        "ppv": Share(right, called),
        "npv": Share(right, ~called),
    }


def decision_counts(positive: npt.NDArray[np.bool_], called: npt.NDArray[np.bool_]) -> dict[str, int]:
    """Counts under the names of the contracts."""
    return {
        "true_positive": int((positive & called).sum()),
        "false_positive": int((~positive & called).sum()),
        "false_negative": int((positive & ~called).sum()),
        "true_negative": int((~positive & ~called).sum()),
    }


def log_losses(labels: npt.NDArray[np.int64], probability: FloatArray) -> FloatArray:
    """labels (…) of 1 or another, probability (…) of 1 → (…) -log of the probability of the truth, in
    nats."""
    clipped = np.clip(probability, SMALLEST, 1 - SMALLEST)
    losses: FloatArray = -np.log(np.where(labels == 1, clipped, 1 - clipped))
    return losses
