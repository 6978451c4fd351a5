"""image_only and table_only: the same configuration without the table or without the images, trained by the
same loop on the same cases for the same number of epochs, in its own run directory inside that of the job.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from medloom_trainer.baselines.inputs import reduced_config, reduced_data
from medloom_trainer.contract.phrases import join, phrase
from medloom_trainer.contract.run_directory import RunDirectory, run_path
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control, ControlRequest
from medloom_trainer.exchange.events import Events, SilentEvents, in_epoch
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.plurals import pluralize
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.loop import Outcome, train


def train_ablation(
    name: str, spec: Spec, data: PreparedData, *, events: Events, control: Control, group: Group
) -> dict[str, Any] | None:
    """Train the ablation in this process and return the content of its file.

    Return None if the job was requested to end meanwhile: what is trained by then is stored, and a job that
    resumes this one continues it.
    """
    own = replace(
        spec,
        run_dir=RunDirectory(spec.run_dir).baseline(name),
        config=reduced_config(name, spec.config),
        resume_from=_last_of_before(name, spec),
        fine_tuned_from=None,
        part_of=spec.run_dir,
    )
    outcome = _trained(
        own,
        reduced_data(name, data),
        _AblationEvents(name, events, own.run_dir),
        _AblationControl(control),
        group,
    )
    if outcome.status != "completed" or outcome.best is None:
        return None
    checkpoint = load_checkpoint(RunDirectory(own.run_dir).checkpoint("best"))
    left_out = "table" if name == "image_only" else "image"
    epochs = f"{pluralize(outcome.epoch, 'epoch')}, best epoch {outcome.best['epoch']}"
    splits = ablation_splits(name, data)
    counts = {"train": len(data.train.rows), "val": len(data.val.rows)}
    content: dict[str, Any] = {
        "settings": f"same configuration and seed, without the {left_out}: {epochs}",
        "checkpoint_digest": checkpoint.digest,
        "cases": sum(counts[split] for split in splits),
    }
    if "val" in splits and outcome.best_predictions is not None:
        content["out_of_fold"] = outcome.best_predictions.tolist()
    return content


def ablation_splits(name: str, data: PreparedData) -> list[str]:
    """Return the splits whose rows train the ablation. Networks of the table leave out the same folds as
    those of the model; a network of images learns from the training cases, like that of the model."""
    return ["train", "val"] if name == "table_only" and data.member_folds is not None else ["train"]


def _trained(spec: Spec, data: PreparedData, events: Events, control: Control, group: Group) -> Outcome:
    """Resume the training where the earlier job stopped; start from the beginning if its checkpoint does not
    fit."""
    alone = Group.alone(group.device)  # its other processes have left
    try:
        return train(spec, data, events=events, control=control, group=alone)
    except TrainerError as error:
        if spec.resume_from is None or error.code not in ("CHECKPOINT_MISMATCH", "CHECKPOINT_CORRUPT"):
            raise
    return train(replace(spec, resume_from=None), data, events=events, control=control, group=alone)


def _last_of_before(name: str, spec: Spec) -> Path | None:
    """Return the newest checkpoint of this baseline, from an earlier attempt or from the job that this one
    resumes."""
    runs = [spec.run_dir, *([] if spec.resume_from is None else [spec.resume_from.parent.parent])]
    for run in runs:
        last = RunDirectory(RunDirectory(run).baseline(name)).checkpoint("last")
        if run_path(RunDirectory(run).baseline(name), "manifest", name="last").exists():
            return last
    return None


class _AblationControl(Control):
    """Any request to the job ends the training of a baseline: the model itself is complete."""

    def __init__(self, job: Control) -> None:
        self._job = job

    def request(self) -> ControlRequest | None:
        return None if self._job.request() is None else "stop"


class _AblationEvents(SilentEvents):
    """Epochs and metrics of a baseline are not those of the job; its steps are."""

    def __init__(self, name: str, job: Events, run_dir: Path) -> None:
        super().__init__(run_dir, job.attempt)
        self._name, self._job = name, job

    def phase(self, phase: str, epoch: int) -> None:
        self.doing(in_epoch(phase, epoch))

    def doing(self, what: str) -> None:
        self._job.doing(join(phrase("training_baseline", name=self._name), what))

    def step(self, detail: str = "") -> None:
        self._job.step(detail)
