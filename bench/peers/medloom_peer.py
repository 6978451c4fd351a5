"""Medloom's trainer without its service: one training per learning rate; the best on validation is used."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from pathlib import Path
from typing import Any

from study import RATES, Order

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION, contract_defaults
from medloom_trainer.evaluation.evaluate import measure
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.jobs.job import run_job


def main() -> None:
    order = Order.read()
    runs = {rate: train(order, rate) for rate in RATES}
    scores = {
        rate: json.loads(RunDirectory(run).validation.read_text(encoding="utf-8"))["metrics"]["auc"]
        for rate, run in runs.items()
    }
    rate = max(scores, key=lambda one: scores[one])
    checkpoint = load_checkpoint(RunDirectory(runs[rate]).checkpoint("best"))
    measured = measure(
        checkpoint,
        order.fold / "test.csv",
        image_root=None,
        split="test",
        roots=[Path("/")],
        cache_dir=order.fold / "cache",
        device="cpu",
        source={"csv": "test.csv", "checkpoint": "best"},
        check=lambda cases: [],
        progress=lambda message, fraction: None,
    )
    first = first_batch(runs[RATES[0]])
    order.answer(checkpoint.state["classes"], measured.predictions, f"learning rate {rate:g}", first)


def train(order: Order, rate: float) -> Path:
    """→ its run directory"""
    run = order.fold / f"medloom-{rate:g}"
    run.mkdir()
    spec = {
        "schema_version": RUN_SCHEMA_VERSION,
        "job_id": str(uuid.uuid4()),
        "job_name": run.name,
        "attempt": 1,
        "run_dir": str(run),
        "cache_dir": str(order.fold / "cache"),
        "roots": ["/"],
        "resume_from": None,
        "config": configuration(order, rate),
    }
    (run / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    if run_job(run / "spec.json"):
        raise SystemExit(f"the training with learning rate {rate:g} failed")
    return run


def configuration(order: Order, rate: float) -> dict[str, Any]:
    return {
        "data": {
            **contract_defaults("DataConfig"),
            **{f"{split}_csv": str(order.fold / f"{split}.csv") for split in ("train", "val")},
            "label_column": "label",
            "patient_column": "patient_id",
            "image_size": [order.side, order.side],
        },
        "model": {
            **contract_defaults("ModelConfig"),
            "vision_backbone": "resnet18",
            "fusion_type": "concatenate",
            "dropout": 0.3,
        },
        "training": {
            **contract_defaults("LoopConfig"),
            "epochs": order.epochs,
            "batch_size": 32,
            "learning_rate": rate,
            "seed": 0,
            "device": "cpu",
        },
    }


def first_batch(run: Path) -> float:
    """Time of the first progress event."""
    for line in RunDirectory(run).events(1).read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["type"] == "progress":
            return datetime.fromisoformat(event["timestamp"]).timestamp()
    raise SystemExit("the training told no progress")


if __name__ == "__main__":
    main()
