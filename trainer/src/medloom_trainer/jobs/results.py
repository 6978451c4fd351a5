"""Predictions of the best checkpoint of a training: for the validation split, and for the held-out fold of a
cross-validation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import HELD_OUT, Cases, PreparedData
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.outcomes import kind_of_data
from medloom_trainer.training.loop import Outcome
from medloom_trainer.warnings import Warnings


def write_results(
    spec: Spec,
    data: PreparedData,
    outcome: Outcome,
    *,
    device: torch.device,
    events: Events,
    warnings: Warnings,
) -> dict[str, Any] | None:
    """Write metrics/validation.json, and for a fold metrics/held-out.json once the training is complete: a
    stopped one may continue and choose another epoch. The results include the baselines of the run; warnings:
    about these. → the verdict on the best baseline on validation. WORKER_LOST if a newer attempt of the job
    has begun
    """
    directory = RunDirectory(spec.run_dir)
    events.doing(phrase("doing_best_epoch"))
    best = load_checkpoint(directory.checkpoint("best"))
    predictions = outcome.best_predictions
    if predictions is None:  # an earlier job, which this one continues, trained that epoch
        predictions = _predict(best, data.val, data, torch.device("cpu"), events)
    verdict = _write(spec, data, best, data.val, predictions, "val", directory.validation, device, warnings)
    if data.held_out is not None and outcome.status == "completed":
        events.doing(phrase("doing_held_out"))
        predictions = _predict(best, data.held_out, data, device, events)
        held_out = directory.held_out
        _write(spec, data, best, data.held_out, predictions, HELD_OUT, held_out, device, warnings)
    return verdict


def describe_images(spec: Spec, data: PreparedData, *, device: torch.device, events: Events) -> None:
    """Store the description of the training images with which predictions compare those of new cases."""
    if data.store is None:
        return
    from medloom_trainer.inference.image_reference import write_image_reference

    events.doing(phrase("doing_images"))
    best = load_checkpoint(RunDirectory(spec.run_dir).checkpoint("best"))
    write_image_reference(spec.run_dir, best, data.train, data.val, data.store, device, events.step)


def _predict(
    best: Checkpoint, cases: Cases, data: PreparedData, device: torch.device, events: Events
) -> npt.NDArray[np.float64]:
    from medloom_trainer.inference.predict import predict

    network = best.build_network()
    return predict(
        network, cases, data.store, checkpoint_state=best.state, device=device, after_batch=events.step
    )


def _write(
    spec: Spec,
    data: PreparedData,
    best: Checkpoint,
    cases: Cases,
    predictions: npt.NDArray[np.float64],
    split: str,
    file: Path,
    device: torch.device,
    warnings: Warnings,
) -> dict[str, Any] | None:
    """Write the result of the best checkpoint on a split, and the predictions of the model and of the
    baselines. → the verdict on the best baseline
    """
    from medloom_trainer.baselines.predict import predict_baselines
    from medloom_trainer.evaluation.comparison import best_verdict
    from medloom_trainer.evaluation.result import evaluation_result, write_evaluation

    directory = RunDirectory(spec.run_dir)
    in_val = split == "val" and spec.config["data"]["fold"] is None
    kind = kind_of_data(data)
    baselines, unusable = predict_baselines(
        spec.run_dir, best.state, cases, data.store, device=str(device), validation=split == "val"
    )
    result = evaluation_result(
        kind=kind,
        threshold=best.state["threshold"],
        cases=cases,
        predictions=predictions,
        split=split,
        source={
            "csv": (spec.config["data"]["val_csv"] if in_val else None) or spec.config["data"]["train_csv"],
            "checkpoint": directory.relative(best.folder),
            "checkpoint_digest": best.digest,
        },
        flow=data.flow,
        missing=data.summary["missing"][split]["columns"],
        warnings=[*data.summary["warnings"], *warnings, *unusable],
        baselines=baselines,
        predictions_file=f"{file.stem}-predictions.csv",
        seed=spec.config["training"]["seed"],
        fitted=best.state.get("fitted_on_validation"),
    )
    fence = AttemptFence(directory, spec.attempt)
    with fence.exclusive():
        fence.check(file)
        learned = {"trained_from": trained_from(data)}
        written = {**result, **_out_of_fold(data, split), **learned, "attempt": spec.attempt}
        write_evaluation(file, written, kind, cases, predictions, baselines)
    return best_verdict(kind, result["baselines"])


def trained_from(data: PreparedData) -> dict[str, Any]:
    """Contract TrainedFrom. Validation rows train the networks of a table that validate on their own folds;
    an additional network of images only learns from training rows.
    """
    both = data.member_folds is not None and data.num_views == 0
    parts = {"train": data.train, "val": data.val} if both else {"train": data.train}
    return {"splits": list(parts), "cases": sum(len(part.rows) for part in parts.values())}


def _out_of_fold(data: PreparedData, split: str) -> dict[str, bool]:
    """Mark validation cases that were predicted by the members of an ensemble that left them out."""
    return {"out_of_fold": True} if split == "val" and data.member_folds is not None else {}
