"""Evaluation by patient, in addition to that by row, if patients have several rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.evaluation.postprocessing import Postprocessing
from medloom_trainer.metrics.patients import (
    Aggregation,
    LabelRule,
    aggregate,
    labels_agree,
    of_patients,
)
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.outcomes.kind import Labels, OutcomeKind


def patient_level(
    applied: Postprocessing, labels: Labels, patients: npt.NDArray[np.int64] | None, seed: int
) -> dict[str, Any]:
    """Return field `patient_level` of the result. patients (N,), None without a patient column."""
    if patients is None:
        return _none(phrase("no_patient_column"))
    clusters = Clusters.from_patients(patients, len(labels))
    if clusters.one_row_each:
        return _none(phrase("one_row_per_patient"))
    kind = applied.kind
    if not kind.patient_metrics:
        return _none(phrase("rows_cannot_be_combined"))
    rule = _label_rule(kind)
    ways: list[Aggregation] = ["mean"] if kind.positive_class is None else ["mean", "max"]
    found = {
        how: of_patients(
            aggregate(how, rule, labels, applied.predictions, clusters),
            lambda truth, predictions: kind.measured(truth, predictions, applied.threshold),
            kind.patient_metrics,
            seed,
        )
        for how in ways
    }
    return {
        "reason": None,
        "patients": clusters.count,
        "with_several_rows": int((clusters.sums(np.ones(len(labels))) > 1).sum()),
        "disagreeing": int((~labels_agree(labels, clusters)).sum()),
        "aggregations": [{"name": name, "label": rule, **one} for name, one in found.items()],
    }


def _label_rule(kind: OutcomeKind) -> LabelRule:
    """Rule that determines the single label of a patient."""
    if kind.is_number:
        return "mean"
    return "majority" if kind.positive_class is None else "any"


def _none(reason: str) -> dict[str, Any]:
    nothing = dict.fromkeys(("patients", "with_several_rows", "disagreeing"))
    return with_phrases({"reason": reason, **nothing, "aggregations": []})
