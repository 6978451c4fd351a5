"""The task `evaluate`: a checkpoint and a table → evaluation.json and predictions.csv."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from medloom_trainer.contract.run_directory import file_name
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.splits import read_known_cases
from medloom_trainer.data.tables import split_name
from medloom_trainer.data.types import CaseKeys, Cases, ImageStore
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.failure_images import failure_images
from medloom_trainer.evaluation.predict import predict
from medloom_trainer.evaluation.result import evaluation_result, write_evaluation
from medloom_trainer.files import write_json
from medloom_trainer.training.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.training.checkpoint_files import refuse_links_out
from medloom_trainer.training.distributed.devices import read_device
from medloom_trainer.warnings import warning

_RESULT_FILE = file_name("evaluation_result")
_IMAGES_FILE = file_name("failure_images")
_DEVICE = re.compile(r"auto|cpu(:[1-9]\d?)?|mps|cuda(:\d{1,2}(,\d{1,2})*)?")


def evaluate(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """The result that contracts declare for `evaluate`; params are checked by the caller.

    Preprocessing, normalization and threshold are those of the checkpoint: nothing is fitted to the table.
    """
    progress("reading the checkpoint", 0.0)
    folder, roots = Path(params["checkpoint"]), [Path(root) for root in params["roots"]]
    # Again: what the service has checked may have been replaced by a link since.
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
        source={"csv": params["csv"], "checkpoint": params["checkpoint"]},
        check=lambda cases: (
            trained_on_table(checkpoint.state, cases.digest, csv, params["split"])
            or _trained_on_cases(checkpoint, cases.keys)
        ),
        progress=progress,
    )
    out_dir = Path(params["out_dir"])
    if params["failure_images"]:
        images = failure_images(measured.result["failures"], measured.cases, measured.store)
        write_json(out_dir / _IMAGES_FILE, images)
    write_evaluation(out_dir / _RESULT_FILE, measured.result, measured.cases, measured.predictions)
    return measured.result


@dataclass(frozen=True)
class Measured:
    """An evaluation that is not written yet."""

    result: dict[str, Any]
    cases: Cases
    predictions: npt.NDArray[np.float64]
    store: ImageStore | None
    """Of the images of the cases."""


def measure(
    checkpoint: Checkpoint,
    csv: Path,
    *,
    image_root: Path | None,
    split: str,
    roots: Sequence[Path],
    cache_dir: Path,
    device: str,
    source: Mapping[str, str],
    check: Callable[[Cases], Sequence[Mapping[str, str]]],
    progress: Callable[[str, float], None],
    whole_table: bool = False,
    **columns: str | None,
) -> Measured:
    """Apply a checkpoint to the rows of a split of a table, or to all of a `whole_table`. source: csv and
    checkpoint as the result names them; check: warnings about these cases; columns: label_column,
    patient_column where this table names them otherwise.
    """
    state = checkpoint.state
    prepared = prepare_cases(
        {**state["preprocessing"], **columns},
        csv,
        image_root=image_root,
        split=split,
        roots=roots,
        cache_dir=cache_dir,
        whole_table=whole_table,
        progress=lambda message, fraction: progress(message, 0.05 + 0.75 * fraction),
    )
    progress("predicting", 0.8)
    predictions = predict(
        checkpoint.build_network(),
        prepared.cases,
        prepared.store,
        checkpoint_state=state,
        device=device,
        batch_size=state["config"]["training"]["batch_size"],
    )
    progress("measuring", 0.95)
    result = evaluation_result(
        task=state["task"],
        classes=state["classes"],
        threshold=state["threshold"],
        cases=prepared.cases,
        predictions=predictions,
        split=split,
        source={**source, "checkpoint_digest": checkpoint.digest},
        flow=prepared.flow,
        missing=prepared.missing,
        warnings=[*prepared.warnings, *check(prepared.cases)],
        seed=state["config"]["training"]["seed"],
    )
    return Measured(result, prepared.cases, predictions, prepared.store)


def prediction_device(text: str) -> str:
    """The device to predict on; of several the first. DEVICE_UNAVAILABLE when it is not there."""
    if not _DEVICE.fullmatch(text):
        raise TrainerError("DEVICE_UNAVAILABLE", f'"{text[:40]}" is not the name of a device')
    request = read_device(text)
    return f"cuda:{request.processes[0]}" if request.kind == "cuda" else request.kind


def trained_on_table(state: Mapping[str, Any], digest: str, csv: Path, split: str) -> list[dict[str, str]]:
    """A warning when these cases, as far as the checkpoint can know, took part in the training.

    That is so when they have the digest of its training or validation split, or come from its training
    table and no split column separates them. digest: of the cases.
    """
    for name, known in state.get("data_digests", {}).items():
        if known == digest and name != "test":
            return [_not_new(f"These cases are the {name} split that this model was trained with.")]
    data = state["config"]["data"]
    separated = state["preprocessing"]["split_column"] is not None and split_name(split) == "test"
    for name in ("train", "val"):
        if data[f"{name}_csv"] is not None and not separated and _same_file(Path(data[f"{name}_csv"]), csv):
            return [_not_new(f"This table is the {name}_csv that this model was trained with.")]
    return []


def _trained_on_cases(checkpoint: Checkpoint, keys: CaseKeys) -> list[dict[str, str]]:
    """A warning when patients or images of these cases trained or validated the model, whatever the tables
    are called; another when that cannot be known.
    """
    known = read_known_cases(checkpoint.folder.parent.parent)
    if known is None:
        message = (
            "Which patients and images this model was trained with is not recorded beside its checkpoint: "
            "whether these cases were among them is not known."
        )
        return [warning("LEAK_CHECK_INCOMPLETE", message)]
    common = {
        "patient": np.intersect1d(known.patients, keys.patients).size,
        "image": np.intersect1d(known.images, keys.images).size,
    }
    counts = [f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in common.items() if count]
    if not counts:
        return []
    verb = "was" if sum(common.values()) == 1 else "were"
    return [
        _not_new(
            f"{' and '.join(counts)} of these cases {verb} in the training or validation data of this model."
        )
    ]


def _same_file(first: Path, second: Path) -> bool:
    try:
        return os.path.samefile(first, second)
    except OSError:
        return False


def _not_new(message: str) -> dict[str, str]:
    text = f"{message} The metrics do not say how it does on new patients."
    return warning("EVALUATED_ON_TRAINING_DATA", text)
