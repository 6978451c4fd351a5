"""The calibration of a model on the test cases of its development, with which that of a follow-up is
compared."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.evaluation.postprocessing import Postprocessing
from medloom_trainer.follow_up.stream import one_of_each
from medloom_trainer.metrics.arrays import FloatArray
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.calibration import CalibrationLine, logits_of
from medloom_trainer.metrics.temperature import with_temperature


@dataclass(frozen=True)
class DevelopmentLine:
    """Logistic calibration line of the test cases."""

    coefficients: FloatArray
    """(2,) intercept and slope of the logit of the probability."""
    covariance: FloatArray
    """(2, 2)"""


def development_line(files: Mapping[str, str] | None, applied: Postprocessing) -> DevelopmentLine | str:
    """The line, or the reason why there is none. files: result and predictions of the newest evaluation on
    test cases; applied: how the predictions of the follow-up are stated."""
    if applied.kind.positive_class is None:
        return phrase("not_two_classes")
    if files is None:
        return phrase("no_test_evaluation")
    with Path(files["predictions"]).open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    try:
        labels, predictions = applied.kind.read_columns(table)
    except (KeyError, ValueError):
        return phrase("no_test_evaluation")
    given = _as_applied(predictions, json.loads(Path(files["result"]).read_text("utf-8")), applied)
    if any(patients := table.get("patient", [])):
        # As in a window of the follow-up.
        chosen = one_of_each(np.unique(np.asarray(patients), return_inverse=True)[1].astype(np.int64))
        labels, given = labels[chosen], given[chosen]
    return fitted_line(labels, given[:, 1])


def _as_applied(predictions: FloatArray, result: Mapping[str, Any], applied: Postprocessing) -> FloatArray:
    """The predictions with the temperature that those of the follow-up have."""
    temperature = result.get("temperature") or {"applied": False}
    if temperature["applied"] == applied.temperature["applied"] or applied.temperature["value"] is None:
        return predictions
    value = float(applied.temperature["value"])
    return with_temperature(predictions, 1 / value if temperature["applied"] else value)


def fitted_line(labels: npt.NDArray[np.int64], probability: FloatArray) -> DevelopmentLine | str:
    """labels, probability: of independent cases."""
    line = np.asarray(CalibrationLine(labels, probability).coefficients())
    if not np.isfinite(line).all():
        return phrase("no_development_line")
    logits = logits_of(probability)
    fitted = expit(line[0] + line[1] * logits)
    design = np.stack([np.ones(len(logits)), logits], axis=1)
    information = design.T @ (design * (fitted * (1 - fitted))[:, None])
    return DevelopmentLine(line, np.linalg.inv(information))


def line_of_window(outcome: BinaryOutcome, rows: npt.NDArray[np.intp]) -> tuple[Any, FloatArray]:
    """(labels, logits) of these cases."""
    return outcome.labels[rows], logits_of(outcome.probability[rows])
