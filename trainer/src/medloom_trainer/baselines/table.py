"""A baseline of the table, fitted on the training rows and stored with what its predictions need."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from medloom_trainer.baselines.boosting import Boosting, fit_boosting
from medloom_trainer.baselines.design import Design, FloatArray
from medloom_trainer.baselines.folds import Rows
from medloom_trainer.baselines.forest import Forest, fit_forest
from medloom_trainer.baselines.linear import Linear, fit_linear
from medloom_trainer.data.types import Cases, PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.outcomes import kind_of_data
from medloom_trainer.outcomes.kind import Threshold

Model = Linear | Forest | Boosting
_KINDS: Mapping[str, Callable[[dict[str, Any], int], Model]] = {
    "logistic_regression": Linear.of_json,
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
    """Binary tasks: chosen on validation."""

    def predict(self, cases: Cases) -> FloatArray:
        """(N, K) probabilities or (N,) numbers. CHECKPOINT_MISMATCH where cases were encoded otherwise."""
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
        model = _KINDS[name](stored["model"], design.width)
        return cls(name, design, model, str(stored["settings"]), stored["threshold"])


def fit_table_baseline(name: str, data: PreparedData, seed: int) -> TableBaseline:
    """Fit on the training rows alone; of a binary task the threshold is chosen on validation, as that of the
    network. DATASET_INVALID where the rows do not allow a fit, such as rows of one class.
    """
    labels = data.train.labels
    if labels is None or not data.layout.columns:
        raise TrainerError("DATASET_INVALID", "there is no column of the table to learn from")
    kind = kind_of_data(data)
    if kind.classes is not None and not kind.one_of_classes:
        raise TrainerError("DATASET_INVALID", "it is not fitted to several labels of a case")
    if kind.task == "survival":
        raise TrainerError("DATASET_INVALID", "it is not fitted to times to an event")
    classes = len(data.classes or ())
    if classes and len(np.unique(labels)) < 2:
        raise TrainerError("DATASET_INVALID", "the training rows are of one class")
    design = Design.of(data.layout, data.train, blanks=name == "hist_gradient_boosting")
    matrix, groups = design.matrix(data.train), _groups(data.train)
    model: Model
    # More threads than one cost such small problems more than they give, and change the last digits.
    with threadpool_limits(limits=1):
        if name == "logistic_regression":
            numbers = [column.start for column in data.layout.columns if column.kind in ("numeric", "target")]
            model, settings = fit_linear(
                matrix, labels, groups, num_classes=classes, scaled=_widths(data, numbers), seed=seed
            )
        elif name == "random_forest":
            model, settings = fit_forest(
                matrix, labels, groups, num_classes=classes, seed=seed, threads=_threads()
            )
        else:
            model, settings = fit_boosting(matrix, labels, groups, num_classes=classes, seed=seed)
    return TableBaseline(name, design, model, settings, _threshold(design, model, data))


def _groups(cases: Cases) -> Rows:
    """Rows of one patient stay in one fold."""
    return np.arange(len(cases.rows)) if cases.patients is None else cases.patients


def _widths(data: PreparedData, starts: list[int]) -> list[int]:
    """Every number of the columns that begin there."""
    widths = {column.start: column.width for column in data.layout.columns if column.kind != "embedding"}
    return [start + place for start in starts for place in range(widths[start])]


def _threshold(design: Design, model: Model, data: PreparedData) -> Threshold:
    return kind_of_data(data).choose_threshold(
        np.asarray(data.val.labels), model.predict(design.matrix(data.val))
    )


def _threads() -> int:
    return int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
