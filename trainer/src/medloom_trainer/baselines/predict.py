"""Predictions of the baselines of a run for any cases. An evaluation compares its model with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.baselines.prediction import BaselinePrediction
from medloom_trainer.baselines.storage import (
    learned_splits,
    out_of_fold,
    predict_ablation,
    read_ablation,
    read_baseline,
    read_table_baseline,
    saved_baselines,
)
from medloom_trainer.baselines.titles import ABLATIONS, title_of
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.errors import TrainerError
from medloom_trainer.warnings import Warnings, warning


def predict_baselines(
    run_dir: Path,
    state: Mapping[str, Any],
    cases: Cases,
    store: ImageStore | None,
    *,
    device: str = "cpu",
    validation: bool = False,
) -> tuple[list[BaselinePrediction], Warnings]:
    """Predict, with each baseline of the run, cases that were prepared as the checkpoint requires.

    state: from a checkpoint of that run. validation: the cases are the validation cases of the training. A
    baseline that learned from them then returns, for each case, the prediction of a fit without the fold of
    that case. A baseline that cannot be used becomes a warning, and the model is evaluated without it.
    """
    directory = RunDirectory(run_dir)
    found: list[BaselinePrediction] = []
    warnings: Warnings = []
    for name in saved_baselines(directory):
        try:
            one = _predicted(directory, name, state, cases, store, device, validation=validation)
            if not np.isfinite(one.predictions).all():
                raise TrainerError("TRAINER_FAILED", phrase("predicted_nan"))
            found.append(one)
        except TrainerError as error:
            warnings.append(unavailable(name, state["task"], error.message))
    return found, warnings


def unavailable(name: str, task: Any, reason: str) -> dict[str, Any]:
    """Return the warning about a baseline without predictions. reason: a clause without a period."""
    message = phrase("baseline_unavailable", baseline=title_of(name, task), name=name, reason=reason)
    return warning("BASELINE_UNAVAILABLE", message)


def _predicted(
    directory: RunDirectory,
    name: str,
    state: Mapping[str, Any],
    cases: Cases,
    store: ImageStore | None,
    device: str,
    *,
    validation: bool,
) -> BaselinePrediction:
    document = read_baseline(directory, name, state["data_digests"])
    known = partial(
        BaselinePrediction,
        name,
        title_of(name, state["task"]),
        document["settings"],
        fitted_on=_fitted_on(document, state),
    )
    held = out_of_fold(document, len(cases.rows)) if validation else None
    if name not in ABLATIONS:
        fitted = read_table_baseline(document)
        return known(fitted.threshold, fitted.predict(cases) if held is None else held)
    network = read_ablation(directory, document)
    if held is None:
        size = state["config"]["training"]["batch_size"]
        held = predict_ablation(network, name, cases, store, device=device, batch_size=size)
    return known(network.state["threshold"], held)


def _fitted_on(document: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any] | None:
    """Contract FittedOn; None if a file of an older version does not contain it."""
    if "cases" not in document:
        return None
    splits = learned_splits(document)
    of_model = ["train", "val"] if state["config"]["data"]["validation"] == "folds" else ["train"]
    same = splits == of_model and state.get("fine_tuned_from") is None
    return {"splits": splits, "cases": document["cases"], "same_as_model": same}
