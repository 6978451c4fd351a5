"""The interface of a kind of outcome. N cases, B of a batch, K outputs of the network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from torch import Tensor

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.metric_catalogue import METRICS, PRIMARY_METRIC, epoch_metrics_of
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.intervals import Interval
from medloom_trainer.metrics.outcome import Metrics, Outcome
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes.losses import CaseLoss

Labels = npt.NDArray[Any]
Threshold = float | list[float] | FloatArray | None
"""Threshold of a probability for a positive decision: one for a binary task, one for each of several labels,
none for others. An array: one of these for each case, if several models predicted the cases."""


class Mistakes(NamedTuple):
    """The M wrong predictions."""

    cases: npt.NDArray[np.intp]
    """(M,) positions of the cases."""
    confidence: FloatArray
    """(M,) certainty of the model, or size of the error."""
    truth: Sequence[str]
    predicted: Sequence[str]


class OutcomeKind(ABC):
    """The predicted outcome of a task, and everything that depends on it."""

    task: ClassVar[Task]
    few_pooled: ClassVar[PhraseCode] = "pooled_few_of_class"
    """Caution for pooled predictions of few patients of the kind whose number is decisive."""
    subgroup_metrics: ClassVar[Sequence[str]]
    """Metrics of an evaluation that are reported for each group of patients."""
    metric_of_small_groups: ClassVar[str] = "accuracy"
    """Metric that is reported for groups with few patients of a class."""
    knows_right_and_wrong: ClassVar[bool] = True
    """Predictions are correct or wrong, not only near or far."""
    one_of_classes: ClassVar[bool] = False
    """Exactly one class is true for a case, and predictions are the probabilities of all classes."""
    is_number: ClassVar[bool] = False
    """The truth of a case is a number, and predictions are estimates of it."""
    patient_metrics: ClassVar[Sequence[str]] = ()
    """Metrics that are reported for patients in addition to rows; none if predictions of rows cannot be
    averaged."""
    classes: tuple[str, ...] | None
    """Names of the outputs; None if they are numbers."""

    @property
    def deciding_metric(self) -> str:
        """Metric by which one model is called better than another."""
        return PRIMARY_METRIC[self.task]

    @property
    def lower_is_better(self) -> bool:
        """True if a smaller value of the deciding metric is better."""
        return METRICS[self.deciding_metric].better == "lower"

    @property
    def epoch_metrics(self) -> Mapping[str, str]:
        """Metric of the validation split after an epoch → the metric of an evaluation with its definition."""
        return epoch_metrics_of(self.task)

    @property
    @abstractmethod
    def num_outputs(self) -> int:
        """K of the network."""

    @property
    def rare_performance(self) -> Mapping[str, float]:
        """Metric of an evaluation → the value that few results in medicine exceed."""
        return {"auc": 0.99}

    @property
    def positive_class(self) -> str | None:
        """The class of two to which sensitivity refers."""
        return None

    @abstractmethod
    def targets(self, labels: Labels) -> Labels:
        """Targets of the loss for each case. labels: from `Cases.labels`."""

    @abstractmethod
    def loss(self, loop: Mapping[str, Any], targets: Labels) -> CaseLoss:
        """loop: the training part of the configuration. targets: of the training split. INVALID_CONFIG if the
        loss, the class weights or the smoothing do not fit the outcome."""

    def right(self, outputs: Tensor, targets: Tensor) -> Tensor | None:
        """Outputs (B, K) and targets of a batch → (B,) True if the case is predicted correctly; None if
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
        """For an exported model: name of its output, shape without the batch, and description."""

    @abstractmethod
    def guesses(self, count: int) -> FloatArray:
        """Predictions of a model without any information."""

    def choose_threshold(self, labels: Labels, predictions: FloatArray) -> Threshold:
        """Choose the threshold on validation."""
        return None

    def why_no_threshold(self, labels: Labels, predictions: FloatArray) -> str | None:
        """Reason why validation chose no threshold and a default is used; None if it chose one, or if there
        is not a decision."""
        return None

    def threshold_or_default(self, threshold: Threshold) -> Threshold:
        """The threshold, or the default of this kind if none was chosen."""
        return None

    def threshold_of(self, result: Mapping[str, Any]) -> Threshold:
        """Threshold of an EvaluationResult."""
        threshold: float | None = result["threshold"]
        return threshold

    @abstractmethod
    def measured(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> Outcome:
        """The cases in a form that can be measured. threshold: from `threshold_or_default`."""

    @abstractmethod
    def details(self, outcome: Any, values: Metrics, bounds: Mapping[str, Interval]) -> dict[str, Any]:
        """Additional parts of EvaluationResult: those of DETAILS that this kind has. outcome: from
        `measured`; values and bounds: its metrics and their intervals."""

    @abstractmethod
    def mistakes(self, outcome: Any) -> Mistakes: ...

    def targets_of_mistakes(self) -> dict[str, tuple[int, int]]:
        """Predicted value of an error → the corresponding output of the network, and its sign. Empty if there
        is one output, which is a number."""
        return {name: (k, 1) for k, name in enumerate(self.classes or ())}

    def losses(self, labels: Labels, predictions: FloatArray) -> FloatArray | None:
        """(N,) loss of the prediction of each case, NaN if its truth is unknown; None if cases have no
        individual loss."""
        return None

    @abstractmethod
    def prediction_columns(self, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """Columns of the table of predictions that do not depend on labels: column → N cells."""

    @abstractmethod
    def columns(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """Columns of the table of predictions: column → N cells."""

    @abstractmethod
    def read_columns(self, table: Mapping[str, Sequence[str]]) -> tuple[Labels, FloatArray]:
        """(labels, predictions) from the columns that `columns` wrote. KeyError or ValueError for other
        content."""

    def class_counts(self, labels: Labels) -> dict[str, int] | None:
        """Class → number of cases."""
        return None

    def class_patients(self, labels: Labels, clusters: Clusters) -> list[int] | None:
        """Number of patients of each class, without which a group has no meaningful results; None without
        classes."""
        return None

    def num_events(self, labels: Labels) -> int | None:
        """Number of cases with the event, if the outcome is one event."""
        return None


DETAILS = ("per_class", "confusion_matrix", "roc", "pr", "calibration", "regression", "survival")
"""Parts of EvaluationResult that only some kinds have: null in the others."""


def probability_columns(table: Mapping[str, Sequence[str]], names: Sequence[str]) -> FloatArray:
    """(N, K) from the table of predictions. KeyError or ValueError if one is missing or not a number."""
    return np.asarray([table[f"probability_{name}"] for name in names], np.float64).T


def refuse_other_names(choice: Mapping[str, float], names: tuple[str, ...], what: Phrased) -> None:
    """INVALID_CONFIG if class weights are not given for exactly these names."""
    unknown, absent = sorted(set(choice) - set(names)), sorted(set(names) - set(choice))
    if unknown or absent:
        message = (
            phrase("weights_of_unknown", what=what, names=", ".join(unknown))
            if unknown
            else phrase("weights_lacking", names=", ".join(absent))
        )
        raise TrainerError("INVALID_CONFIG", message, phrase("names_are", what=what, names=", ".join(names)))
