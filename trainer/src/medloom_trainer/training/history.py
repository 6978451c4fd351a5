"""The metrics of every finished epoch: one line each in metrics/epochs.jsonl.

A line is appended, so an epoch takes the same time whatever its number. Checkpoints do not repeat the
history; a resumed training reads it from the run of its checkpoint.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.files import full_disk_named, make_folder, write_all, write_atomically, write_json
from medloom_trainer.inference.checkpoint import Checkpoint
from medloom_trainer.training.build import TrainingRun

FinishedEpoch = dict[str, Any]
"""{"epoch", "metrics", "notes"}"""


def begin_history(run: TrainingRun) -> None:
    """Replace the file of an earlier attempt by one with the epochs with which this one starts."""
    with run.fence.exclusive():
        run.fence.check(run.directory.epochs)
        lines = [_header(run), *run.progress.history]
        write_atomically(run.directory.epochs, lambda file: file.write(b"".join(map(_line, lines))))


def append_epoch(run: TrainingRun, epoch: FinishedEpoch) -> None:
    """Append an epoch durably. Call it before the checkpoint of the epoch is saved: the file then contains
    every epoch that any checkpoint has finished.
    """
    with run.fence.exclusive():
        run.fence.check(run.directory.epochs)
        with full_disk_named(phrase("to_write", file=run.directory.epochs.name)):
            make_folder(run.directory.epochs.parent)
            descriptor = os.open(run.directory.epochs, os.O_WRONLY | os.O_APPEND)
            try:
                write_all(descriptor, _line(epoch))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def publish_history(run: TrainingRun) -> None:
    """Write metrics.json, for people and other programs that read the run directory."""
    with run.fence.exclusive():
        run.fence.check(run.directory.metrics)
        write_json(run.directory.metrics, {**_header(run), "epochs": run.progress.history})


def history_of(checkpoint: Checkpoint) -> list[FinishedEpoch]:
    """The epochs that were finished when the checkpoint was saved. Without the file of its run, such as in a
    copied checkpoint, only the last one is known.
    """
    if "history" in checkpoint.state:  # saved by an older version
        return list(checkpoint.state["history"])
    last: FinishedEpoch | None = checkpoint.state.get("last_epoch")
    if last is None:
        return []
    run = RunDirectory(checkpoint.folder.parent.parent)
    known = [epoch for epoch in _read(run.epochs) if epoch["epoch"] <= last["epoch"]]
    return known if known and known[-1] == last else [last]


def _header(run: TrainingRun) -> dict[str, Any]:
    return {"schema_version": RUN_SCHEMA_VERSION, "attempt": run.spec.attempt}


def _read(path: Path) -> list[FinishedEpoch]:
    """Complete lines. Empty if the file is absent or damaged."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[1:-1]]
    except (OSError, ValueError):
        return []


def _line(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")
