"""A baseline of the table, fitted on the rows that the model learns from and stored with what its predictions
need.

A stored one predicts without scikit-learn: that is imported where one is fitted, and takes a second.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
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
from medloom_trainer.baselines.rows import LearningRows
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


@dataclass(frozen=True)
class FittedBaseline:
    """A baseline after its fit, with what it says of the validation cases."""

    baseline: TableBaseline
    splits: list[str]
    """Those whose rows it was fitted on: train, or train and val."""
    num_cases: int
    """Rows that it was fitted on."""
    validation: FloatArray
    """Predictions of the validation cases. Where these train it, each is predicted by a fit without the fold
    of the case."""

    def to_json(self) -> dict[str, Any]:
        """The files that `read_table_baseline` reads, and the predictions for the validation cases."""
        out_of_fold = {"out_of_fold": self.validation.tolist()} if "val" in self.splits else {}
        return {**self.baseline.to_json(), "cases": self.num_cases, **out_of_fold}


def fit_table_baseline(
    name: str, data: PreparedData, seed: int, *, after_fit: Callable[[], None] = lambda: None
) -> FittedBaseline:
    """Fit on the rows that the model learns from: the training rows; where each of its networks leaves out a
    fold of training and validation rows, both. A threshold is chosen on validation, as that of the network.

    after_fit: called between the fits; may raise to end them. DATASET_INVALID where the rows do not allow a
    fit, such as rows of one class.
    """
    rows = LearningRows.of(data)
    if rows is None or not data.layout.columns:
        raise TrainerError("DATASET_INVALID", "there is no column of the table to learn from")
    kind = kind_of_data(data)
    design = Design.of(data.layout, rows.cases, blanks=name == "hist_gradient_boosting")
    matrix, scaled = design.matrix(rows.cases), scaled_values(data.layout)

    def fit(some: Rows | slice) -> tuple[Model, str]:
        labels = rows.labels[some]
        if kind.one_of_classes and len(np.unique(labels)) < 2:
            raise TrainerError("DATASET_INVALID", "the training rows are of one class")
        # More threads than one cost such small problems more than they give, and change the last digits.
        with threadpool_limits(limits=1):
            return _fit(name, kind, matrix[some], labels, rows.groups[some], scaled, seed)

    model, settings = fit(slice(None))
    parts = []
    for learning, held in rows.validation_folds:
        after_fit()
        parts.append((held - rows.num_train, fit(learning)[0].predict(matrix[held])))
    validation = _in_order(parts) if parts else model.predict(design.matrix(data.val))
    threshold = kind.choose_threshold(np.asarray(data.val.labels), validation)
    fitted = TableBaseline(name, design, model, settings, threshold)
    return FittedBaseline(fitted, rows.splits, len(rows.labels), validation)


def _in_order(parts: Sequence[tuple[Rows, FloatArray]]) -> FloatArray:
    """parts: (places, predictions) that together have every place once."""
    places = np.concatenate([place for place, _ in parts])
    predictions: FloatArray = np.concatenate([predicted for _, predicted in parts])
    return predictions[np.argsort(places)]


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


def _threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
