"""A baseline of the table, fitted on the training rows and stored with what its predictions need.

A stored one predicts without scikit-learn: that is imported where one is fitted, and takes a second.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from medloom_trainer.baselines.boosting import Boosting, fit_boosting
from medloom_trainer.baselines.cox import Cox, fit_cox
from medloom_trainer.baselines.design import Design, FloatArray, scaled_values
from medloom_trainer.baselines.folds import Rows
from medloom_trainer.baselines.forest import Forest, fit_forest
from medloom_trainer.baselines.linear import Linear, fit_linear
from medloom_trainer.baselines.several import Hazards, PerLabel, fit_hazards, fit_per_label
from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.outcomes import OutcomeKind, Survival, kind_of_data
from medloom_trainer.outcomes.kind import Labels, Threshold

Model = Linear | Forest | Boosting | Cox | PerLabel | Hazards
_KINDS: Mapping[str, Callable[[dict[str, Any], int], Linear | Forest | Boosting | Cox]] = {
    "logistic_regression": Linear.of_json,
    "cox_regression": Cox.of_json,
    "random_forest": Forest.of_json,
    "hist_gradient_boosting": Boosting.of_json,
}


@dataclass(frozen=True)
class TableBaseline:
    """A fitted baseline that predicts any cases that were prepared as those of the training."""

    name: str
    design: Design
    model: Model
    settings: str
    """How it was fitted, in words."""
    threshold: Threshold
    """Of two classes, and of each of several labels: chosen on validation."""

    def predict(self, cases: Cases) -> FloatArray:
        """As the kind of outcome has them. CHECKPOINT_MISMATCH where cases were encoded otherwise."""
        if not self.design.fits(cases):
            raise TrainerError("CHECKPOINT_MISMATCH", f"{self.name} was fitted on other columns than these")
        return self.model.predict(self.design.matrix(cases))

    def to_json(self) -> dict[str, Any]:
        return {
            "settings": self.settings,
            "threshold": self.threshold,
            "design": self.design.to_json(),
            "model": self.model.to_json(),
        }

    @classmethod
    def of_json(cls, name: str, stored: dict[str, Any]) -> TableBaseline:
        """ValueError, KeyError or TypeError where it is not what `to_json` writes."""
        design = Design.of_json(stored["design"])
        model = _model_of_json(name, stored["model"], design.width)
        return cls(name, design, model, str(stored["settings"]), stored["threshold"])


def fit_table_baseline(name: str, data: PreparedData, seed: int) -> TableBaseline:
    """Fit on the training rows alone; of a binary task the threshold is chosen on validation, as that of the
    network. DATASET_INVALID where the rows do not allow a fit, such as rows of one class.
    """
    labels = data.train.labels
    if labels is None or not data.layout.columns:
        raise TrainerError("DATASET_INVALID", "there is no column of the table to learn from")
    kind = kind_of_data(data)
    if kind.one_of_classes and len(np.unique(labels)) < 2:
        raise TrainerError("DATASET_INVALID", "the training rows are of one class")
    design = Design.of(data.layout, data.train, blanks=name == "hist_gradient_boosting")
    matrix, groups = design.matrix(data.train), _groups(data.train)
    scaled = scaled_values(data.layout)
    # More threads than one cost such small problems more than they give, and change the last digits.
    with threadpool_limits(limits=1):
        model, settings = _fit(name, kind, matrix, labels, groups, scaled, seed)
    return TableBaseline(name, design, model, settings, _threshold(design, model, data))


def _fit(
    name: str,
    kind: OutcomeKind,
    matrix: FloatArray,
    labels: Labels,
    groups: Rows,
    scaled: list[int],
    seed: int,
) -> tuple[Model, str]:
    """As the task has it: one model, one for each label, or one of the hazards of the intervals of time."""
    one = partial(_fit_one, name, scaled=scaled, seed=seed)
    two = partial(one, num_classes=2)
    if isinstance(kind, Survival):
        if name == "cox_regression":
            return fit_cox(matrix, labels, groups, kind=kind, scaled=scaled, seed=seed)
        return fit_hazards(matrix, kind.targets(labels), groups, kind.num_outputs, two)
    if kind.classes is None or kind.one_of_classes:
        return one(matrix, labels, groups, num_classes=len(kind.classes or ()))
    return fit_per_label(matrix, labels, groups, kind.classes, two)


def _fit_one(
    name: str,
    matrix: FloatArray,
    labels: Labels,
    groups: Rows,
    *,
    num_classes: int,
    scaled: list[int],
    seed: int,
) -> tuple[Linear | Forest | Boosting, str]:
    if name == "logistic_regression":
        return fit_linear(matrix, labels, groups, num_classes=num_classes, scaled=scaled, seed=seed)
    if name == "random_forest":
        return fit_forest(matrix, labels, groups, num_classes=num_classes, seed=seed, threads=_threads())
    return fit_boosting(matrix, labels, groups, num_classes=num_classes, seed=seed)


def _model_of_json(name: str, stored: dict[str, Any], width: int) -> Model:
    of_json = _KINDS[name]
    if "labels" in stored:
        return PerLabel(tuple(of_json(one, width) for one in stored["labels"]))
    if "intervals" in stored:
        return Hazards(of_json(stored["model"], width + 1), int(stored["intervals"]))
    return of_json(stored, width)


def _groups(cases: Cases) -> Rows:
    """Rows of one patient stay in one fold."""
    return np.arange(len(cases.rows)) if cases.patients is None else cases.patients


def _threshold(design: Design, model: Model, data: PreparedData) -> Threshold:
    return kind_of_data(data).choose_threshold(
        np.asarray(data.val.labels), model.predict(design.matrix(data.val))
    )


def _threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
