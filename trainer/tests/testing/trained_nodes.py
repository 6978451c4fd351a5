"""A trained model in the form of TrainModel's output: a checkpoint with its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from medloom_trainer.inference.checkpoint import load_checkpoint
from testing.checkpoints import JOB_ID, configuration, write_checkpoint, write_table
from testing.node_runs import Nodes


def load_cases(
    nodes: Nodes, name: str, *, split: str = "test", settings: dict[str, Any] | None = None, **table: Any
) -> dict[str, Any]:
    """The CaseSet of a small table, which is written unless it exists."""
    path = nodes.folder / name
    if not path.exists():
        write_table(path, **table)
    content = nodes.out("dataframe", "LoadTabular", {"path": name})
    return {**content, "split": split, "settings": settings or {}}


def train(
    nodes: Nodes, train_set: dict[str, Any], val_set: dict[str, Any] | None = None, **config: Any
) -> dict[str, Any]:
    """→ the content of trained_model. The network is untrained: only the fitted values matter here."""
    tables = {
        f"data__{split}_csv": str(nodes.folder / "artifacts" / name[:2] / f"{name}.csv")
        for split, name in (
            ("train", train_set["table"]["sha256"]),
            ("val", val_set["table"]["sha256"] if val_set else None),
        )
        if name
    }
    settings = {
        "data__image_columns": train_set["image_columns"] or None,
        "data__label_column": train_set["label_column"],
        "data__patient_column": train_set["patient_column"],
        "data__ignore_columns": ["case_id"],
    }
    full = configuration(tables["data__train_csv"], **{**settings, **tables, **config})
    folder = write_checkpoint(
        nodes.folder / "data" / "runs" / JOB_ID / "checkpoints" / "best",
        full,
        nodes.cache,
        roots=[nodes.folder],
    )
    checkpoint = load_checkpoint(folder)
    lineage = [*train_set["lineage"], *(val_set["lineage"] if val_set else [])]
    return {
        "content": "trained_model",
        "job_id": JOB_ID,
        "model_id": None,
        "checkpoint": folder.relative_to(nodes.folder / "data").as_posix(),
        "checkpoint_digest": checkpoint.manifest["files"]["model"]["sha256"],
        "settings": {},
        "task": checkpoint.state["task"],
        "classes": checkpoint.state["classes"],
        "lineage": lineage,
        "train_table": train_set["table"],
        "val_table": val_set["table"] if val_set else None,
    }


def written(nodes: Nodes, content: dict[str, Any]) -> Path:
    """The only file of a FilesContent, in the store."""
    (facts,) = content["files"]
    digest = facts["blob"]["sha256"]
    return nodes.folder / "artifacts" / digest[:2] / f"{digest}{facts['blob']['suffix']}"
