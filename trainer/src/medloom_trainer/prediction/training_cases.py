"""Cases of a request that trained or validated the model, whose predictions show nothing about new ones."""

from __future__ import annotations

from typing import Any

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.data.each_case import EachCase
from medloom_trainer.data.splits import SeenCases, digest_keys, keys_of_cases
from medloom_trainer.evaluation.evaluate import cases_in_training
from medloom_trainer.warnings import Warnings, warning


def seen_in_training(prepared: EachCase, patient: str | None, seen: SeenCases | None) -> Warnings:
    """A warning if patients or images of these cases trained or validated the model, or if this is unknown.
    patient: column of the cases. seen: of the model; None if unknown."""
    if seen is None:
        return [warning("LEAK_CHECK_INCOMPLETE", phrase("no_record_of_evaluated"))]
    images = None if prepared.views is None else prepared.views.pixels
    keys = digest_keys(keys_of_cases(prepared.table, images, patient))
    found = cases_in_training(seen.known, keys)
    return [] if found is None else [not_new(found)]


def not_new(found: Phrased) -> dict[str, Any]:
    message = join(found, phrase("predictions_of_known"), mark="space")
    return warning("PREDICTED_TRAINING_CASES", message)
