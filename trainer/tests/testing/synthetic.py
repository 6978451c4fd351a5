"""Small datasets from random numbers, and complete configurations from the defaults of the contract."""

from __future__ import annotations

import hashlib
import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from medloom_trainer.contract.spec import Spec, contract_defaults
from medloom_trainer.data.splits import digest_keys
from medloom_trainer.data.types import Cases, ColumnLayout, PreparedData, TableLayout
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.loop import Outcome, train

LAYOUT = TableLayout(
    columns=(
        ColumnLayout("age", "numeric", 0, 1, 0),
        ColumnLayout("site", "onehot", 1, 3, 0),
        ColumnLayout("ward", "embedding", 0, 1, 5),
    ),
    num_values=4,
    num_codes=1,
)


class ArrayStore:
    """An image store in memory: records (S, H, W, C)."""

    def __init__(self, records: np.ndarray) -> None:
        self.records = records
        self.depth = 8 if records.dtype == np.uint8 else 16
        self.record_shape = records.shape[1:]

    def gather(self, slots: np.ndarray) -> np.ndarray:
        batch = np.empty((*slots.shape, *self.record_shape), self.records.dtype)
        self.gather_into(slots, batch)
        return batch if self.record_shape[2] == 3 else batch.repeat(3, axis=-1)

    def gather_into(self, slots: np.ndarray, out: np.ndarray) -> None:
        out[:] = self.records[np.maximum(slots, 0)]
        out[slots < 0] = 0


def configuration(**changes: Any) -> dict[str, Any]:
    """A complete configuration of one network; `changes` are applied to the part that has such a key."""
    config = {
        "data": {
            **contract_defaults("DataConfig"),
            "train_csv": "train.csv",
            "image_size": [32, 32],
            "augmentation": "none",
        },
        "model": {
            **contract_defaults("ModelConfig"),
            "vision_backbone": "mobilenetv3_small_100",
            "fusion_type": "concatenate",
            "hidden_dim": 16,
            "num_heads": 2,
            "members": 1,
        },
        "training": {**contract_defaults("LoopConfig"), "epochs": 2, "batch_size": 8, "device": "cpu"},
    }
    for key, value in changes.items():
        part = next(part for part in config.values() if key in part)
        part[key] = {**part[key], **value} if key == "early_stopping" else value
    return config


def cases_of(
    count: int, *, seed: int, num_views: int, task: str = "classification", classes: int = 2
) -> Cases:
    """Labels determine the first number of the table and the brightness of the image slots (slot = label · 8
    + i).
    """
    random = np.random.default_rng(seed)
    labels = np.arange(count) % classes
    random.shuffle(labels)
    values = random.normal(size=(count, 4)).astype(np.float32)
    values[:, 0] += labels
    slots = labels[:, None] * 8 + random.integers(0, 8, (count, num_views)) if num_views else None
    target = (
        labels.astype(np.int64) if task == "classification" else labels * 10.0 + random.normal(size=count)
    )
    return Cases(
        rows=np.arange(count) + 2,
        slots=slots,
        values=values,
        codes=random.integers(0, 5, (count, 1)),
        present=random.random((count, 3)) > 0.1,
        labels=target,
        patients=np.arange(count),
        subgroups={},
        digest=hashlib.sha256(values.tobytes()).hexdigest(),
        keys=digest_keys([]),
    )


def prepared(
    *,
    train_cases: int = 26,
    val_cases: int = 12,
    num_views: int = 1,
    task: str = "classification",
    classes: int = 2,
    side: int = 32,
    depth: int = 8,
) -> PreparedData:
    random = np.random.default_rng(7)
    full = 255 if depth == 8 else 65535
    brightness = np.repeat(np.linspace(0.2, 0.8, classes), 8)[:, None, None, None]
    records = np.clip(brightness + random.normal(0, 0.1, (8 * classes, side, side, 3)), 0, 1) * full
    train_part = cases_of(train_cases, seed=1, num_views=num_views, task=task, classes=classes)
    val_part = cases_of(val_cases, seed=2, num_views=num_views, task=task, classes=classes)
    names = tuple(f"class {k}" for k in range(classes)) if task == "classification" else None
    spread = None
    if task == "regression":
        spread = {"mean": float(train_part.labels.mean()), "std": float(train_part.labels.std())}
    return PreparedData(
        task=task,
        classes=names,
        layout=LAYOUT,
        store=ArrayStore(records.astype(np.uint8 if depth == 8 else np.uint16)) if num_views else None,
        num_views=num_views,
        train=train_part,
        val=val_part,
        preprocessing={"task": task, "table": {"columns": []}, "label_column": "label", "image_columns": []},
        image_normalization={"mean": [0.5] * 3, "std": [0.25] * 3},
        label_normalization=spread,
        summary={
            "task": task,
            "classes": list(names) if names else None,
            "label_column": "label",
            "patient_column": None,
            "split_column": None,
            "image_columns": [f"view {v}" for v in range(num_views)],
            "numeric_columns": ["age"],
            "categorical_columns": ["site", "ward"],
            "ignored_columns": {},
            "splits": {},
            "missing": {},
            "warnings": [],
            "data_digests": {"train": train_part.digest, "val": val_part.digest},
        },
        flow=[],
    )


def spec_of(
    run_dir: Path, config: dict[str, Any], *, resume_from: Path | None = None, attempt: int = 1
) -> Spec:
    return Spec(str(uuid.uuid4()), "test", attempt, run_dir, run_dir / "cache", (), resume_from, config)


def run(
    run_dir: Path,
    config: dict[str, Any],
    data: PreparedData,
    *,
    resume_from: Path | None = None,
    control: Control | None = None,
    attempt: int = 1,
) -> Outcome:
    """Train in this process."""
    run_dir.mkdir(parents=True, exist_ok=True)
    with Events(run_dir, attempt) as events:
        return train(
            spec_of(run_dir, config, resume_from=resume_from, attempt=attempt),
            data,
            events=events,
            control=control or Control(run_dir, attempt),
            group=Group.alone(),
        )


def events_of(run_dir: Path, kind: str | None = None) -> list[dict[str, Any]]:
    lines = (run_dir / "events.1.jsonl").read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if kind is None or event["type"] == kind]


def epochs_of(run_dir: Path) -> list[dict[str, Any]]:
    """The history in metrics.json."""
    return json.loads((run_dir / "metrics" / "metrics.json").read_text(encoding="utf-8"))["epochs"]


class StopsAfter(Control):
    """Requests a stop once `batches` batches have been trained."""

    def __init__(self, run_dir: Path, batches: int) -> None:
        super().__init__(run_dir, 1)
        self.left = batches

    def request(self) -> str | None:
        self.left -= 1
        return "stop" if self.left <= 0 else None


def written_before(part: str, key: str, folder: Path) -> Path:
    """The checkpoint in the form of a version that did not have `key` in that part."""
    checkpoint = load_checkpoint(folder)
    del checkpoint.state["config"][part][key]
    manifest = checkpoint.manifest
    save_checkpoint(
        folder,
        job_id=manifest["job_id"],
        epoch=manifest["epoch"],
        metrics=manifest["metrics"],
        state=checkpoint.state,
        tensors={name: checkpoint.tensors(name) for name in checkpoint.manifest["files"] if name != "state"},
    )
    return folder
