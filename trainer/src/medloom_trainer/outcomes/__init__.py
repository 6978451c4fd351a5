"""Kinds of predicted outcomes: one module for each task of the configuration (contract TASKS).

A kind of outcome defines the outputs of the network, the loss, the conversion of outputs to predictions, the
epoch metrics and figures, and the columns of predictions.csv. Other code uses the kind, and never the name of
the task.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from medloom_trainer.data.types import PreparedData, Task
from medloom_trainer.outcomes.classification import Classification
from medloom_trainer.outcomes.kind import OutcomeKind
from medloom_trainer.outcomes.multilabel import Multilabel
from medloom_trainer.outcomes.regression import Regression
from medloom_trainer.outcomes.survival import Survival

__all__ = ["KINDS", "OutcomeKind", "Survival", "kind_of", "kind_of_data"]

KINDS: dict[Task, Callable[[Mapping[str, Any]], OutcomeKind]] = {
    "classification": Classification.of_state,
    "regression": Regression.of_state,
    "multilabel": Multilabel.of_state,
    "survival": Survival.of_state,
}
"""Task → function that creates its kind from the state of a checkpoint."""


def kind_of(state: Mapping[str, Any]) -> OutcomeKind:
    """state: of a checkpoint, or of an exported model."""
    return KINDS[state["task"]](state)


def kind_of_data(data: PreparedData) -> OutcomeKind:
    """Return the kind of outcome of prepared data."""
    return kind_of(
        {
            "task": data.task,
            "classes": data.classes,
            "label_normalization": data.label_normalization,
            "preprocessing": data.preprocessing,
        }
    )
