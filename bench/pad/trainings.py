"""Trainings as processes of the trainer, some side by side; those that are done already are kept.

Each is forked from this process, which has imported torch already and runs nothing with it meanwhile.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from settings import METRIC, Setting

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.spec import RUN_SCHEMA_VERSION
from medloom_trainer.evaluation.evaluate import Measured, measure
from medloom_trainer.training.checkpoint import load_checkpoint
from medloom_trainer.training.job import run_job

_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Study:
    """What all trainings have in common."""

    data: Path
    work: Path
    backbone: str
    """Of every setting with images."""
    image_size: int
    """Side in pixels."""
    epochs: int
    settings: tuple[Setting, ...]
    """Validation chooses among these."""
    seeds: tuple[int, ...]
    jobs: int
    """Trainings side by side, each with one thread."""


@dataclass(frozen=True)
class Training:
    setting: Setting
    seed: int
    study: Study

    @property
    def folder(self) -> Path:
        return self.study.work / "runs" / f"{self.setting.name}-{self.seed}"

    @property
    def config(self) -> dict[str, Any]:
        return self.setting.config(
            self.study.data,
            backbone=self.study.backbone,
            image_size=self.study.image_size,
            epochs=self.study.epochs,
            seed=self.seed,
        )

    def validation(self) -> float:
        """The metric of the best epoch on the validation split, as the trainer reports it."""
        text = RunDirectory(self.folder).validation.read_text(encoding="utf-8")
        return float(json.loads(text)["metrics"][METRIC])

    def test(self) -> Measured:
        """The best epoch on the test split."""
        folder = RunDirectory(self.folder).checkpoint("best")
        csv = self.study.data / "test.csv"
        return measure(
            load_checkpoint(folder),
            csv,
            image_root=None,
            split="test",
            roots=[self.study.data],
            cache_dir=self.study.work / "cache",
            device="cpu",
            source={"csv": str(csv), "checkpoint": str(folder)},
            check=lambda cases: [],
            progress=lambda message, fraction: None,
        )

    def run(self) -> None:
        """Train, unless the same configuration was trained here to its end."""
        spec = self.folder / "spec.json"
        done = RunDirectory(self.folder).validation.exists()
        if done and json.loads(spec.read_text(encoding="utf-8"))["config"] == self.config:
            return
        process = _FORK.Process(target=_train, args=(self._write_spec(), self.folder / "training.log"))
        started = time.perf_counter()
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"{self.folder.name} failed; see {self.folder / 'training.log'}")
        seconds = time.perf_counter() - started
        print(f"{self.folder.name:<32}{seconds:6.0f} s  validation {self.validation():.3f}", flush=True)

    def _write_spec(self) -> Path:
        """Into a folder that a training before this one, if there was one, did not touch."""
        if self.folder.exists():
            self.folder.rename(self.folder.with_name(f"{self.folder.name}-{uuid.uuid4().hex[:8]}-before"))
        self.folder.mkdir(parents=True)
        document = {
            "schema_version": RUN_SCHEMA_VERSION,
            "job_id": str(uuid.uuid4()),
            "job_name": self.folder.name,
            "attempt": 1,
            "run_dir": str(self.folder),
            "cache_dir": str(self.study.work / "cache"),
            "roots": [str(self.study.data)],
            "resume_from": None,
            "config": self.config,
        }
        spec = self.folder / "spec.json"
        spec.write_text(json.dumps(document, indent=2), encoding="utf-8")
        return spec


def _train(spec: Path, log: Path) -> None:
    """The whole life of a forked process: one training, as `medloom_trainer train` does it."""
    with log.open("w", encoding="utf-8") as file:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(file.fileno(), stream.fileno())
        code = run_job(spec)
        sys.stdout.flush()
        sys.stderr.flush()
        # Not sys.exit: it would wait for the other threads of the process that this one was forked from.
        os._exit(code)


def train_all(settings: Sequence[Setting], study: Study) -> dict[str, list[Training]]:
    """Setting → its trainings, one per seed, all done."""
    trainings = {
        setting.name: [Training(setting, seed, study) for seed in study.seeds] for setting in settings
    }
    # Seed by seed, so that an interrupted study has as many of each setting.
    order = [trainings[setting.name][i] for i in range(len(study.seeds)) for setting in settings]
    with ThreadPoolExecutor(study.jobs) as pool:
        for done in [pool.submit(training.run) for training in order]:
            done.result()
    return trainings
