"""Metrics of a classifier with more than two classes: one against the rest for each class, and their macro
averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.calibration import SMALLEST, bin_gaps
from medloom_trainer.metrics.outcome import Mean, Share, ratio
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.group_sums import by_case, sums_of_groups
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.ties import most_probable

PER_CLASS = ("auc", "auprc", "sensitivity", "specificity", "ppv", "npv", "f1_score")


class MulticlassOutcome:
    """labels (N,) class indices, probabilities (N, K). The predicted class is the most probable one, the
    first of equals.

    A macro average is taken over all K classes; it is undefined if the value of one class is.
    """

    def __init__(self, labels: npt.ArrayLike, probabilities: npt.ArrayLike, classes: tuple[str, ...]) -> None:
        self.labels = np.asarray(labels, dtype=np.int64)
        self.probabilities = np.asarray(probabilities, dtype=np.float64)
        self.predicted = most_probable(self.probabilities)
        self.classes = classes
        self.size = len(self.labels)
        self.right = self.predicted == self.labels
        self._ranked = [
            RankedScores.from_scores(self.labels == k, self.probabilities[:, k]) for k in range(len(classes))
        ]
        self._cells = sums_of_groups(self.labels * len(classes) + self.predicted, len(classes) ** 2)
        own = np.take_along_axis(self.probabilities, self.labels[:, None], axis=1)[:, 0]
        self._sums = np.stack(  # (N, 2): log-loss and squared distance to the true corner
            [
                -np.log(np.clip(own, SMALLEST, 1 - SMALLEST)),
                np.square(self.probabilities).sum(axis=1) - 2 * own + 1,
            ],
            axis=1,
        )
        self._gaps = bin_gaps(self.right, self.top_probability)

    @property
    def top_probability(self) -> FloatArray:
        """(N,) probability of the predicted class."""
        top: FloatArray = self.probabilities.max(axis=1)
        return top

    def confusion(self, weights: FloatArray) -> FloatArray:
        """Weights (R, N) → (R, K, K); row: true class, column: predicted."""
        count = len(self.classes)
        summed: FloatArray = (self._cells @ by_case(weights)).T
        return summed.reshape(len(weights), count, count)

    def measure(self, weights: FloatArray) -> dict[str, FloatArray]:
        confusion = self.confusion(weights)
        total = confusion.sum(axis=(1, 2))
        hits = np.einsum("rkk->rk", confusion)
        true, called = confusion.sum(axis=2), confusion.sum(axis=1)  # (R, K)
        rest, uncalled = total[:, None] - true, total[:, None] - called
        rejected = rest - called + hits
        areas = [ranked.areas(weights) for ranked in self._ranked]
        by_class = {
            "auc": np.stack([area for area, _ in areas], axis=1),
            "auprc": np.stack([precision for _, precision in areas], axis=1),
            "sensitivity": ratio(hits, true),
            "specificity": ratio(rejected, rest),
            "ppv": ratio(hits, called),
            "npv": ratio(rejected, uncalled),
            "f1_score": ratio(2 * hits, true + called),
        }
        by_chance = np.einsum("rk,rk->r", true, called)
        log_losses, squared = (weights @ self._sums).T
        return {
            "accuracy": ratio(hits.sum(axis=1), total),
            "auc": by_class["auc"].mean(axis=1),
            "f1_score": by_class["f1_score"].mean(axis=1),
            "balanced_accuracy": by_class["sensitivity"].mean(axis=1),
            "kappa": ratio(total * hits.sum(axis=1) - by_chance, np.square(total) - by_chance),
            "auprc": by_class["auprc"].mean(axis=1),
            "brier": ratio(squared, total),
            "log_loss": ratio(log_losses, total),
            "ece": ratio(np.abs(weights @ self._gaps).sum(axis=1), total),
            **{
                of_class(name, k): by_class[name][:, k]
                for k in range(len(self.classes))
                for name in PER_CLASS
            },
        }

    def explain(self, name: str) -> str:
        if self.size == 0:
            return phrase("note_no_cases")
        if name.endswith("]"):
            return self._explain_class(name.partition("[")[0], class_of(name))
        if name == "kappa":
            return phrase("note_one_class_each")
        lacking = [
            self.classes[k]
            for k in range(len(self.classes))
            if not (self.labels == k).any() and not (name == "f1_score" and (self.predicted == k).any())
        ]
        return f"no cases of {', '.join(lacking)}" if lacking else phrase("note_one_class")

    def _explain_class(self, name: str, k: int) -> str:
        if name == "ppv":
            return phrase("note_none_as_class")
        if name == "npv":
            return phrase("note_all_as_class")
        if name == "f1_score":
            return phrase("note_class_nowhere")
        return (
            phrase("note_no_cases_of_class")
            if not (self.labels == k).any()
            else phrase("note_no_other_cases")
        )

    def proportions(self) -> Mapping[str, Share]:
        found = {"accuracy": Share(self.right, np.ones(self.size, dtype=bool))}
        for k in range(len(self.classes)):
            true, called = self.labels == k, self.predicted == k
            found[of_class("sensitivity", k)] = Share(called, true)
            found[of_class("specificity", k)] = Share(~called, ~true)
            found[of_class("ppv", k)] = Share(true, called)
            found[of_class("npv", k)] = Share(~true, ~called)
        return found

    def overlaps(self) -> Mapping[str, Share]:
        sides = [(self.labels == k, self.predicted == k) for k in range(len(self.classes))]
        return {
            of_class("f1_score", k): Share(true & called, true | called)
            for k, (true, called) in enumerate(sides)
        }

    def averages(self) -> Mapping[str, Sequence[str]]:
        return {"balanced_accuracy": [of_class("sensitivity", k) for k in range(len(self.classes))]}

    def means(self) -> Mapping[str, Mean]:
        return {"log_loss": Mean(self._sums[:, 0]), "brier": Mean(self._sums[:, 1])}

    def rows_of(self, name: str) -> None:
        return None

    def rankings(self) -> Mapping[str, RankedScores]:
        return {of_class("auc", k): ranked for k, ranked in enumerate(self._ranked)}

    def standard_errors(self, clusters: Clusters) -> Mapping[str, float]:
        return {}

    def rarest(self, name: str, clusters: Clusters) -> int:
        if name.endswith("]"):
            own = self.labels == class_of(name)
            return min(clusters.having(own), clusters.having(~own))
        return min(clusters.having(self.labels == k) for k in range(len(self.classes)))


def of_class(name: str, k: int) -> str:
    """The key of a one-against-the-rest metric of class k: "auc[2]"."""
    return f"{name}[{k}]"


def class_of(name: str) -> int:
    """The class of a key: 2 of "auc[2]"."""
    return int(name.partition("[")[2][:-1])
