"""One fold of a cross-validation is a separate training: the held-out cases are predicted at the end, and
have no effect before.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.splits import read_seen_cases
from medloom_trainer.data.splits.split_cases import key_digest
from medloom_trainer.jobs.job import run_job
from testing.contracts import require_contract
from testing.synthetic import events_of
from testing.trainer_process import terminal, write_spec

OPTIONS = {"vision_backbone": "none", "epochs": 3, "learning_rate": 0.01, "scheduler": "none"}
pytestmark = pytest.mark.usefixtures("signals")


def table(folder: Path, *, poisoned: bool = False) -> None:
    """60 patients of three sites; in the poisoned table everything about those of site b is different."""
    random = np.random.default_rng(0)
    rows = []
    for number in range(60):
        label, site, age = number % 2, "abc"[number % 3], round(float(random.normal() + number % 2), 3)
        if poisoned and site == "b":
            label, age = 1 - label, 1e6 if number % 4 else ""
        rows.append([f"p{number}", age, site, ["no", "yes"][label]])
    folder.mkdir(exist_ok=True)
    with (folder / "train.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["patient_id", "age", "site", "label"], *rows])


def trained(folder: Path, name: str, fold: dict[str, Any], **changes: Any) -> Path:
    assert run_job(write_spec(folder / name, folder, fold=fold, **{**OPTIONS, **changes})) == 0
    return folder / name


def weights(run_dir: Path) -> list[str]:
    manifests = [run_dir / "checkpoints" / name / "checkpoint.json" for name in ("best", "last")]
    return [json.loads(file.read_text())["files"]["model"]["sha256"] for file in manifests]


@pytest.mark.slow
def test_the_held_out_fold_is_predicted_and_written_like_the_validation_split(tmp_path):
    table(tmp_path)
    fold = {"k": 4, "index": 1, "repeat": 0, "seed": 3}
    run_dir = trained(tmp_path, "run", fold)
    result = json.loads((run_dir / "metrics" / "held-out.json").read_text())
    require_contract(result, "evaluation")
    (event,) = events_of(run_dir, "prepared")
    splits = event["prepared"]["splits"]
    assert set(splits) == {"train", "val", "held-out"} and splits["held-out"]["cases"] == 15
    assert (result["split"], result["num_cases"], result["attempt"]) == ("held-out", 15, 1)
    assert result["class_counts"] == splits["held-out"]["class_counts"]
    assert result["source"]["digest"] == event["prepared"]["data_digests"]["held-out"]
    learned = sum(splits[name]["cases"] for name in result["trained_from"]["splits"])
    assert result["trained_from"]["cases"] == learned
    assert result["missing"] == event["prepared"]["missing"]["held-out"]["columns"]
    assert [step["step"] for step in result["flow"]] == [
        "rows of train.csv", "train split", "val split", "held-out split",
    ]  # fmt: skip
    assert {group["column"] for group in result["subgroups"]} == {"age", "site"}
    assert "CHOSEN_ON_THIS_SPLIT" not in {given["code"] for given in result["warnings"]}
    with (run_dir / "metrics" / result["predictions"]).open() as file:
        held = {row["patient"] for row in csv.DictReader(file) if row["split"] == "held-out"}
    assert len(held) == 15
    seen = read_seen_cases(run_dir)
    assert seen is not None and len(seen.known.patients) == 45
    assert not {key_digest(patient) for patient in held} & set(seen.known.patients.tolist())


@pytest.mark.slow
def test_the_weights_and_the_chosen_epoch_know_nothing_of_what_is_held_out(tmp_path):
    fold = {"column": "site", "value": "b"}
    table(tmp_path / "one")
    table(tmp_path / "other", poisoned=True)
    one, other = (trained(tmp_path / name, "run", fold) for name in ("one", "other"))
    assert weights(one) == weights(other)
    ends = [terminal(run_dir) for run_dir in (one, other)]
    assert ends[0]["best"] == ends[1]["best"]
    aucs = [
        json.loads((run_dir / "metrics" / "held-out.json").read_text())["metrics"]["auc"]
        for run_dir in (one, other)
    ]
    assert aucs[0] != aucs[1]


@pytest.mark.slow
def test_a_training_goes_on_with_its_own_fold_alone(tmp_path):
    table(tmp_path)
    fold = {"k": 4, "index": 1, "repeat": 0, "seed": 0}
    first = trained(tmp_path, "first", fold, epochs=2)
    last = first / "checkpoints" / "last"
    other = write_spec(tmp_path / "other", tmp_path, resume_from=last, fold={**fold, "index": 2}, **OPTIONS)
    assert run_job(other) == 1
    assert terminal(tmp_path / "other")["code"] == "CHECKPOINT_MISMATCH"
    trained(tmp_path, "second", fold, resume_from=last)
    whole = trained(tmp_path, "whole", fold)
    assert weights(tmp_path / "second") == weights(whole)
    results = [
        json.loads((tmp_path / name / "metrics" / "held-out.json").read_text())
        for name in ("second", "whole")
    ]
    assert results[0]["metrics"] == results[1]["metrics"]
