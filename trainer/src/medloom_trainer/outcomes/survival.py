"""Times to an event: hazards of K intervals of time, by a sigmoid over K outputs (Gensheimer and Narasimhan
2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.intervals import Interval
from medloom_trainer.metrics.outcome import Metrics
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.metrics.statistics.kaplan_meier import StepCurve
from medloom_trainer.metrics.survival import SurvivalOutcome, TimeGrid
from medloom_trainer.metrics.survival_figures import survival_figures
from medloom_trainer.outcomes.kind import Labels, Mistakes, OutcomeKind, Threshold
from medloom_trainer.outcomes.losses import CaseLoss, HazardLoss


@dataclass(frozen=True)
class Survival(OutcomeKind):
    """labels (N, 2) time and event, predictions (N, K) survival at the edges of the intervals."""

    grid: TimeGrid

    task: ClassVar[Task] = "survival"
    few_pooled: ClassVar[PhraseCode] = "pooled_few_with_event"
    subgroup_metrics = ("c_index", "uno_c", "integrated_brier")
    knows_right_and_wrong = False
    classes = None

    @staticmethod
    def of_state(state: Mapping[str, Any]) -> Survival:
        fitted = state["preprocessing"]["survival"]
        steps = fitted["censoring"]
        times, values = (np.asarray(steps[key], dtype=np.float64) for key in ("times", "values"))
        censoring = StepCurve(times, values, np.zeros(len(times)))
        edges = np.asarray(fitted["edges"], dtype=np.float64)
        return Survival(TimeGrid(edges, tuple(fitted["horizons"]), fitted["tau"], censoring))

    @property
    def rare_performance(self) -> Mapping[str, float]:
        return {"uno_c": 0.95}

    @property
    def num_outputs(self) -> int:
        return len(self.grid.edges)

    def targets(self, labels: Labels) -> Labels:
        """(N, 2): the number of intervals that the case outlived, and the interval of the event, or -1. A
        censored case has outlived an interval from its middle; a case with the event after the last edge has
        outlived all.
        """
        edges = self.grid.edges
        middle = (np.concatenate([[0.0], edges[:-1]]) + edges) / 2
        time, event = labels[:, 0], labels[:, 1] == 1
        inside = np.searchsorted(edges, time, side="left")
        happened = event & (inside < len(edges))
        outlived = np.where(event, inside, np.searchsorted(middle, time, side="right"))
        return np.stack([outlived, np.where(happened, inside, -1)], axis=1).astype(np.int64)

    def loss(self, loop: Mapping[str, Any], targets: Labels) -> CaseLoss:
        for key, plain in (("loss_function", "auto"), ("class_weights", "none"), ("label_smoothing", 0)):
            if loop[key] != plain:
                message = phrase("not_with_survival", key=key)
                raise TrainerError("INVALID_CONFIG", message, phrase("remove_keys", keys=key))
        return HazardLoss()

    def activation(self, outputs: Tensor) -> Tensor:
        """Survival at each edge: the product of the survival in each interval up to there."""
        return F.logsigmoid(-outputs).cumsum(dim=1).exp()

    def describe_output(self) -> tuple[str, list[int], str]:
        edges = ", ".join(f"{edge:g}" for edge in self.grid.edges)
        return "survival", [self.num_outputs], f"event-free survival at the times {edges}"

    def guesses(self, count: int) -> FloatArray:
        return np.tile(np.linspace(0.9, 0.1, self.num_outputs), (count, 1))

    def measured(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> SurvivalOutcome:
        return SurvivalOutcome(labels[:, 0], labels[:, 1], predictions, self.grid)

    def details(
        self, outcome: SurvivalOutcome, values: Metrics, bounds: Mapping[str, Interval]
    ) -> dict[str, Any]:
        return {"survival": survival_figures(outcome)}

    def mistakes(self, outcome: SurvivalOutcome) -> Mistakes:
        """Events that the model expected least: confidence is the predicted survival at their time."""
        cases = outcome.rows
        times = outcome.time[cases]
        each = outcome.grid.survival(outcome.predictions[cases], times)
        expected = each[np.arange(len(cases)), np.arange(len(cases))] if len(cases) else np.zeros(0)
        truth = [f"event at {time:.6g}" for time in times.tolist()]
        guess = [f"survival {share:.3f} at {time:.6g}" for share, time in zip(expected, times, strict=True)]
        return Mistakes(cases, expected, truth, guess)

    def prediction_columns(self, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """risk (time lost up to the last edge), and survival at each edge."""
        return {
            "risk": self.grid.risk(predictions).tolist(),
            **{name: predictions[:, k].tolist() for k, name in enumerate(self._curve_columns)},
        }

    def columns(self, labels: Labels, predictions: FloatArray, threshold: Threshold) -> dict[str, list[Any]]:
        """truth_time, truth_event, risk and survival."""
        return {
            "truth_time": labels[:, 0].tolist(),
            "truth_event": [str(int(event)) for event in labels[:, 1].tolist()],
            **self.prediction_columns(predictions, threshold),
        }

    def read_columns(self, table: Mapping[str, Sequence[str]]) -> tuple[Labels, FloatArray]:
        labels = np.asarray([table["truth_time"], table["truth_event"]], np.float64).T
        return labels, np.asarray([table[name] for name in self._curve_columns], np.float64).T

    @property
    def _curve_columns(self) -> list[str]:
        return [f"survival_{edge:.9g}" for edge in self.grid.edges.tolist()]

    def class_patients(self, labels: Labels, clusters: Clusters) -> list[int]:
        """Number of all patients, and of those with the event."""
        return [clusters.count, clusters.having(labels[:, 1] == 1)]

    def class_counts(self, labels: Labels) -> dict[str, int]:
        return {"event": int(labels[:, 1].sum())}

    def num_events(self, labels: Labels) -> int:
        return int(labels[:, 1].sum())
