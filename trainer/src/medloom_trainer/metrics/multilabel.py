"""Metrics of several labels, each yes or no: those of every label over the cases where it is known, their
macro averages, and metrics over all labels together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.multiclass import class_of, of_class
from medloom_trainer.metrics.outcome import Mean, Share, ratio
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.ranking import RankedScores
from medloom_trainer.metrics.statistics.ties import reaches

PER_LABEL = (
    "auc", "auprc", "prevalence", "sensitivity", "specificity", "ppv", "npv", "f1_score",
    "balanced_accuracy", "brier", "calibration_slope", "calibration_intercept",
)  # fmt: skip
_AVERAGED = ("auc", "auprc", "f1_score", "balanced_accuracy", "brier", "log_loss")
_MEASURED = (*PER_LABEL, "log_loss")
_ALL_KNOWN = ("subset_accuracy",)


class MultilabelOutcome:
    """labels (N, L) of 1, 0 and -1 if unknown, probabilities (N, L); a label is predicted if its probability
    >= its threshold, (L,) or (N, L).

    A macro average is taken over all L labels; it is undefined if the value of one is. `auc_micro` ranks the
    cells of all labels together. subset_accuracy: share of cases with every label correct, among those whose
    labels are all known. hamming_loss: share of wrong cells among the known ones.
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        probabilities: npt.ArrayLike,
        thresholds: Sequence[float] | FloatArray,
        names: Sequence[str],
    ) -> None:
        self.labels = np.asarray(labels, dtype=np.int64)
        self.probabilities = np.asarray(probabilities, dtype=np.float64)
        self.names = tuple(names)
        self.size = len(self.labels)
        self.known = self.labels >= 0
        self.thresholds = np.asarray(thresholds, dtype=np.float64)
        each = np.broadcast_to(self.thresholds, self.labels.shape)
        self.called = reaches(self.probabilities, each)
        self.right = self.known & (self.called == (self.labels == 1))
        self.rows = [np.flatnonzero(self.known[:, k]) for k in range(len(self.names))]
        self.parts = [
            BinaryOutcome(self.labels[rows, k], self.probabilities[rows, k], each[rows, k])
            for k, rows in enumerate(self.rows)
        ]
        self._case_of_cell = np.nonzero(self.known)[0]
        self._cells = RankedScores.from_scores(self.labels[self.known] == 1, self.probabilities[self.known])
        self._complete: npt.NDArray[np.bool_] = np.all(self.known, axis=1)

    def measure(self, weights: FloatArray) -> dict[str, FloatArray]:
        by_label = [part.measure(weights[:, rows]) for part, rows in zip(self.parts, self.rows, strict=True)]
        stacked = {name: np.stack([found[name] for found in by_label], axis=1) for name in _MEASURED}
        cells = weights[:, self._case_of_cell]
        auc_micro, auprc_micro = self._cells.areas(cells)
        called, positive = self.called & self.known, self.labels == 1
        hits = weights @ (called & positive).sum(axis=1)
        every_right = self._complete & (self.right.sum(axis=1) == len(self.names))
        return {
            "subset_accuracy": ratio(weights @ every_right, weights @ self._complete),
            "auc": stacked["auc"].mean(axis=1),
            "f1_score": stacked["f1_score"].mean(axis=1),
            "auc_micro": auc_micro,
            "f1_micro": ratio(2 * hits, weights @ (called.sum(axis=1) + positive.sum(axis=1))),
            "auprc": stacked["auprc"].mean(axis=1),
            "auprc_micro": auprc_micro,
            "balanced_accuracy": stacked["balanced_accuracy"].mean(axis=1),
            "hamming_loss": ratio(
                weights @ (self.known & ~self.right).sum(axis=1), weights @ self.known.sum(axis=1)
            ),
            "brier": stacked["brier"].mean(axis=1),
            "log_loss": stacked["log_loss"].mean(axis=1),
            **{of_class(name, k): stacked[name][:, k] for k in range(len(self.names)) for name in PER_LABEL},
        }

    def explain(self, name: str) -> str:
        if self.size == 0:
            return phrase("note_no_cases")
        if name.endswith("]"):
            k = class_of(name)
            return (
                self.parts[k].explain(name.partition("[")[0])
                if len(self.rows[k])
                else phrase("note_no_positive_cases")
            )
        if name in _ALL_KNOWN:
            return phrase("note_incomplete_labels")
        lacking = [
            label
            for label, part in zip(self.names, self.parts, strict=True)
            if part.size == 0 or part.labels.min() == part.labels.max()
        ]
        if name in _AVERAGED and lacking:
            return f"only one class for {', '.join(lacking)}"
        return phrase("note_one_class") if lacking else phrase("note_no_positive_label")

    def proportions(self) -> Mapping[str, Share]:
        """Shares of single labels over the cases where each is known, and of cases with every label
        correct."""
        every = self.right.sum(axis=1) == len(self.names)
        found = {"subset_accuracy": Share(self._complete & every, self._complete)}
        for k in range(len(self.names)):
            known, called = self.known[:, k], self.called[:, k]
            positive = self.labels[:, k] == 1
            found[of_class("prevalence", k)] = Share(positive, known)
            found[of_class("sensitivity", k)] = Share(called, positive)
            found[of_class("specificity", k)] = Share(known & ~called, known & ~positive)
            found[of_class("ppv", k)] = Share(positive, known & called)
            found[of_class("npv", k)] = Share(known & ~positive, known & ~called)
        return found

    def overlaps(self) -> Mapping[str, Share]:
        found = {}
        for k in range(len(self.names)):
            positive, called = self.labels[:, k] == 1, self.known[:, k] & self.called[:, k]
            found[of_class("f1_score", k)] = Share(positive & called, positive | called)
        return found

    def averages(self) -> Mapping[str, Sequence[str]]:
        return {
            of_class("balanced_accuracy", k): (of_class("sensitivity", k), of_class("specificity", k))
            for k in range(len(self.names))
        }

    def means(self) -> Mapping[str, Mean]:
        """Values of single labels over the cases where they are known (`rows_of`)."""
        return {of_class("brier", k): part.means()["brier"] for k, part in enumerate(self.parts) if part.size}

    def rankings(self) -> Mapping[str, RankedScores]:
        """Values of single labels over the cases where they are known (`rows_of`)."""
        return {of_class("auc", k): part.ranked for k, part in enumerate(self.parts)}

    def rows_of(self, name: str) -> npt.NDArray[np.intp] | None:
        return self.rows[class_of(name)] if name.endswith("]") else None

    def standard_errors(self, clusters: Clusters) -> Mapping[str, float]:
        found: dict[str, float] = {}
        for k, (part, rows) in enumerate(zip(self.parts, self.rows, strict=True)):
            errors = part.standard_errors(clusters.take(rows))
            found |= {of_class(name, k): error for name, error in errors.items()}
        return found

    def rarest(self, name: str, clusters: Clusters) -> int:
        labels = [class_of(name)] if name.endswith("]") else range(len(self.names))
        return min(clusters.having(self.labels[:, k] == value) for k in labels for value in (0, 1))
