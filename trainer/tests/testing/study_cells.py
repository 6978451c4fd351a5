"""Files of finished trainings of a study, from artificial predictions of a test."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jsonschema import Draft202012Validator

from medloom_trainer.baselines.prediction import BaselinePrediction
from medloom_trainer.baselines.titles import title_of
from medloom_trainer.contract.phrases import with_phrases
from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.data.types import Cases
from medloom_trainer.evaluation.result import write_evaluation
from medloom_trainer.evaluation.study.results import study_results
from medloom_trainer.outcomes import kind_of

RESULT = Draft202012Validator(task_schemas()["study_results"]["result"])


def cases_at(rows: np.ndarray, labels: np.ndarray, patients: Sequence[str] | None, digest: str) -> Cases:
    """The rows of a table: line numbers, truth and patients of each."""
    count = len(rows)
    numbers = None if patients is None else np.unique(patients, return_inverse=True)[1]
    return Cases(
        rows=rows, slots=None, values=np.zeros((count, 0), np.float32), codes=np.zeros((count, 0), np.int64),
        present=np.zeros((count, 0), bool), labels=labels, patients=numbers, subgroups={}, digest=digest,
        keys=None, places=[("train.csv", int(row)) for row in rows],
        patient_ids=None if patients is None else list(patients),
    )  # fmt: skip


class StudyFiles:
    """Writes the cells of a study."""

    def __init__(
        self,
        folder: Path,
        *,
        task: str = "classification",
        classes: Sequence[str] | None = None,
        times: dict[str, Any] | None = None,
    ):
        """times: of survival, from `fit_time_grid`."""
        self.folder = folder
        state = {"task": task, "classes": classes, "label_normalization": {"mean": 0.0, "std": 1.0}}
        self.state = {**state, "preprocessing": {"survival": times}}
        self.kind = kind_of(self.state)
        self.cells: list[dict[str, Any]] = []

    def add(
        self,
        variant: str,
        cases: Cases,
        predictions: np.ndarray,
        *,
        seed: int = 0,
        repeat: int | None = 0,
        fold: int | str | None = 0,
        threshold: float | list[float] | None = None,
        baselines: dict[str, np.ndarray] | None = None,
        fitted_on: dict[str, Any] | None = None,
        trained_from: int | None = None,
        flow: Sequence[dict[str, Any]] = (),
        times: dict[str, Any] | None = None,
    ) -> None:
        if times is not None:
            self.state["preprocessing"] = {"survival": times}
            self.kind = kind_of(self.state)
        file = self.folder / str(len(self.cells)) / "held-out.json"
        file.parent.mkdir()
        # The parts of an EvaluationResult that a study reads: its metrics are computed again.
        times = self.state["preprocessing"]["survival"]
        used = self.kind.threshold_or_default(threshold)
        several = isinstance(used, list)
        result = {
            "task": self.kind.task, "classes": self.kind.classes, "split": "held-out", "baselines": [],
            "threshold": None if several else used, "source": {"digest": cases.digest},
            "per_class": [{"threshold": value} for value in used] if several else None,
            "survival": times and {key: times[key] for key in ("edges", "horizons", "tau")},
            "predictions": "held-out-predictions.csv", "software": {"medloom": "0"},
        }  # fmt: skip
        if trained_from is not None:
            result["trained_from"] = {"splits": ["train"], "cases": trained_from}
        result["flow"] = list(flow)
        beside = []
        for name, predicted in (baselines or {}).items():
            own = {"name": name, "title": title_of(name, self.kind.task), "threshold": threshold}
            own |= {"fitted_on": fitted_on}
            beside.append(BaselinePrediction(**own, settings="", predictions=predicted))
            result["baselines"].append({**with_phrases(own), "predictions": f"held-out-{name}.csv"})
        write_evaluation(file, result, self.kind, cases, predictions, beside)
        self.cells.append(
            {"variant": variant, "seed": seed, "repeat": repeat, "fold": fold, "evaluation": str(file)}
        )

    def results(self, metric: str = "auc", reference: str | None = None) -> dict[str, Any]:
        out = self.folder / "results.json"
        params = {"cells": self.cells, "metric": metric, "reference": reference, "out_file": str(out)}
        result = study_results(params, lambda message, fraction: None)
        assert json.loads(out.read_text()) == json.loads(json.dumps(result, allow_nan=False))
        RESULT.validate(result)
        return result
