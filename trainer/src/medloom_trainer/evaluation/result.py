"""Predictions and truth → everything that a report prints and draws (contract EvaluationResult), and its
files.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.data.tables import split_name
from medloom_trainer.data.types import Cases, Task
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.metrics.binary import BinaryOutcome
from medloom_trainer.evaluation.metrics.figures import (
    Measured,
    calibration,
    confusion_matrix,
    curves,
    failures,
    scatter,
)
from medloom_trainer.evaluation.metrics.intervals import Interval, intervals
from medloom_trainer.evaluation.metrics.multiclass import PER_CLASS, MulticlassOutcome, of_class
from medloom_trainer.evaluation.metrics.outcome import Metrics, Outcome, estimate
from medloom_trainer.evaluation.metrics.regression import RegressionOutcome
from medloom_trainer.evaluation.metrics.reliability import FEW_PATIENTS
from medloom_trainer.evaluation.metrics.subgroups import subgroup_metrics
from medloom_trainer.files import write_atomically, write_json
from medloom_trainer.software import software_versions
from medloom_trainer.warnings import warning


def evaluation_result(
    *,
    task: Task,
    classes: Sequence[str] | None,
    threshold: float | None,
    cases: Cases,
    predictions: npt.ArrayLike,
    split: str,
    source: Mapping[str, str],
    flow: Sequence[Mapping[str, Any]],
    missing: Mapping[str, int],
    warnings: Sequence[Mapping[str, str]] = (),
    predictions_file: str = "predictions.csv",
    seed: int = 0,
) -> dict[str, Any]:
    """Build the contract's EvaluationResult: JSON, without NaN, without anything that names a patient.

    classes: names, index = label; None for a regression. threshold: of a binary task, from validation; None
    means 0.5. predictions: (N, K) probabilities, or (N,) in original units. source: csv, checkpoint,
    checkpoint_digest. flow, missing, warnings: as `prepare_cases` gives them. seed: of the bootstrap.

    DATASET_INVALID without cases or labels; TRAINER_FAILED where the network predicts NaN.
    """
    if cases.labels is None or len(cases.labels) == 0:
        raise TrainerError("DATASET_INVALID", f'there are no labelled cases to evaluate in split "{split}"')
    labels, predicted = cases.labels, _finite_predictions(predictions)
    names = tuple(classes or ())
    if len(names) != 2:
        threshold = None
    elif threshold is None:
        threshold = 0.5
    outcome = _outcome(names, threshold, labels, predicted)
    return {
        "schema_version": RUN_SCHEMA_VERSION,
        "split": split,
        "source": {"digest": cases.digest, **source},
        "task": task,
        "classes": list(names) or None,
        "positive_class": names[1] if len(names) == 2 else None,
        "threshold": threshold,
        "num_cases": len(labels),
        "num_patients": None if cases.patients is None else len(np.unique(cases.patients)),
        "class_counts": {name: int((labels == k).sum()) for k, name in enumerate(names)} or None,
        "flow": [dict(step) for step in flow],
        "missing": dict(missing),
        **_measurements(outcome, names, cases, seed),
        "subgroups": subgroup_metrics(
            cases.subgroups,
            labels,
            len(names) or None,
            lambda inside: _outcome(names, threshold, labels[inside], predicted[inside]),
            cases.patients,
        ),
        "failures": failures(outcome, names, case_places(cases)),
        "warnings": [dict(given) for given in warnings] + _own_warnings(outcome, cases, split),
        "predictions": predictions_file,
        "software": software_versions(),
    }


def write_evaluation(file: Path, result: dict[str, Any], cases: Cases, predictions: npt.ArrayLike) -> None:
    """Write the predictions beside `file`, then the result there, each atomically: where the result stands,
    its predictions do too."""
    content = _table_csv(predictions_table(result, cases, predictions))
    write_atomically(file.parent / result["predictions"], lambda target: target.write(content))
    write_json(file, result)


def _finite_predictions(predictions: npt.ArrayLike) -> npt.NDArray[np.float64]:
    predicted = np.asarray(predictions, dtype=np.float64)
    undefined = int((~np.isfinite(predicted.reshape(len(predicted), -1))).any(axis=1).sum())
    if undefined:
        message = f"the network predicts NaN or infinity for {undefined} of {len(predicted)} cases"
        raise TrainerError("TRAINER_FAILED", message)
    return predicted


def _measurements(outcome: Measured, names: tuple[str, ...], cases: Cases, seed: int) -> dict[str, Any]:
    """Numbers and figures over all cases."""
    values, notes = estimate(outcome)
    bounds = intervals(outcome, values, notes, cases.patients, seed=seed)
    headline = [name for name in values if not name.endswith("]")]
    return {
        "metrics": {name: values[name] for name in headline},
        "notes": {name: reason for name, reason in notes.items() if name in headline},
        "intervals": {name: bounds[name] for name in headline},
        "per_class": _per_class(outcome, values, bounds) if isinstance(outcome, MulticlassOutcome) else None,
        "confusion_matrix": confusion_matrix(outcome, len(names)),
        **curves(outcome, names),
        "calibration": calibration(outcome, values),
        "regression": scatter(outcome, values),
    }


def _outcome(
    classes: tuple[str, ...],
    threshold: float | None,
    labels: npt.NDArray[Any],
    predictions: npt.NDArray[np.float64],
) -> Measured:
    if not classes:
        return RegressionOutcome(labels, predictions)
    if threshold is not None:
        return BinaryOutcome(labels, predictions[:, 1], threshold)
    return MulticlassOutcome(labels, predictions, classes)


def _per_class(
    outcome: MulticlassOutcome, values: Metrics, bounds: dict[str, Interval]
) -> list[dict[str, Any]]:
    """One class against the rest. The reason of an undefined value stands in its interval."""
    return [
        {
            "name": name,
            "cases": int((outcome.labels == k).sum()),
            "metrics": {metric: values[of_class(metric, k)] for metric in PER_CLASS},
            "intervals": {metric: bounds[of_class(metric, k)] for metric in PER_CLASS},
        }
        for k, name in enumerate(outcome.classes)
    ]


def predictions_table(
    result: Mapping[str, Any], cases: Cases, predictions: npt.ArrayLike
) -> dict[str, list[Any]]:
    """Column → N cells: file, row (line in it), split, patient, truth, predicted; of classes also correct
    (true or false), and one probability per class, in full precision. Texts are empty where unknown."""
    if cases.labels is None:
        raise ValueError("an evaluation has labels")
    predicted = np.asarray(predictions, dtype=np.float64)
    truth = cases.labels.tolist()
    places = case_places(cases)
    known: dict[str, list[Any]] = {
        "file": [file for file, _ in places],
        "row": [line for _, line in places],
        "split": [result["split"]] * len(places),
        "patient": list(cases.patient_ids or [""] * len(places)),
    }
    classes: list[str] | None = result["classes"]
    if classes is None:
        return {**known, "truth": truth, "predicted": predicted.tolist()}
    threshold: float | None = result["threshold"]
    called = predicted.argmax(axis=1) if threshold is None else (predicted[:, 1] >= threshold).astype(int)
    return {
        **known,
        "truth": [classes[k] for k in truth],
        "predicted": [classes[k] for k in called.tolist()],
        "correct": ["true" if right else "false" for right in (called == cases.labels).tolist()],
        **{f"probability_{name}": predicted[:, k].tolist() for k, name in enumerate(classes)},
    }


def case_places(cases: Cases) -> Sequence[tuple[str, int]]:
    """(file, line in it) of each case; "" where it comes from no file."""
    return cases.places or [("", line) for line in cases.rows.tolist()]


def _table_csv(table: Mapping[str, Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return text.getvalue().encode("utf-8")


def _own_warnings(outcome: Outcome, cases: Cases, split: str) -> list[dict[str, str]]:
    found = []
    if cases.patients is None:
        message = "Without a patient column each row counts as a patient: intervals are too narrow if not so."
        found.append(warning("PATIENTS_UNKNOWN", message))
    patients = None if cases.patients is None else len(np.unique(cases.patients))
    if patients is not None and patients < FEW_PATIENTS:
        message = f"The {len(cases.rows)} cases come from {patients} patients: that is few."
        found.append(warning("FEW_PATIENTS", message))
    if split_name(split) == "val":
        chosen = "epoch and threshold were" if isinstance(outcome, BinaryOutcome) else "epoch was"
        message = f"The {chosen} chosen on validation: this split looks better than new patients will."
        found.append(warning("CHOSEN_ON_THIS_SPLIT", message))
    return found
