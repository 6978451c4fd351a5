"""A number: one output, in standard deviations of the training labels around their mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from torch import Tensor

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.figures import scatter
from medloom_trainer.metrics.intervals import Interval
from medloom_trainer.metrics.outcome import Metrics
from medloom_trainer.metrics.regression import RegressionOutcome
from medloom_trainer.outcomes.kind import Labels, Mistakes, OutcomeKind, Threshold
from medloom_trainer.outcomes.losses import CLASS_LOSSES, CaseLoss


@dataclass(frozen=True)
class Regression(OutcomeKind):
    """labels (N,) and predictions (N,) in original units."""

    mean: float
    std: float
    """Standard deviation of the training labels: the network predicts (y - mean) / std."""

    task: ClassVar[Task] = "regression"
    is_number = True
    patient_metrics = ("mae", "rmse", "r2", "bias")
    subgroup_metrics = ("mae", "rmse", "r2", "bias")
    knows_right_and_wrong = False
    classes = None

    @staticmethod
    def of_state(state: Mapping[str, Any]) -> Regression:
        return Regression(state["label_normalization"]["mean"], state["label_normalization"]["std"])

    @property
    def rare_performance(self) -> Mapping[str, float]:
        return {"r2": 0.99}

    @property
    def num_outputs(self) -> int:
        return 1

    def targets(self, labels: Labels) -> Labels:
        return ((labels - self.mean) / self.std).astype(np.float32)

    def loss(self, loop: Mapping[str, Any], targets: Labels) -> CaseLoss:
        name = "mse" if loop["loss_function"] == "auto" else loop["loss_function"]
        if name in CLASS_LOSSES:
            message = phrase("loss_needs_category", loss=name)
            raise TrainerError("INVALID_CONFIG", message)
        if loop["label_smoothing"] > 0:
            message = phrase("smoothing_needs_category")
            raise TrainerError("INVALID_CONFIG", message)
        if loop["class_weights"] != "none":
            message = phrase("weights_need_category")
            raise TrainerError("INVALID_CONFIG", message)
        return CaseLoss(name)

    def activation(self, outputs: Tensor) -> Tensor:
        return outputs.squeeze(1) * self.std + self.mean

    def describe_output(self) -> tuple[str, list[int], str]:
        return "prediction", [], "in the units of the label"

    def guesses(self, count: int) -> FloatArray:
        return np.zeros(count)

    def measured(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> RegressionOutcome:
        return RegressionOutcome(labels, predictions)

    def details(
        self, outcome: RegressionOutcome, values: Metrics, bounds: Mapping[str, Interval]
    ) -> dict[str, Any]:
        return {"regression": scatter(outcome, values)}

    def mistakes(self, outcome: RegressionOutcome) -> Mistakes:
        """The errors: confidence is the absolute error in the units of the label."""
        far = np.abs(outcome.error)
        wrong = np.flatnonzero(far > 0)
        truth, predicted = (
            [f"{value:.6g}" for value in values[wrong].tolist()]
            for values in (outcome.truth, outcome.predicted)
        )
        return Mistakes(wrong, far[wrong], truth, predicted)

    def losses(self, labels: Labels, predictions: FloatArray) -> FloatArray:
        """The squared error, in squared units of the label."""
        return np.square(predictions - labels)

    def prediction_columns(self, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        return {"predicted": predictions.tolist()}

    def columns(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """truth and predicted, in original units."""
        return {"truth": labels.tolist(), **self.prediction_columns(predictions, threshold)}

    def read_columns(self, table: Mapping[str, Sequence[str]]) -> tuple[Labels, FloatArray]:
        return np.asarray(table["truth"], np.float64), np.asarray(table["predicted"], np.float64)
