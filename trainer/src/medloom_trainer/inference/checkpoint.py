"""Checkpoints: a folder whose manifest is replaced atomically and names its files by their digest.

    checkpoints/<name>/checkpoint.json                  manifest: file, sha256 and size of each part
                       model.<digest>.safetensors       weights and buffers of the network
                       state.<digest>.json              everything else that evaluation needs, on any machine
                       optimizer.<digest>.safetensors   moments, random numbers, the running epoch: all other
                                                        values that a continued training needs

No part is a pickle. Until the new manifest is in place, the old one and its files remain complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION, completed
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.events import finite
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.inference.checkpoint_files import (
    add_part,
    digest_of,
    link_part,
    publish,
    read_manifest,
    writing,
)
from medloom_trainer.inference.stored_network import network_of
from medloom_trainer.model.combined import CombinedNetwork
from medloom_trainer.model.ensemble import EnsembleNetwork
from medloom_trainer.model.network import MultimodalNetwork


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint whose digests were verified."""

    folder: Path
    manifest: dict[str, Any]
    state: dict[str, Any]
    """config (with the default of every key that it does not contain yet), task, classes, preprocessing,
    layout, image_normalization, label_normalization, num_views, num_outputs, threshold, fitted_on_validation
    (None or absent in those of older versions), last_epoch (older versions: history of all epochs), epoch,
    job_id, fine_tuned_from, and under "resume" the values that a continued training needs. A combination of
    several trained models contains "ensemble", see training/combine.py."""

    @property
    def digest(self) -> str:
        """sha256 over the digests of its parts, which reports cite."""
        parts = sorted((name, part["sha256"]) for name, part in self.manifest["files"].items())
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def tensors(self, part: str) -> dict[str, Tensor]:
        """Tensors of "model" or "optimizer"; CHECKPOINT_CORRUPT if that part does not exist."""
        if part not in self.manifest["files"]:
            raise TrainerError(
                "CHECKPOINT_CORRUPT", phrase("checkpoint_lacks_part", checkpoint=self.folder.name, part=part)
            )
        try:
            return load_file(self.folder / self.manifest["files"][part]["file"])
        except (SafetensorError, OSError) as error:
            raise TrainerError(
                "CHECKPOINT_CORRUPT", phrase("part_not_readable", part=part, checkpoint=self.folder.name)
            ) from error

    def build_network(self) -> MultimodalNetwork | EnsembleNetwork | CombinedNetwork:
        """The trained network, in evaluation mode, on the CPU."""
        network = network_of(self.state)
        try:
            network.load_state_dict(self.tensors("model"))
        except RuntimeError as error:
            raise TrainerError(
                "CHECKPOINT_CORRUPT",
                phrase("weights_not_of_configuration", checkpoint=self.folder.name),
            ) from error
        return network.eval()


class Snapshot(dict[str, Tensor]):
    """Dense tensors on the CPU, each with separate memory, which nothing else changes."""


def snapshot(tensors: Mapping[str, Tensor]) -> Snapshot:
    """A copy, as safetensors requires it; a snapshot is returned unchanged."""
    if isinstance(tensors, Snapshot):
        return tensors
    return Snapshot(
        (name, torch.empty(tensor.shape, dtype=tensor.dtype).copy_(tensor.detach()))
        for name, tensor in tensors.items()
    )


def save_checkpoint(
    folder: Path,
    *,
    job_id: str,
    epoch: int,
    metrics: Mapping[str, float | None],
    state: dict[str, Any],
    tensors: Mapping[str, Mapping[str, Tensor]],
    fence: AttemptFence | None = None,
    fine_tuned_from: Mapping[str, Any] | None = None,
) -> None:
    """Write or replace the checkpoint in `folder`. tensors: part ("model", "optimizer") → name → tensor.
    fence: of the attempt that writes; None outside of a job. fine_tuned_from: contract FineTunedFrom.

    DISK_FULL if there is no room, WORKER_LOST if a newer attempt of the job writes here; the previous
    checkpoint remains complete.
    """
    with writing(folder, fence):
        files = {
            part: add_part(folder, part, ".safetensors", _saver(named)) for part, named in tensors.items()
        }
        text = json.dumps(state, ensure_ascii=False, allow_nan=False)
        files["state"] = add_part(
            folder, "state", ".json", lambda path: Path(path).write_text(text, encoding="utf-8")
        )
        manifest = {
            "schema_version": RUN_SCHEMA_VERSION,
            "job_id": job_id,
            **_written_by(fence),
            "epoch": epoch,
            "created_at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "metrics": finite(metrics),
            **({} if fine_tuned_from is None else {"fine_tuned_from": dict(fine_tuned_from)}),
            "files": files,
        }
        publish(folder, manifest, fence)


def share_checkpoint(
    source: Path,
    target: Path,
    *,
    fence: AttemptFence | None = None,
    job_id: str | None = None,
) -> None:
    """Make `target` the same checkpoint as `source`. Files are linked if the disk supports it. job_id: of the
    job of `target`; None if it is the job of `source`. Errors as in `save_checkpoint`.
    """
    manifest = read_manifest(source)
    files = manifest["files"]
    with writing(target, fence):
        for facts in files.values():
            if not (target / facts["file"]).exists():
                link_part(source / facts["file"], target / facts["file"])
        owner = {} if job_id is None else {"job_id": job_id}
        publish(target, {**manifest, **owner, **_written_by(fence)}, fence)


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read and verify a checkpoint: CHECKPOINT_NOT_FOUND, or CHECKPOINT_CORRUPT if a file is missing or its
    digest differs.
    """
    manifest = read_manifest(folder)
    for part, facts in manifest["files"].items():
        path = folder / facts["file"]
        if path.parent != folder or not path.is_file() or digest_of(path) != facts["sha256"]:
            raise TrainerError(
                "CHECKPOINT_CORRUPT", phrase("part_damaged_or_missing", part=part, checkpoint=folder.name)
            )
    try:
        state = json.loads((folder / manifest["files"]["state"]["file"]).read_text(encoding="utf-8"))
        for described in (state, *state.get("ensemble", {}).get("members", [])):
            described["config"] = completed(described["config"])
    except (KeyError, ValueError) as error:
        raise TrainerError(
            "CHECKPOINT_CORRUPT", phrase("no_readable_state", checkpoint=folder.name)
        ) from error
    return Checkpoint(folder, manifest, state)


def _written_by(fence: AttemptFence | None) -> dict[str, int]:
    return {} if fence is None else {"attempt": fence.attempt}


def _saver(tensors: Mapping[str, Tensor]) -> Callable[[str], object]:
    return lambda path: save_file(snapshot(tensors), path)
