"""One of K classes: a softmax over K outputs. For two classes the second is the positive one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import BinaryOutcome, log_losses
from medloom_trainer.metrics.figures import confusion_matrix, curves, reliability
from medloom_trainer.metrics.intervals import Interval
from medloom_trainer.metrics.multiclass import PER_CLASS, MulticlassOutcome, of_class
from medloom_trainer.metrics.outcome import Metrics
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.ties import most_probable, reaches
from medloom_trainer.metrics.threshold import choose_threshold, undecided
from medloom_trainer.outcomes.kind import (
    Labels,
    Mistakes,
    OutcomeKind,
    Threshold,
    probability_columns,
    refuse_other_names,
)
from medloom_trainer.outcomes.losses import CLASS_LOSSES, CaseLoss

_HALF = 0.5
"""The threshold if none was chosen."""


@dataclass(frozen=True)
class Classification(OutcomeKind):
    """labels (N,) class indices, predictions (N, K) probabilities."""

    classes: tuple[str, ...]

    task: ClassVar[Task] = "classification"
    one_of_classes = True
    patient_metrics = (
        *("auc", "accuracy", "balanced_accuracy", "f1_score", "sensitivity", "specificity", "ppv", "npv"),
        *("brier", "log_loss"),
    )
    subgroup_metrics = ("accuracy", "auc", "f1_score", "balanced_accuracy", "sensitivity", "specificity")

    @staticmethod
    def of_state(state: Mapping[str, Any]) -> Classification:
        return Classification(tuple(state["classes"]))

    @property
    def rare_performance(self) -> Mapping[str, float]:
        """For more than two classes only balanced accuracy decides: their mean AUC is high if each class
        differs from most of the others."""
        balanced = {"balanced_accuracy": 0.99}
        return {"auc": 0.99, **balanced} if self.is_binary else balanced

    @property
    def num_outputs(self) -> int:
        return len(self.classes)

    @property
    def is_binary(self) -> bool:
        return len(self.classes) == 2

    @property
    def positive_class(self) -> str | None:
        return self.classes[1] if self.is_binary else None

    def targets(self, labels: Labels) -> Labels:
        return labels.astype(np.int64)

    def loss(self, loop: Mapping[str, Any], targets: Labels) -> CaseLoss:
        name = "cross_entropy" if loop["loss_function"] == "auto" else loop["loss_function"]
        if name not in CLASS_LOSSES:
            message = phrase("loss_needs_number", loss=name)
            raise TrainerError("INVALID_CONFIG", message)
        counts = np.bincount(targets, minlength=len(self.classes)).astype(np.float64)
        weights = _class_weights(loop["class_weights"], self.classes, counts)
        return CaseLoss(name, class_weights=weights, label_smoothing=float(loop["label_smoothing"]))

    def right(self, outputs: Tensor, targets: Tensor) -> Tensor:
        return outputs.argmax(dim=1) == targets

    def activation(self, outputs: Tensor) -> Tensor:
        return outputs.softmax(dim=1)

    def describe_output(self) -> tuple[str, list[int], str]:
        return "probabilities", [self.num_outputs], "one per class"

    def guesses(self, count: int) -> FloatArray:
        return np.full((count, len(self.classes)), 1 / len(self.classes))

    def choose_threshold(self, labels: Labels, predictions: FloatArray) -> Threshold:
        return choose_threshold(labels, predictions[:, 1]) if self.is_binary else None

    def why_no_threshold(self, labels: Labels, predictions: FloatArray) -> str | None:
        return undecided(labels, predictions[:, 1]) if self.is_binary else None

    def threshold_or_default(self, threshold: Threshold) -> Threshold:
        if not self.is_binary:
            return None
        return _HALF if threshold is None else threshold

    def measured(
        self, labels: Labels, predictions: FloatArray, threshold: Threshold
    ) -> BinaryOutcome | MulticlassOutcome:
        if threshold is not None and not isinstance(threshold, list):
            return BinaryOutcome(labels, predictions[:, 1], threshold)
        return MulticlassOutcome(labels, predictions, self.classes)

    def details(
        self, outcome: BinaryOutcome | MulticlassOutcome, values: Metrics, bounds: Mapping[str, Interval]
    ) -> dict[str, Any]:
        ranked = zip(
            self.classes[1:] if self.is_binary else self.classes, outcome.rankings().values(), strict=True
        )
        found = {"confusion_matrix": confusion_matrix(outcome, len(self.classes)), **curves(dict(ranked))}
        if isinstance(outcome, BinaryOutcome):
            line = values["calibration_slope"], values["calibration_intercept"]
            return {**found, "calibration": reliability(outcome.labels, outcome.probability, *line)}
        return {
            **found,
            "per_class": _per_class(outcome, values, bounds),
            "calibration": reliability(outcome.right, outcome.top_probability),
        }

    def mistakes(self, outcome: BinaryOutcome | MulticlassOutcome) -> Mistakes:
        """Confidence: the probability of the predicted class."""
        wrong = np.flatnonzero(outcome.predicted != outcome.labels)
        if isinstance(outcome, BinaryOutcome):
            sure = np.where(outcome.predicted == 1, outcome.probability, 1 - outcome.probability)
        else:
            sure = outcome.top_probability
        truth, predicted = (
            [self.classes[k] for k in values[wrong].tolist()]
            for values in (outcome.labels, outcome.predicted)
        )
        return Mistakes(wrong, sure[wrong], truth, predicted)

    def losses(self, labels: Labels, predictions: FloatArray) -> FloatArray:
        """Log loss, in nats."""
        of_truth = np.take_along_axis(predictions, labels[:, None], axis=1)[:, 0]
        return log_losses(np.ones_like(labels), of_truth)

    def prediction_columns(self, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """predicted, and one probability for each class, in full precision."""
        called = (
            most_probable(predictions)
            if threshold is None
            else reaches(predictions[:, 1], threshold).astype(np.int64)
        )
        return {
            "predicted": [self.classes[k] for k in called.tolist()],
            **{f"probability_{name}": predictions[:, k].tolist() for k, name in enumerate(self.classes)},
        }

    def columns(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """truth, predicted, correct (true or false), and the probabilities."""
        columns = self.prediction_columns(predictions, threshold)
        predicted, truth = columns.pop("predicted"), [self.classes[k] for k in labels.tolist()]
        correct = ["true" if one == other else "false" for one, other in zip(predicted, truth, strict=True)]
        return {"truth": truth, "predicted": predicted, "correct": correct, **columns}

    def read_columns(self, table: Mapping[str, Sequence[str]]) -> tuple[Labels, FloatArray]:
        labels = np.asarray([self.classes.index(name) for name in table["truth"]], np.int64)
        return labels, probability_columns(table, self.classes)

    def class_counts(self, labels: Labels) -> dict[str, int]:
        return {name: int((labels == k).sum()) for k, name in enumerate(self.classes)}

    def class_patients(self, labels: Labels, clusters: Clusters) -> list[int]:
        return [clusters.having(labels == k) for k in range(len(self.classes))]

    def num_events(self, labels: Labels) -> int | None:
        return int((labels == 1).sum()) if self.is_binary else None


def _class_weights(choice: object, classes: tuple[str, ...], counts: FloatArray) -> Tensor | None:
    """(K,) scaled so that they average 1 over the training cases; None for "none"."""
    if choice == "none":
        return None
    if choice == "balanced":
        weights = np.where(counts > 0, counts.sum() / (len(classes) * np.maximum(counts, 1)), 0.0)
    else:
        assert isinstance(choice, Mapping)
        refuse_other_names(choice, classes, phrase("word_classes"))
        weights = np.array([float(choice[name]) for name in classes])
    return torch.from_numpy(weights * counts.sum() / (weights * counts).sum()).float()


def _per_class(
    outcome: MulticlassOutcome, values: Metrics, bounds: Mapping[str, Interval]
) -> list[dict[str, Any]]:
    """One class against the rest. The interval contains the reason of an undefined value."""
    return [
        {
            "name": name,
            "cases": int((outcome.labels == k).sum()),
            "metrics": {metric: values[of_class(metric, k)] for metric in PER_CLASS},
            "intervals": {metric: bounds[of_class(metric, k)] for metric in PER_CLASS},
        }
        for k, name in enumerate(outcome.classes)
    ]
