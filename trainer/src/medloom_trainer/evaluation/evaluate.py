"""The task `evaluate`: a checkpoint and a table → evaluation.json and predictions.csv."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.baselines.predict import predict_baselines
from medloom_trainer.baselines.prediction import BaselinePrediction
from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.contract.run_directory import file_name
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.splits import read_known_cases, read_seen_cases, store_version_of
from medloom_trainer.data.tables import split_name
from medloom_trainer.data.types import HELD_OUT, CaseKeys, Cases, ImageStore, InferenceData
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.disagreement import add_disagreement
from medloom_trainer.evaluation.failure_images import Looked, failure_images
from medloom_trainer.evaluation.importance import explain
from medloom_trainer.evaluation.recalibration import recalibration
from medloom_trainer.evaluation.result import evaluation_result, table_csv, write_evaluation
from medloom_trainer.evaluation.saliency import Saliency, saliency_of
from medloom_trainer.evaluation.shift import input_shift, shift_warnings
from medloom_trainer.files import write_atomically, write_json
from medloom_trainer.folder_map import local
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.inference.devices import read_device
from medloom_trainer.inference.predict import predict_with_members
from medloom_trainer.metrics.outcome import Outcome
from medloom_trainer.outcomes import OutcomeKind, kind_of
from medloom_trainer.warnings import Warnings, warning

_RESULT_FILE = file_name("evaluation_result")
_IMAGES_FILE = file_name("failure_images")
_ABLATION_FILE = file_name("ablation")
_DEVICE = re.compile(r"auto|cpu(:[1-9]\d?)?|mps|cuda(:\d{1,2}(,\d{1,2})*)?")


def evaluate(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `evaluate`; the caller has checked params.

    Preprocessing, normalization and threshold are those of the checkpoint: nothing is fitted to the table.
    """
    progress(phrase("reading_checkpoint"), 0.0)
    folder, roots = Path(params["checkpoint"]), [Path(root) for root in params["roots"]]
    # Check again: a link may have replaced what the service checked.
    refuse_links_out(folder, [*roots, Path(params["data_dir"])])
    checkpoint = load_checkpoint(folder)
    csv = Path(params["csv"])
    measured = measure(
        checkpoint,
        csv,
        image_root=None if params["image_root"] is None else Path(params["image_root"]),
        split=params["split"],
        roots=roots,
        cache_dir=Path(params["cache_dir"]),
        device=prediction_device(params["device"]),
        calibrated=params["calibrated"],
        source={"csv": params["csv"], "checkpoint": params["checkpoint"]},
        check=lambda cases: seen_in_training(checkpoint, cases, csv, params["split"]),
        progress=progress,
    )
    out_dir = Path(params["out_dir"])
    if params["failure_images"]:
        looked = _looked(checkpoint, measured) if params["saliency"] else None
        images = failure_images(measured.result["failures"], measured.cases, measured.store, looked)
        write_json(out_dir / _IMAGES_FILE, images)
    if params["importance"] is not None:
        _add_importance(checkpoint, measured, params, out_dir, progress)
    write_evaluation(
        out_dir / _RESULT_FILE,
        measured.result,
        measured.kind,
        measured.cases,
        measured.predictions,
        measured.baselines,
        measured.columns,
    )
    return measured.result


def _add_importance(
    checkpoint: Checkpoint,
    measured: Measured,
    params: Mapping[str, Any],
    out_dir: Path,
    progress: Callable[[str, float], None],
) -> None:
    """Add the importance to the result, and a table of single cases if images or the table can be left
    out."""
    explained = explain(
        checkpoint,
        measured.cases,
        measured.store,
        measured.result,
        repeats=params["importance"]["repeats"],
        device=prediction_device(params["device"]),
        progress=lambda message, fraction: progress(message, 0.95 + 0.05 * fraction),
    )
    measured.result["importance"] = explained.result
    if explained.table is not None:
        explained.result["predictions"] = _ABLATION_FILE
        content = table_csv(explained.table)
        write_atomically(out_dir / _ABLATION_FILE, lambda target: target.write(content))


def _looked(checkpoint: Checkpoint, measured: Measured) -> Looked:
    """Return a function that computes the saliency map for the prediction of a case."""
    network, targets = checkpoint.build_network(), measured.kind.targets_of_mistakes()

    def saliency(case: int, failure: Mapping[str, Any]) -> Saliency | None:
        output, sign = targets.get(failure["predicted"], (0, 1))
        return saliency_of(
            network,
            measured.cases,
            case,
            measured.store,
            output=output,
            sign=sign,
            image_normalization=checkpoint.state["image_normalization"],
        )

    return saliency


@dataclass(frozen=True)
class Measured:
    """An evaluation that has not been written yet."""

    result: dict[str, Any]
    kind: OutcomeKind
    cases: Cases
    predictions: npt.NDArray[np.float64]
    store: ImageStore | None
    """Images of the cases."""
    baselines: Sequence[BaselinePrediction] = ()
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Additional columns of the table of predictions, with the disagreement of the members of an ensemble."""


def measure(
    checkpoint: Checkpoint,
    csv: Path,
    *,
    image_root: Path | None,
    split: str,
    roots: Sequence[Path],
    cache_dir: Path,
    device: str,
    calibrated: bool = False,
    source: Mapping[str, str],
    check: Callable[[Cases], Sequence[Mapping[str, str]]],
    progress: Callable[[str, float], None],
    whole_table: bool = False,
    **columns: str | None,
) -> Measured:
    """Apply a checkpoint to the rows of a split of a table, or to all rows of a `whole_table`. calibrated:
    with the temperature of the checkpoint; source: csv and checkpoint as the result names them; check:
    warnings about these cases; columns: label_column, patient_column if this table has other names for
    them.
    """
    state = checkpoint.state
    run = checkpoint.folder.parent.parent
    prepared = prepare_cases(
        {**state["preprocessing"], **columns},
        csv,
        image_root=image_root,
        split=split,
        roots=roots,
        cache_dir=cache_dir,
        whole_table=whole_table,
        progress=lambda message, fraction: progress(message, 0.05 + 0.75 * fraction),
        store_version=store_version_of(read_seen_cases(run)),
    )
    progress(phrase("predicting"), 0.8)
    predictions, members = _predict(checkpoint, prepared, device)
    baselines, unusable = predict_baselines(run, state, prepared.cases, prepared.store, device=device)
    progress(phrase("measuring"), 0.95)
    kind = kind_of(state)
    result = evaluation_result(
        kind=kind,
        threshold=state["threshold"],
        cases=prepared.cases,
        predictions=predictions,
        split=split,
        source={**source, "checkpoint_digest": checkpoint.digest},
        flow=prepared.flow,
        missing=prepared.missing,
        warnings=[*prepared.warnings, *check(prepared.cases), *unusable],
        baselines=baselines,
        seed=_seed(state),
        fitted=state.get("fitted_on_validation"),
        calibrated=calibrated,
    )
    labels = np.asarray(prepared.cases.labels)
    result |= _elsewhere(state, prepared, kind.measured(labels, predictions, kind.threshold_of(result)))
    result["warnings"] += shift_warnings(result["shift"])
    columns_of_members = add_disagreement(result, kind, members, prepared.cases, predictions, _seed(state))
    return Measured(result, kind, prepared.cases, predictions, prepared.store, baselines, columns_of_members)


def _seed(state: Mapping[str, Any]) -> int:
    return int(state["config"]["training"]["seed"])


def _predict(
    checkpoint: Checkpoint, prepared: InferenceData, device: str
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64] | None]:
    return predict_with_members(
        checkpoint.build_network(),
        prepared.cases,
        prepared.store,
        checkpoint_state=checkpoint.state,
        device=device,
        batch_size=checkpoint.state["config"]["training"]["batch_size"],
    )


def _elsewhere(state: Mapping[str, Any], prepared: InferenceData, outcome: Outcome) -> dict[str, Any]:
    """Results for cases that are not from the training: shift and recalibration."""
    cases = prepared.cases
    return {
        "shift": input_shift(state["preprocessing"], prepared),
        "recalibration": recalibration(outcome, cases.patients),
    }


def prediction_device(text: str) -> str:
    """Return the device for predictions; the first of several. DEVICE_UNAVAILABLE if it does not exist."""
    if not _DEVICE.fullmatch(text):
        raise TrainerError("DEVICE_UNAVAILABLE", phrase("device_not_valid", device=text[:40]))
    request = read_device(text)
    return f"cuda:{request.processes[0]}" if request.kind == "cuda" else request.kind


def seen_in_training(checkpoint: Checkpoint, cases: Cases, csv: Path, split: str) -> Warnings:
    """Return a warning if some or all of these cases took part in the training, or if that is unknown."""
    return trained_on_table(checkpoint.state, cases.digest, csv, split) or _trained_on_cases(
        checkpoint, cases.keys
    )


def trained_on_table(state: Mapping[str, Any], digest: str, csv: Path, split: str) -> Warnings:
    """Return a warning if these cases, as far as the checkpoint can show, took part in the training.

    They did if they have the digest of its training or validation split, or if they come from its training
    table and no split column separates them. digest: of the cases.
    """
    trainings = state.get("ensemble", {}).get("members", [state])
    for name, known in (
        (name, one) for training in trainings for name, one in training.get("data_digests", {}).items()
    ):
        if known == digest and name not in ("test", HELD_OUT):
            return [_not_new(phrase("split_of_training", split=name))]
    separated = state["preprocessing"]["split_column"] is not None and split_name(split) == "test"
    tables = [
        (key, training["config"]["data"][key]) for training in trainings for key in ("train_csv", "val_csv")
    ]
    for key, table in tables:
        if table is not None and not separated and _same_file(Path(table), csv):
            return [_not_new(phrase("table_of_training", key=key))]
    return []


def _trained_on_cases(checkpoint: Checkpoint, keys: CaseKeys) -> Warnings:
    """Return a warning if patients or images of these cases trained or validated the model, whatever the
    names of the tables; another one if that cannot be determined.
    """
    known = read_known_cases(checkpoint.folder.parent.parent)
    if known is None:
        return [warning("LEAK_CHECK_INCOMPLETE", phrase("no_record_of_evaluated"))]
    found = cases_in_training(known, keys)
    return [] if found is None else [_not_new(found)]


def cases_in_training(known: CaseKeys, keys: CaseKeys) -> Phrased | None:
    """The number of patients and images that trained or validated a model; None if there are none."""
    patients = int(np.intersect1d(known.patients, keys.patients).size)
    images = int(np.intersect1d(known.images, keys.images).size)
    counts = [
        *([phrase("patients_counted", count=patients)] if patients else []),
        *([phrase("images_counted", count=images)] if images else []),
    ]
    if not counts:
        return None
    found = counts[0] if len(counts) == 1 else phrase("list_and", first=counts[0], last=counts[1])
    return phrase("cases_in_training", found=found, count=patients + images)


def _same_file(first: Path, second: Path) -> bool:
    try:
        return os.path.samefile(local(first), local(second))
    except OSError:
        return False


def _not_new(message: Phrased) -> dict[str, Any]:
    text = join(message, phrase("no_new_patients"), mark="space")
    return warning("EVALUATED_ON_TRAINING_DATA", text)
