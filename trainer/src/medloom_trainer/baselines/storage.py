"""Baselines in a run directory: `baselines/<name>/model.json`, plain JSON with a version and a digest.

The file of an ablation names the digest of its network in the same folder (`checkpoints/best`), and exists
once its training is complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from medloom_trainer.baselines.design import FloatArray
from medloom_trainer.baselines.inputs import reduced_cases
from medloom_trainer.baselines.table import TableBaseline
from medloom_trainer.baselines.titles import ABLATIONS, TABLE_BASELINES
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.data.types import Cases, ImageStore
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.files import json_bytes, write_atomically
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.inference.predict import predict
from medloom_trainer.regular_files import NotRegularError, read_regular

FORMAT, VERSION = "medloom-baseline", 1


def save_baseline(
    fence: AttemptFence, name: str, digests: Mapping[str, str], content: dict[str, Any]
) -> None:
    """Write the file of a baseline atomically. digests: the digest of each split that it was fitted on, by
    name.

    DISK_FULL; WORKER_LOST when a newer attempt of the job has begun.
    """
    document = {
        "format": FORMAT,
        "version": VERSION,
        "attempt": fence.attempt,
        "name": name,
        **{f"{split}_digest": digest for split, digest in digests.items()},
        **content,
    }
    file = fence.directory.baseline_model(name)
    with fence.exclusive():
        fence.check(file)
        # Forests contain many numbers, so the file has no indentation.
        text = json.dumps({**document, "sha256": _digest(document)}, allow_nan=False, separators=(",", ":"))
        write_atomically(file, lambda target: target.write(text.encode("utf-8")))


def saved_baselines(directory: RunDirectory) -> list[str]:
    """Names in the order of the contract."""
    return [name for name in (*TABLE_BASELINES, *ABLATIONS) if directory.baseline_model(name).exists()]


def read_baseline(directory: RunDirectory, name: str, digests: Mapping[str, str]) -> dict[str, Any]:
    """Read the document of a baseline that was fitted on the rows of these splits. digests: from the state of
    a checkpoint.

    CHECKPOINT_CORRUPT if the file is damaged or of an unknown version; CHECKPOINT_MISMATCH if it was fitted
    on other rows; PATH_NOT_ALLOWED if it is a link that leads outside the run.
    """
    file = directory.baseline_model(name)
    if not file.resolve().is_relative_to(directory.path.resolve()):
        raise TrainerError(
            "PATH_NOT_ALLOWED",
            phrase("baseline_links_out", baseline=name),
        )
    try:
        document: dict[str, Any] = json.loads(read_regular(file))
        known = document["format"] == FORMAT and document["name"] == name
        sound = known and document.pop("sha256") == _digest(document)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, NotRegularError) as error:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("baseline_unreadable", baseline=name)) from error
    if not known or not sound:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("baseline_damaged", baseline=name))
    if document["version"] != VERSION:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("baseline_version_unknown", baseline=name))
    if any(document[f"{split}_digest"] != digests[split] for split in learned_splits(document)):
        raise TrainerError("CHECKPOINT_MISMATCH", phrase("baseline_of_other_rows", baseline=name))
    return document


def learned_splits(document: Mapping[str, Any]) -> list[str]:
    """The splits whose rows a baseline was fitted on."""
    return ["train", *(["val"] if "val_digest" in document else [])]


def out_of_fold(document: Mapping[str, Any], count: int) -> FloatArray | None:
    """Return the prediction for each of the `count` validation cases that a baseline learned from, by a fit
    without the fold of the case; None if it did not learn from them.

    CHECKPOINT_CORRUPT if the number of stored predictions differs.
    """
    if "val" not in learned_splits(document):
        return None
    try:
        predictions: FloatArray = np.asarray(document["out_of_fold"], dtype=np.float64)
    except (KeyError, ValueError, TypeError):
        predictions = np.zeros(0)
    if len(predictions) != count:
        name = document["name"]
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("baseline_without_predictions", baseline=name))
    return predictions


def read_table_baseline(document: dict[str, Any]) -> TableBaseline:
    """CHECKPOINT_CORRUPT if the document does not contain a valid model."""
    name = document["name"]
    try:
        return TableBaseline.of_json(name, document)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("baseline_without_model", baseline=name)) from error


def read_ablation(directory: RunDirectory, document: Mapping[str, Any]) -> Checkpoint:
    """The network of an ablation. CHECKPOINT_CORRUPT if it is not the one that the document names."""
    name = document["name"]
    folder = RunDirectory(directory.baseline(name)).checkpoint("best")
    refuse_links_out(folder, [directory.path])
    checkpoint = load_checkpoint(folder)
    if checkpoint.digest != document["checkpoint_digest"]:
        raise TrainerError("CHECKPOINT_CORRUPT", phrase("baseline_network_replaced", baseline=name))
    return checkpoint


def predict_ablation(
    checkpoint: Checkpoint,
    name: str,
    cases: Cases,
    store: ImageStore | None,
    *,
    device: str,
    batch_size: int,
) -> FloatArray:
    """Predictions of the network of an ablation."""
    reduced, kept_store = reduced_cases(name, cases, store)
    return predict(
        checkpoint.build_network(),
        reduced,
        kept_store,
        checkpoint_state=checkpoint.state,
        device=device,
        batch_size=batch_size,
    )


def _digest(document: dict[str, Any]) -> str:
    """sha256 of the document as `files` would store it, without the digest itself."""
    return hashlib.sha256(json_bytes(document)).hexdigest()
