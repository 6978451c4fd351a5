"""Several models on the cases, and for survival at the times, that all of them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.types import Cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.result import case_places, evaluation_result
from medloom_trainer.metrics.shared_times import shared_times
from medloom_trainer.outcomes import OutcomeKind, Survival
from medloom_trainer.warnings import Warnings, warning


@dataclass(frozen=True)
class MeasuredModel:
    """A model with its cases."""

    name: str
    seed: int
    """Seed of its training, also used for the bootstrap."""
    result: Mapping[str, Any]
    """EvaluationResult."""
    kind: OutcomeKind
    cases: Cases
    predictions: npt.NDArray[np.float64]


def on_shared_cases(models: Sequence[MeasuredModel]) -> tuple[list[MeasuredModel], Warnings]:
    """Return the same models on the cases that each of them reads, in the order of the first, and warnings
    about the changes.

    MODELS_NOT_COMPARABLE if there are none, or if the models read different truths from the table;
    INVALID_REQUEST as in `shared_times`.
    """
    places = [list(case_places(model.cases)) for model in models]
    shared = set(places[0]).intersection(*places[1:])
    if not shared:
        raise TrainerError("MODELS_NOT_COMPARABLE", phrase("no_shared_case"))
    rows = [np.asarray([i for i, place in enumerate(own) if place in shared]) for own in places]
    reduced = [_on_rows(model, own) for model, own in zip(models, rows, strict=True)]
    _refuse_another_truth(reduced)
    left_out = len(set().union(*places)) - len(shared)
    excluded = [warning("CASES_NOT_SHARED", phrase("cases_not_shared", count=left_out))]
    reduced, times = _at_shared_times(reduced)
    return reduced, [*(excluded if left_out else []), *times]


def _refuse_another_truth(models: Sequence[MeasuredModel]) -> None:
    first, *rest = (np.asarray(model.cases.labels).reshape(len(model.predictions), -1) for model in models)
    for model, labels in zip(models[1:], rest, strict=True):
        others = int((labels != first).any(axis=1).sum())
        if others:
            message = phrase(
                "labels_of_models_differ", first=models[0].name, second=model.name, number=others
            )
            raise TrainerError("MODELS_NOT_COMPARABLE", message)


def _at_shared_times(models: list[MeasuredModel]) -> tuple[list[MeasuredModel], Warnings]:
    """Measure survival models with different times at common times of these cases, like the trainings of a
    study; return other models unchanged."""
    grids = [model.kind.grid for model in models if isinstance(model.kind, Survival)]
    if all(grid.equals(grids[0]) for grid in grids):
        return models, []
    grid = shared_times(grids, np.asarray(models[0].cases.labels))
    message = phrase("times_not_shared", times=len(grid.edges), last=f"{grid.edges[-1]:.4g}")
    at_times = [
        _measured_again(
            replace(model, kind=Survival(grid), predictions=own.survival(model.predictions, grid.edges))
        )
        for model, own in zip(models, grids, strict=True)
    ]
    return at_times, [warning("TIMES_NOT_SHARED", message)]


def _on_rows(model: MeasuredModel, rows: npt.NDArray[np.int64]) -> MeasuredModel:
    if len(rows) == len(model.predictions):
        return model
    return _measured_again(
        replace(model, cases=_take(model.cases, rows), predictions=model.predictions[rows])
    )


def _measured_again(model: MeasuredModel) -> MeasuredModel:
    before = model.result
    result = evaluation_result(
        kind=model.kind,
        threshold=model.kind.threshold_of(before),
        cases=model.cases,
        predictions=model.predictions,
        split=before["split"],
        source=before["source"],
        flow=before["flow"],
        missing=before["missing"],
        seed=model.seed,
    )
    return replace(model, result={**result, "warnings": before["warnings"]})


def _take(cases: Cases, rows: npt.NDArray[np.int64]) -> Cases:
    """Select the fields of these cases that are needed for measuring."""
    places, ids = case_places(cases), cases.patient_ids
    return replace(
        cases,
        rows=cases.rows[rows],
        labels=None if cases.labels is None else cases.labels[rows],
        patients=None if cases.patients is None else cases.patients[rows],
        subgroups={},
        places=[places[row] for row in rows.tolist()],
        patient_ids=None if ids is None else [ids[row] for row in rows.tolist()],
        other_ids={name: [texts[row] for row in rows.tolist()] for name, texts in cases.other_ids.items()},
    )
