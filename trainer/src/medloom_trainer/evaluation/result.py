"""Predictions and truth → the values and figures of a report (contract EvaluationResult), and its files."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.baselines.prediction import BaselinePrediction
from medloom_trainer.contract.phrases import phrase, stored_phrases, with_phrases
from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.csv_table import write_csv
from medloom_trainer.data.tables import split_name
from medloom_trainer.data.types import Cases
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.case_columns import case_columns
from medloom_trainer.evaluation.case_ids import id_columns
from medloom_trainer.evaluation.comparison import compare, comparison_warnings
from medloom_trainer.evaluation.plausibility import plausibility_warnings
from medloom_trainer.evaluation.postprocessing import Postprocessing, shown_predictions
from medloom_trainer.evaluation.prediction_sets import set_columns
from medloom_trainer.evaluation.subgroups import subgroup_metrics
from medloom_trainer.evaluation.use import use_of_predictions
from medloom_trainer.files import write_atomically, write_json
from medloom_trainer.metrics.intervals import intervals
from medloom_trainer.metrics.outcome import Outcome, estimate
from medloom_trainer.metrics.reliability import FEW_PATIENTS
from medloom_trainer.outcomes.kind import DETAILS, Labels, Mistakes, OutcomeKind, Threshold
from medloom_trainer.software import software_versions
from medloom_trainer.warnings import Warnings, warning

_MAX_FAILURES = 20


def evaluation_result(
    *,
    kind: OutcomeKind,
    threshold: Threshold,
    cases: Cases,
    predictions: npt.ArrayLike,
    split: str,
    source: Mapping[str, str],
    flow: Sequence[Mapping[str, Any]],
    missing: Mapping[str, int],
    warnings: Sequence[Mapping[str, str]] = (),
    baselines: Sequence[BaselinePrediction] = (),
    predictions_file: str = "predictions.csv",
    seed: int = 0,
    fitted: Mapping[str, Any] | None = None,
    calibrated: bool = False,
) -> dict[str, Any]:
    """Build the contract's EvaluationResult: JSON, without NaN, without anything that identifies a patient.

    threshold: from validation; None means 0.5 if there is a decision. predictions: of the network, in the
    form of the kind of outcome. source: csv, checkpoint, checkpoint_digest. flow, missing, warnings: from
    `prepare_cases`. baselines: of the same cases. seed: of the bootstrap. fitted: the values that the
    checkpoint stores from validation, None in checkpoints of older versions. calibrated: measure, and decide
    on, predictions with its temperature.

    DATASET_INVALID without labels; TRAINER_FAILED if the network predicts NaN; TEMPERATURE_UNAVAILABLE.
    """
    labels = _labels(cases, split)
    applied = Postprocessing.create(kind, threshold, _finite(predictions), fitted, calibrated=calibrated)
    outcome = applied.outcome(labels)
    measured = _measurements(kind, outcome, cases, seed)
    compared = compare(kind, outcome, cases, baselines, seed, predictions_file)
    return {
        "schema_version": RUN_SCHEMA_VERSION,
        "split": split,
        "source": {"digest": cases.digest, **source},
        "task": kind.task,
        "classes": None if kind.classes is None else list(kind.classes),
        "positive_class": kind.positive_class,
        **_decision(applied),
        "num_cases": len(labels),
        "num_patients": None if cases.patients is None else len(np.unique(cases.patients)),
        "class_counts": kind.class_counts(labels),
        "flow": [dict(step) for step in flow],
        "missing": dict(missing),
        **measured,
        **use_of_predictions(applied, labels, cases.patients, measured["intervals"], seed),
        "subgroups": _subgroups(kind, applied, cases, labels),
        "failures": _failures(kind.mistakes(outcome), case_places(cases)),
        "baselines": compared,
        "warnings": [*map(dict, warnings), *_own_warnings(kind, applied, cases, split, measured, compared)],
        "predictions": predictions_file,
        "software": software_versions(),
    }


def _subgroups(kind: OutcomeKind, applied: Postprocessing, cases: Cases, labels: Any) -> list[dict[str, Any]]:
    groups = subgroup_metrics(
        cases.subgroups,
        labels,
        kind,
        lambda inside: applied.outcome(labels[inside], inside),
        cases.patients,
    )
    return [with_phrases(group) for group in groups]


def _decision(applied: Postprocessing) -> dict[str, Any]:
    """The threshold of two classes, and the reason why validation could not choose it or that of a label."""
    return with_phrases(
        {
            "threshold": applied.threshold if isinstance(applied.threshold, float) else None,
            "threshold_reason": stored_phrases(applied.fitted or {}, "threshold_reason"),
        }
    )


def write_evaluation(
    file: Path,
    result: dict[str, Any],
    kind: OutcomeKind,
    cases: Cases,
    predictions: npt.ArrayLike,
    baselines: Sequence[BaselinePrediction] = (),
    columns: Mapping[str, Sequence[Any]] | None = None,
) -> None:
    """Write the predictions, including those of the baselines, to the folder of `file`, then the result to
    `file`, each atomically: if the result exists, its predictions do too. columns: additional columns of the
    table of predictions."""
    own: dict[str, Sequence[Any]] = {
        **predictions_table(result, kind, cases, predictions),
        **(columns or {}),
        **case_columns(kind, cases, shown_predictions(result, predictions)),
    }
    tables: dict[str, Mapping[str, Sequence[Any]]] = {result["predictions"]: own}
    for baseline, one in zip(baselines, result["baselines"], strict=True):
        tables[one["predictions"]] = baseline_table(result, one, kind, cases, baseline)
    for name, table in tables.items():
        _write_csv(file.parent / name, table)
    write_json(file, result)


def _write_csv(file: Path, table: Mapping[str, Sequence[Any]]) -> None:
    content = table_csv(table)
    write_atomically(file, lambda target: target.write(content))


def _labels(cases: Cases, split: str) -> Labels:
    if cases.labels is None or len(cases.labels) == 0:
        raise TrainerError("DATASET_INVALID", phrase("split_without_labels", split=split))
    return cases.labels


def _finite(predictions: npt.ArrayLike) -> npt.NDArray[np.float64]:
    predicted = np.asarray(predictions, dtype=np.float64)
    undefined = int((~np.isfinite(predicted.reshape(len(predicted), -1))).any(axis=1).sum())
    if undefined:
        message = phrase(
            "network_predicted_nan", number=undefined, cases=phrase("cases", count=len(predicted))
        )
        raise TrainerError("TRAINER_FAILED", message)
    return predicted


def _measurements(kind: OutcomeKind, outcome: Outcome, cases: Cases, seed: int) -> dict[str, Any]:
    """Metrics and figures over all cases."""
    values, notes = estimate(outcome)
    bounds = intervals(outcome, values, notes, cases.patients, seed=seed)
    headline = [name for name in values if not name.endswith("]")]
    return {
        "metrics": {name: values[name] for name in headline},
        "notes": {name: reason for name, reason in notes.items() if name in headline},
        "intervals": {name: bounds[name] for name in headline},
        **dict.fromkeys(DETAILS),
        **kind.details(outcome, values, bounds),
    }


def _failures(mistakes: Mistakes, places: Sequence[tuple[str, int]]) -> list[dict[str, str | int | float]]:
    """The most confident errors. places: (file, line in it) of each case."""
    cases, confidence = mistakes.cases.tolist(), mistakes.confidence.tolist()
    order = sorted(range(len(cases)), key=lambda i: (-confidence[i], places[cases[i]]))[:_MAX_FAILURES]
    return [
        {
            "file": places[cases[i]][0],
            "row": places[cases[i]][1],
            "truth": mistakes.truth[i],
            "predicted": mistakes.predicted[i],
            "confidence": confidence[i],
        }
        for i in order
    ]


def predictions_table(
    result: Mapping[str, Any], kind: OutcomeKind, cases: Cases, predictions: npt.ArrayLike
) -> dict[str, list[Any]]:
    """Return column → N cells: file, row (line in it), split, patient, other ids, and the columns of the kind
    of outcome and of its conformal sets, as the result shows them. Texts are empty if unknown. predictions:
    of the network."""
    if cases.labels is None:
        raise ValueError("an evaluation requires labels")
    predicted = shown_predictions(result, predictions)
    places = case_places(cases)
    return {
        "file": [file for file, _ in places],
        "row": [line for _, line in places],
        "split": [result["split"]] * len(places),
        "patient": list(cases.patient_ids or [""] * len(places)),
        **id_columns(cases),
        **kind.columns(cases.labels, predicted, kind.threshold_of(result)),
        **set_columns(result, kind, predicted),
    }


def baseline_table(
    result: Mapping[str, Any],
    compared: Mapping[str, Any],
    kind: OutcomeKind,
    cases: Cases,
    baseline: BaselinePrediction,
) -> dict[str, list[Any]]:
    """Like `predictions_table`, for a baseline. compared: its BaselineResult in the result."""
    own = {**result, "threshold": compared["threshold"], "temperature": None}
    return predictions_table(own, kind, cases, baseline.predictions)


def case_places(cases: Cases) -> Sequence[tuple[str, int]]:
    """(file, line in it) of each case; "" if it does not come from a file."""
    return cases.places or [("", line) for line in cases.rows.tolist()]


def table_csv(table: Mapping[str, Sequence[Any]]) -> bytes:
    """Column → N cells, as a CSV."""
    content = io.BytesIO()
    write_csv(content, list(table), zip(*table.values(), strict=True), quote_texts=False)
    return content.getvalue()


def _own_warnings(
    kind: OutcomeKind,
    applied: Postprocessing,
    cases: Cases,
    split: str,
    measured: Mapping[str, Any],
    compared: Sequence[Mapping[str, Any]],
) -> Warnings:
    found = []
    if cases.patients is None:
        found.append(warning("PATIENTS_UNKNOWN", phrase("patients_unknown")))
    patients = None if cases.patients is None else len(np.unique(cases.patients))
    if patients is not None and patients < FEW_PATIENTS:
        rows, people = phrase("cases", count=len(cases.rows)), phrase("patients", count=patients)
        message = phrase("cases_from_patients", cases=rows, patients=people)
        found.append(warning("FEW_PATIENTS", message))
    if split_name(split) == "val":
        decided = applied.threshold is not None and _decision(applied)["threshold_reason"] is None
        chosen = phrase("epoch_and_threshold_chosen_on_split" if decided else "epoch_chosen_on_split")
        found.append(warning("CHOSEN_ON_THIS_SPLIT", chosen))
    return [*found, *comparison_warnings(compared), *plausibility_warnings(kind, measured, compared)]
