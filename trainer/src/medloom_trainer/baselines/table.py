"""A baseline of the table, fitted on the rows that the model learns from and stored with everything that its
predictions need.

A stored baseline predicts without scikit-learn, whose import takes a second: it is only imported where a
baseline is fitted.
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
from medloom_trainer.baselines.design import Design, FloatArray
from medloom_trainer.baselines.folds import Rows
from medloom_trainer.baselines.forest import Forest, fit_forest
from medloom_trainer.baselines.linear import Linear, fit_linear
from medloom_trainer.baselines.multi_output import Hazards, PerLabel, fit_hazards, fit_per_label
from medloom_trainer.baselines.rows import LearningRows
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.model.linear_fit import scaled_values
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
    """A fitted baseline. It predicts any cases that were prepared like those of the training."""

    name: str
    design: Design
    model: Model
    settings: str
    """Description of how it was fitted."""
    threshold: Threshold
    """For two classes, and for each of several labels: chosen on validation."""

    def predict(self, cases: Cases) -> FloatArray:
        """Predictions in the form of the kind of outcome. CHECKPOINT_MISMATCH if the cases were encoded
        differently."""
        if not self.design.fits(cases):
            raise TrainerError("CHECKPOINT_MISMATCH", phrase("baseline_of_other_columns", baseline=self.name))
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
        """ValueError, KeyError or TypeError if it is not what `to_json` writes."""
        design = Design.of_json(stored["design"])
        model = _model_of_json(name, stored["model"], design.width)
        return cls(name, design, model, str(stored["settings"]), stored["threshold"])


@dataclass(frozen=True)
class FittedBaseline:
    """A baseline after its fit, with its predictions of the validation cases."""

    baseline: TableBaseline
    splits: list[str]
    """Splits whose rows it was fitted on: train, or train and val."""
    num_cases: int
    """Number of rows that it was fitted on."""
    validation: FloatArray
    """Predictions of the validation cases. If these train the baseline, each is predicted by a fit without
    the fold of the case."""

    def to_json(self) -> dict[str, Any]:
        """The document that `read_table_baseline` reads, and the predictions of the validation cases."""
        out_of_fold = {"out_of_fold": self.validation.tolist()} if "val" in self.splits else {}
        return {**self.baseline.to_json(), "cases": self.num_cases, **out_of_fold}


def fit_table_baseline(
    name: str, data: PreparedData, seed: int, *, after_fit: Callable[[], None] = lambda: None
) -> FittedBaseline:
    """Fit on the rows that the model learns from: the training rows, or, if each of its networks leaves out a
    fold of training and validation rows, both. A threshold is chosen on validation, like that of the network.

    after_fit: called between the fits; may raise to end them. DATASET_INVALID if the rows do not allow a fit,
    for example rows of one class.
    """
    rows = LearningRows.from_data(data)
    if rows is None or not data.layout.columns:
        raise TrainerError("DATASET_INVALID", phrase("no_table_inputs"))
    kind = kind_of_data(data)
    design = Design.from_layout(data.layout, rows.cases, blanks=name == "hist_gradient_boosting")
    matrix, scaled = design.matrix(rows.cases), scaled_values(data.layout)

    def fit(some: Rows | slice) -> tuple[Model, str]:
        labels = rows.labels[some]
        if kind.one_of_classes and len(np.unique(labels)) < 2:
            raise TrainerError("DATASET_INVALID", phrase("training_of_one_class"))
        # For such small problems more than one thread is slower, and changes the last digits.
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
    """parts: (positions, predictions) that together contain every position once."""
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
    """Fit what the task requires: one model, one for each label, or one of the hazards of the time
    intervals."""
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
