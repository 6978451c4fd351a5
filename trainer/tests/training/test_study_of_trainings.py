"""From tables to statistics: the folds that the check announces, a training of each, and their results."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from medloom_trainer.data.splits import study_folds
from medloom_trainer.evaluation.study.results import study_results
from medloom_trainer.jobs.job import run_job
from testing.study_cells import RESULT
from testing.synthetic import configuration
from testing.trainer_process import write_spec

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("signals")]

VARIANTS = {"one token": {"missing_strategy": "token"}, "mean": {"missing_strategy": "mean"}}


def test_the_folds_of_a_study_hold_out_every_case_once_and_its_results_are_those_of_the_predictions(tmp_path):
    random = np.random.default_rng(0)
    with (tmp_path / "train.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", "age", "sex", "label"])
        for row in range(48):
            age = round(random.normal() + row % 2, 2) if row % 7 else ""
            writer.writerow([f"p{row // 2}", age, "mf"[row % 3 % 2], ["no", "yes"][row % 2]])
    options = {"vision_backbone": "none", "epochs": 1, "train_csv": str(tmp_path / "train.csv")}
    announced = study_folds(
        {"config": configuration(**options), "folds": {"k": 2, "repeats": 1, "seed": 0},
         "cache_dir": str(tmp_path / "cache"), "roots": [str(tmp_path)]},
        lambda message, fraction: None,
    )  # fmt: skip
    cells = []
    for variant, changes in VARIANTS.items():
        for index, fold in enumerate(announced["folds"]):
            run_dir = tmp_path / variant / str(index)
            assert run_job(write_spec(run_dir, tmp_path, fold=fold["fold"], **{**options, **changes})) == 0
            held_out = run_dir / "metrics" / "held-out.json"
            assert json.loads(held_out.read_text())["class_counts"] == fold["class_counts"]
            cells.append(
                {"variant": variant, "seed": 42, "repeat": 0, "fold": index, "evaluation": str(held_out)}
            )
    params = {
        "cells": cells,
        "metric": "auc",
        "reference": "mean",
        "out_file": str(tmp_path / "results.json"),
    }
    results = study_results(params, lambda message, fraction: None)
    RESULT.validate(results)
    for number, variant in enumerate(VARIANTS):
        rows = []
        for cell in cells[2 * number : 2 * number + 2]:
            with open(cell["evaluation"].replace(".json", "-predictions.csv"), newline="") as file:
                rows += list(csv.DictReader(file))
        assert sorted(int(row["row"]) for row in rows) == list(range(2, 50))
        found = next(one for one in results["variants"] if one["name"] == variant)
        auc = roc_auc_score(
            [row["truth"] == "yes" for row in rows], [float(row["probability_yes"]) for row in rows]
        )
        assert found["metrics"]["auc"]["estimate"] == pytest.approx(auc, abs=1e-9)
        assert (found["num_cases"], found["num_patients"]) == (48, 24)
