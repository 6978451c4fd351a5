"""Several labels of a case, each yes or no independently: a sigmoid over L outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import log_losses
from medloom_trainer.metrics.figures import curves, reliability
from medloom_trainer.metrics.intervals import Interval
from medloom_trainer.metrics.multiclass import of_class
from medloom_trainer.metrics.multilabel import PER_LABEL, MultilabelOutcome
from medloom_trainer.metrics.outcome import Metrics
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.ties import reaches
from medloom_trainer.metrics.threshold import choose_threshold, undecided
from medloom_trainer.outcomes.kind import (
    Labels,
    Mistakes,
    OutcomeKind,
    Threshold,
    probability_columns,
    refuse_other_names,
)
from medloom_trainer.outcomes.losses import CLASS_LOSSES, CaseLoss, FlagLoss

_HALF = 0.5
_YES_NO_UNKNOWN = {"1": 1, "0": 0, "": -1}


@dataclass(frozen=True)
class Multilabel(OutcomeKind):
    """labels (N, L) of 1, 0 and -1 if unknown, predictions (N, L) probabilities."""

    classes: tuple[str, ...]
    """The labels, named by their columns."""

    task: ClassVar[Task] = "multilabel"
    few_pooled: ClassVar[PhraseCode] = "pooled_few_of_answer"
    subgroup_metrics = ("subset_accuracy", "auc", "f1_score", "balanced_accuracy", "hamming_loss")
    metric_of_small_groups = "subset_accuracy"

    @staticmethod
    def of_state(state: Mapping[str, Any]) -> Multilabel:
        return Multilabel(tuple(state["classes"]))

    @property
    def num_outputs(self) -> int:
        return len(self.classes)

    def targets(self, labels: Labels) -> Labels:
        return labels.astype(np.int64)

    def loss(self, loop: Mapping[str, Any], targets: Labels) -> CaseLoss:
        """Binary cross-entropy (or its focal form) of each label, averaged over the known labels of a
        case."""
        name = "cross_entropy" if loop["loss_function"] == "auto" else loop["loss_function"]
        if name not in CLASS_LOSSES:
            message = phrase("loss_needs_number_not_flags", loss=name)
            raise TrainerError("INVALID_CONFIG", message)
        weights = _label_weights(loop["class_weights"], self.classes, targets)
        return FlagLoss(name, label_weights=weights, label_smoothing=float(loop["label_smoothing"]))

    def right(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """True if every known label is correct with the threshold 0.5."""
        return (((outputs >= 0) == (targets == 1)) | (targets < 0)).all(dim=1)

    def activation(self, outputs: Tensor) -> Tensor:
        return outputs.sigmoid()

    def describe_output(self) -> tuple[str, list[int], str]:
        return "probabilities", [self.num_outputs], "one per label, independent of each other"

    def guesses(self, count: int) -> FloatArray:
        return np.full((count, len(self.classes)), 0.5)

    def choose_threshold(self, labels: Labels, predictions: FloatArray) -> Threshold:
        """One threshold for each label, on the cases where it is known."""
        known = labels >= 0
        return [
            choose_threshold(labels[known[:, k], k], predictions[known[:, k], k])
            for k in range(len(self.classes))
        ]

    def why_no_threshold(self, labels: Labels, predictions: FloatArray) -> str | None:
        known = labels >= 0
        found: dict[str, list[str]] = {}
        for k, name in enumerate(self.classes):
            reason = undecided(labels[known[:, k], k], predictions[known[:, k], k])
            if reason is not None:
                found.setdefault(reason, []).append(name)
        return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in found.items()) or None

    def threshold_or_default(self, threshold: Threshold) -> Threshold:
        return [_HALF] * len(self.classes) if threshold is None else threshold

    def threshold_of(self, result: Mapping[str, Any]) -> Threshold:
        rows = result.get("per_class")
        thresholds: Threshold = result.get("thresholds")  # for one of its baselines
        return thresholds if rows is None else [row["threshold"] for row in rows]

    def measured(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> MultilabelOutcome:
        assert isinstance(threshold, list | np.ndarray)
        return MultilabelOutcome(labels, predictions, threshold, self.classes)

    def details(
        self, outcome: MultilabelOutcome, values: Metrics, bounds: Mapping[str, Interval]
    ) -> dict[str, Any]:
        ranked = {name: part.ranked for name, part in zip(self.classes, outcome.parts, strict=True)}
        return {
            **curves(ranked),
            "per_class": [_row(outcome, k, values, bounds) for k in range(len(self.classes))],
        }

    def mistakes(self, outcome: MultilabelOutcome) -> Mistakes:
        """One entry for each wrong label; confidence: the probability of the prediction."""
        cases, labels = np.nonzero(outcome.known & ~outcome.right)
        called = outcome.called[cases, labels]
        probability = outcome.probabilities[cases, labels]
        names = [self.classes[k] for k in labels.tolist()]
        texts = [
            (f"no {name}", name) if yes else (name, f"no {name}")
            for name, yes in zip(names, called.tolist(), strict=True)
        ]
        sure = np.where(called, probability, 1 - probability)
        return Mistakes(cases, sure, [truth for truth, _ in texts], [guess for _, guess in texts])

    def targets_of_mistakes(self) -> dict[str, tuple[int, int]]:
        absent = {f"no {name}": (k, -1) for k, name in enumerate(self.classes)}
        return absent | super().targets_of_mistakes()

    def losses(self, labels: Labels, predictions: FloatArray) -> FloatArray:
        """The mean log loss of the known labels, in nats."""
        known = labels >= 0
        each = np.where(known, log_losses(labels, predictions), 0.0)
        count = known.sum(axis=1)
        found: FloatArray = np.where(count > 0, each.sum(axis=1) / np.maximum(count, 1), np.nan)
        return found

    def prediction_columns(self, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """For each label predicted, 1 or 0, and its probability."""
        called = reaches(predictions, np.asarray(threshold))
        found: dict[str, list[Any]] = {}
        for k, name in enumerate(self.classes):
            found[f"predicted_{name}"] = ["1" if yes else "0" for yes in called[:, k].tolist()]
            found[f"probability_{name}"] = predictions[:, k].tolist()
        return found

    def columns(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """For each label truth, 1 or 0, empty if unknown; its prediction and its probability."""
        predicted = self.prediction_columns(predictions, threshold)
        found: dict[str, list[Any]] = {}
        for k, name in enumerate(self.classes):
            found[f"truth_{name}"] = ["" if value < 0 else str(value) for value in labels[:, k].tolist()]
            found |= {column: predicted[column] for column in (f"predicted_{name}", f"probability_{name}")}
        return found

    def read_columns(self, table: Mapping[str, Sequence[str]]) -> tuple[Labels, FloatArray]:
        flags = [[_YES_NO_UNKNOWN[text] for text in table[f"truth_{name}"]] for name in self.classes]
        return np.asarray(flags, np.int64).T, probability_columns(table, self.classes)

    def class_counts(self, labels: Labels) -> dict[str, int]:
        """Number of cases with each label."""
        return {name: int((labels[:, k] == 1).sum()) for k, name in enumerate(self.classes)}

    def class_patients(self, labels: Labels, clusters: Clusters) -> list[int]:
        return [clusters.having(labels[:, k] == value) for k in range(len(self.classes)) for value in (0, 1)]


def _label_weights(choice: object, names: tuple[str, ...], targets: Labels) -> Tensor | None:
    """(2, L): of no and of yes, scaled so that each label averages 1 over the training cases where it is
    known; None for "none". A mapping contains the weight of yes relative to 1 for no."""
    if choice == "none":
        return None
    counts = np.stack([(targets == value).sum(axis=0) for value in (0, 1)]).astype(np.float64)
    if choice == "balanced":
        weights = 1 / np.maximum(counts, 1)
    else:
        assert isinstance(choice, Mapping)
        refuse_other_names(choice, names, phrase("word_labels"))
        weights = np.stack([np.ones(len(names)), [float(choice[name]) for name in names]])
    scale = counts.sum(axis=0) / (weights * counts).sum(axis=0)
    return torch.from_numpy(weights * scale).float()


def _row(
    outcome: MultilabelOutcome, k: int, values: Metrics, bounds: Mapping[str, Interval]
) -> dict[str, Any]:
    """One label. The interval contains the reason of an undefined value."""
    part = outcome.parts[k]
    line = values[of_class("calibration_slope", k)], values[of_class("calibration_intercept", k)]
    return {
        "name": outcome.names[k],
        "cases": int(part.labels.sum()),
        "labelled": part.size,
        # Pooled cases of several models have no common threshold.
        **({"threshold": float(outcome.thresholds[k])} if outcome.thresholds.ndim == 1 else {}),
        "metrics": {metric: values[of_class(metric, k)] for metric in PER_LABEL},
        "intervals": {metric: bounds[of_class(metric, k)] for metric in PER_LABEL},
        "calibration": reliability(part.labels, part.probability, *line) if part.size else None,
    }
