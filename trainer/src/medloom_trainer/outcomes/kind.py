"""The interface of a kind of outcome. N cases, B of a batch, K outputs of the network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from torch import Tensor

from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.metrics.arrays import FloatArray
from medloom_trainer.evaluation.metrics.intervals import Interval
from medloom_trainer.evaluation.metrics.outcome import Metrics, Outcome
from medloom_trainer.evaluation.metrics.statistics.clusters import Clusters
from medloom_trainer.training.optimization.losses import CaseLoss

Labels = npt.NDArray[Any]
Threshold = float | list[float] | FloatArray | None
"""Where a probability says yes: one of a binary task, one per label of several, none elsewhere. An array: one
of these for each case, where several models predicted the cases."""


class Mistakes(NamedTuple):
    """What was predicted wrongly: M of them."""

    cases: npt.NDArray[np.intp]
    """(M,) positions of the cases."""
    confidence: FloatArray
    """(M,) how sure the model was, or how far off."""
    truth: Sequence[str]
    predicted: Sequence[str]


class OutcomeKind(ABC):
    """What a task predicts, and everything that follows from that."""

    task: ClassVar[Task]
    deciding_metric: ClassVar[str] = "auc"
    """By which one model is called better than another."""
    lower_is_better: ClassVar[bool] = False
    """Whether less of the deciding metric is better."""
    rarest_are: ClassVar[str] = "of a class"
    """Which patients decide whether there are enough of them, after "few patients"."""
    epoch_metrics: ClassVar[Mapping[str, str]]
    """Metric of the validation split after an epoch → the metric of an evaluation that it is."""
    subgroup_metrics: ClassVar[Sequence[str]]
    """Those of an evaluation that are told of each group of patients."""
    metric_of_small_groups: ClassVar[str] = "accuracy"
    """The one that is told where patients of a class are few."""
    knows_right_and_wrong: ClassVar[bool] = True
    """Whether a prediction is right or not, and not only near or far."""
    one_of_classes: ClassVar[bool] = False
    """Whether exactly one class is true of a case, and predictions are the probabilities of all of them."""
    is_number: ClassVar[bool] = False
    """Whether the truth of a case is a number, and predictions are guesses of it."""
    patient_metrics: ClassVar[Sequence[str]] = ()
    """Those that are told of patients as of rows; none where predictions of rows cannot be averaged."""
    classes: tuple[str, ...] | None
    """Names of what the outputs stand for; None where they are numbers."""

    @property
    @abstractmethod
    def num_outputs(self) -> int:
        """K of the network."""

    @property
    def rare_performance(self) -> Mapping[str, float]:
        """Metric of an evaluation → the value that hardly any result in medicine reaches."""
        return {"auc": 0.99}

    @property
    def positive_class(self) -> str | None:
        """Of two classes the one that sensitivity speaks of."""
        return None

    @abstractmethod
    def targets(self, labels: Labels) -> Labels:
        """What the loss compares with, by case, as `Cases.labels` gives the truth."""

    @abstractmethod
    def loss(self, loop: Mapping[str, Any], targets: Labels) -> CaseLoss:
        """loop: the training part of the configuration. targets: of the training split. INVALID_CONFIG when
        the loss, the class weights or the smoothing do not fit the outcome."""

    def right(self, outputs: Tensor, targets: Tensor) -> Tensor | None:
        """Outputs (B, K) and targets of a batch → (B,) True where the case is predicted rightly; None where
        `knows_right_and_wrong` is False."""
        return None

    @abstractmethod
    def activation(self, outputs: Tensor) -> Tensor:
        """Outputs of the network (N, K) → predictions (N, …), in operations that can be exported."""

    def predictions(self, outputs: Tensor) -> FloatArray:
        """Outputs of the network (N, K), on the CPU → predictions (N, …)."""
        return self.activation(outputs.double()).numpy()

    @abstractmethod
    def describe_output(self) -> tuple[str, list[int], str]:
        """Of an exported model: name of what it gives, shape without the batch, and what it is."""

    @abstractmethod
    def guesses(self, count: int) -> FloatArray:
        """Predictions of a model that knows nothing."""

    def choose_threshold(self, labels: Labels, predictions: FloatArray) -> Threshold:
        """On validation."""
        return None

    def why_no_threshold(self, labels: Labels, predictions: FloatArray) -> str | None:
        """Why validation chose none and a default stands in its place; None where it chose, or nothing is
        decided."""
        return None

    def threshold_or_default(self, threshold: Threshold) -> Threshold:
        """A threshold of this kind, where none was chosen too."""
        return None

    def threshold_of(self, result: Mapping[str, Any]) -> Threshold:
        """As an EvaluationResult has it."""
        threshold: float | None = result["threshold"]
        return threshold

    @abstractmethod
    def measured(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> Outcome:
        """The cases, ready to be measured. threshold: as `threshold_or_default` gives it."""

    @abstractmethod
    def details(self, outcome: Any, values: Metrics, bounds: Mapping[str, Interval]) -> dict[str, Any]:
        """What EvaluationResult says beside its metrics: the parts of DETAILS that this kind has. outcome:
        what `measured` gave; values and bounds: its metrics and their intervals."""

    @abstractmethod
    def mistakes(self, outcome: Any) -> Mistakes: ...

    def targets_of_mistakes(self) -> dict[str, tuple[int, int]]:
        """What a mistake says was predicted → the output of the network that says so, and its sign. Empty
        where there is one output, which is a number."""
        return {name: (k, 1) for k, name in enumerate(self.classes or ())}

    def losses(self, labels: Labels, predictions: FloatArray) -> FloatArray | None:
        """(N,) how wrong the prediction of each case is, NaN where nothing is known of it; None where a case
        has no loss of its own."""
        return None

    @abstractmethod
    def columns(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """Of the table of predictions: column → N cells."""

    @abstractmethod
    def read_columns(self, table: Mapping[str, Sequence[str]]) -> tuple[Labels, FloatArray]:
        """(labels, predictions) of what `columns` wrote. KeyError or ValueError for something else."""

    def class_counts(self, labels: Labels) -> dict[str, int] | None:
        """Class → cases."""
        return None

    def class_patients(self, labels: Labels, clusters: Clusters) -> list[int] | None:
        """Patients of each class, without whom a group says nothing; None without classes."""
        return None

    def num_events(self, labels: Labels) -> int | None:
        """Cases with the event, where the outcome is one event."""
        return None


DETAILS = ("per_class", "confusion_matrix", "roc", "pr", "calibration", "regression", "survival")
"""Parts of EvaluationResult that only some kinds have: null in the others."""


def probability_columns(table: Mapping[str, Sequence[str]], names: Sequence[str]) -> FloatArray:
    """(N, K) of the table of predictions. KeyError or ValueError where one is not there, or no number."""
    return np.asarray([table[f"probability_{name}"] for name in names], np.float64).T


def refuse_other_names(choice: Mapping[str, float], names: tuple[str, ...], what: str) -> None:
    """INVALID_CONFIG when class weights are not given for exactly these names."""
    unknown, absent = sorted(set(choice) - set(names)), sorted(set(names) - set(choice))
    if unknown or absent:
        problem = f"names unknown {what}: {', '.join(unknown)}" if unknown else f"lacks: {', '.join(absent)}"
        message = f"training.class_weights {problem}"
        raise TrainerError("INVALID_CONFIG", message, f"The {what} are: {', '.join(names)}.")
