"""The baselines of a run on any cases: what an evaluation of its model compares with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.baselines.saved import (
    predict_ablation,
    read_baseline,
    read_table_baseline,
    saved_baselines,
)
from medloom_trainer.baselines.titles import ABLATIONS, title_of
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.comparison import BaselinePrediction
from medloom_trainer.warnings import Warnings, warning


def predict_baselines(
    run_dir: Path,
    state: Mapping[str, Any],
    cases: Cases,
    store: ImageStore | None,
    *,
    device: str = "cpu",
) -> tuple[list[BaselinePrediction], Warnings]:
    """What the baselines of the run predict for cases that were prepared as the checkpoint says. state: of a
    checkpoint of that run. A baseline that cannot be used becomes a warning: the model is evaluated without
    it.
    """
    directory = RunDirectory(run_dir)
    found: list[BaselinePrediction] = []
    warnings: Warnings = []
    for name in saved_baselines(directory):
        try:
            one = _predicted(directory, name, state, cases, store, device)
            if not np.isfinite(one.predictions).all():
                raise TrainerError("TRAINER_FAILED", "it predicts NaN or infinity")
            found.append(one)
        except TrainerError as error:
            warnings.append(unavailable(name, state["task"], error.message))
    return found, warnings


def unavailable(name: str, task: Any, reason: str) -> dict[str, str]:
    return warning("BASELINE_UNAVAILABLE", f"Not compared with {title_of(name, task)} ({name}): {reason}.")


def _predicted(
    directory: RunDirectory,
    name: str,
    state: Mapping[str, Any],
    cases: Cases,
    store: ImageStore | None,
    device: str,
) -> BaselinePrediction:
    document = read_baseline(directory, name, state["data_digests"]["train"])
    title = title_of(name, state["task"])
    if name not in ABLATIONS:
        fitted = read_table_baseline(document)
        return BaselinePrediction(name, title, fitted.settings, fitted.threshold, fitted.predict(cases))
    size = state["config"]["training"]["batch_size"]
    predictions, threshold = predict_ablation(
        directory, document, cases, store, device=device, batch_size=size
    )
    return BaselinePrediction(name, title, document["settings"], threshold, predictions)
