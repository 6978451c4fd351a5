"""Fine-tuning: a new training from the weights of a trained model, with the preprocessing that they
require."""

from __future__ import annotations

import json
import re
import shutil
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from medloom_trainer.contract.spec import kept_by_fine_tuning
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.inference.checkpoint import load_checkpoint
from medloom_trainer.jobs.job import run_job
from medloom_trainer.training.build import build_run
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.epoch import validate_epoch
from medloom_trainer.training.fine_tuning import (
    fitted_preparation,
    start_from_trained,
    with_origin,
)
from testing.synthetic import configuration, epochs_of, events_of, prepared, run, spec_of
from testing.trainer_process import terminal, write_spec

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("quick_networks")]


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """The best checkpoint of a training on images and a table."""
    folder = tmp_path_factory.mktemp("runs") / "trained"
    run(folder, configuration(epochs=2), prepared())
    return folder / "checkpoints" / "best"


def refused(code: str, work: Any) -> TrainerError:
    with pytest.raises(TrainerError) as caught:
        work()
    assert caught.value.code == code, caught.value.message
    return caught.value


def test_the_first_validation_before_any_step_is_that_of_the_trained_model(trained, tmp_path):
    data = prepared()
    config = configuration(
        epochs=1, seed=9, learning_rate=0.5, freeze_layers=1, dropout=0.4, fine_tune_from=str(trained)
    )
    run_dir = trained.parents[2] / tmp_path.name
    run_dir.mkdir(exist_ok=True)
    with Events(run_dir, 1) as events:
        spec = with_origin(spec_of(run_dir, config))
        started = build_run(spec, data, events=events, control=Control(run_dir, 1), group=Group.alone())
        before = validate_epoch(started, 1)
        start_from_trained(started)
        validation = validate_epoch(started, 1)
    assert before is not None and validation is not None
    best = load_checkpoint(trained).manifest["metrics"]
    assert before.metrics["val_loss"] != best["val_loss"]
    assert {name: best[name] for name in validation.metrics} == pytest.approx(validation.metrics)
    assert started.progress.position.step == 0 and started.components.monitor.best is None
    assert not started.components.optimizer.state


def test_a_fine_tuning_records_the_model_that_it_started_from(trained, tmp_path):
    run_dir = trained.parents[2] / tmp_path.name
    run(run_dir, configuration(epochs=1, fine_tune_from=str(trained)), prepared(train_cases=30))
    before = load_checkpoint(trained)
    origin = {
        "job_id": before.manifest["job_id"],
        "model_id": None,
        "epoch": before.manifest["epoch"],
        "checkpoint_digest": before.manifest["files"]["model"]["sha256"],
    }
    for name in ("best", "last"):
        checkpoint = load_checkpoint(run_dir / "checkpoints" / name)
        assert checkpoint.manifest["fine_tuned_from"] == checkpoint.state["fine_tuned_from"] == origin
        assert checkpoint.manifest["job_id"] != origin["job_id"]
    assert [epoch["epoch"] for epoch in epochs_of(run_dir)] == [1]
    assert "fine_tuned_from" not in before.manifest

    # The trained model is not needed to continue.
    shutil.copytree(run_dir, tmp_path / "copy")
    gone = configuration(epochs=2, fine_tune_from=str(tmp_path / "gone"))
    run(
        tmp_path / "resumed", gone, prepared(train_cases=30),
        resume_from=tmp_path / "copy" / "checkpoints" / "last",
    )  # fmt: skip
    resumed = load_checkpoint(tmp_path / "resumed" / "checkpoints" / "last")
    assert resumed.manifest["fine_tuned_from"] == origin
    assert resumed.state["epoch"] == 2


DIFFERENT = {
    "label_column": "other", "label_columns": ["one", "other"], "positive_class": "class 0",
    "time_column": "other", "event_column": "other", "survival_intervals": 5, "image_columns": ["other"],
    "numeric_columns": ["other"],
    "categorical_columns": ["other"], "image_size": [48, 48], "normalize": "zscore",
    "window": {"center": 40.0, "width": 80.0}, "slices": {"count": 5, "axis": "axial", "spread": "content"},
    "missing_strategy": "mean", "missing_indicator": False, "scaling": "robust",
    "categorical_encoding": "target",
    "feature_selection": {"method": "variance", "keep": None}, "vision_backbone": "resnet18",
    "fusion_type": "gated", "task": "regression", "image_dim": 8, "tabular_encoder": "ft_transformer",
    "hidden_dim": 32, "num_heads": 4, "aggregator": "max", "missing_view": "token", "members": 3,
    "linear_share": 0.5,
}  # fmt: skip


def test_every_key_that_is_kept_is_tested():
    assert {key for _, key in kept_by_fine_tuning()} == set(DIFFERENT)


@pytest.mark.parametrize("key", DIFFERENT)
def test_what_the_weights_were_not_trained_for_is_refused_by_name(trained, tmp_path, key):
    config = configuration(fine_tune_from=str(trained), **{key: DIFFERENT[key]})
    spec = spec_of(trained.parents[2] / tmp_path.name, config)
    error = refused("CHECKPOINT_MISMATCH", lambda: fitted_preparation(spec))
    assert f".{key} is" in error.message
    assert "remove model.fine_tune_from" in error.details


@pytest.mark.parametrize(("changes", "what"), [({"classes": 3}, "classes"), ({"num_views": 2}, "num_views")])
def test_data_of_another_shape_are_refused(trained, tmp_path, changes, what):
    run_dir = trained.parents[2] / tmp_path.name
    config = configuration(fine_tune_from=str(trained))
    error = refused("CHECKPOINT_MISMATCH", lambda: run(run_dir, config, prepared(**changes)))
    assert what in error.message


def test_another_checkpoint_than_the_accepted_one_is_refused(trained, tmp_path):
    run_dir = trained.parents[2] / tmp_path.name
    spec = with_origin(spec_of(run_dir, configuration(fine_tune_from=str(trained))))
    accepted = {**spec.fine_tuned_from, "checkpoint_digest": "0" * 64}
    run_dir.mkdir(exist_ok=True)
    with Events(run_dir, 1) as events:
        started = build_run(
            replace(spec, fine_tuned_from=accepted), prepared(),
            events=events, control=Control(run_dir, 1), group=Group.alone(),
        )  # fmt: skip
        error = refused("CHECKPOINT_MISMATCH", lambda: start_from_trained(started))
    assert "replaced" in error.message


def test_a_damaged_checkpoint_and_one_elsewhere_are_refused(trained, tmp_path):
    copied = trained.parents[2] / "damaged" / "checkpoints" / "best"
    shutil.copytree(trained, copied)
    with next(copied.glob("model.*")).open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\xff")
    run_dir = trained.parents[2] / tmp_path.name
    refused("CHECKPOINT_CORRUPT", lambda: run(run_dir, configuration(fine_tune_from=str(copied)), prepared()))
    elsewhere = tmp_path / "runs" / "one"
    refused(
        "PATH_NOT_ALLOWED", lambda: run(elsewhere, configuration(fine_tune_from=str(trained)), prepared())
    )


def rewritten(study: Path, name: str, change: Any) -> str:
    """train.csv of the study with other rows, in the same folder. change: header and rows → rows."""
    header, *rows = (line.split(",") for line in (study / "train.csv").read_text().splitlines())
    text = "\n".join(",".join(row) for row in [header, *change(rows)]) + "\n"
    (study / name).write_text(text)
    return name


TABLE = {"vision_backbone": "none", "epochs": 2, "missing_strategy": "mean", "members": 1}
"""One network: those of an ensemble validate on cases that train the others."""


@pytest.fixture(scope="module")
def job(study, tmp_path_factory) -> Path:
    """The run directory of a job that was trained on a table, by the entry point of the service."""
    run_dir = tmp_path_factory.mktemp("jobs") / "first"
    assert run_job(write_spec(run_dir, study, **TABLE)) == 0
    return run_dir


def tune(job: Path, study: Path, **changes: Any) -> tuple[int, Path]:
    run_dir = job.parent / str(uuid.uuid4())
    settings = {**TABLE, "fine_tune_from": str(job / "checkpoints" / "best"), **changes}
    return run_job(write_spec(run_dir, study, **settings)), run_dir


def state_of(run_dir: Path) -> dict[str, Any]:
    return load_checkpoint(run_dir / "checkpoints" / "last").state


def new_patients(rows: list[list[str]]) -> list[list[str]]:
    """Older patients, one of them with an unknown category, and without images; every age exists."""
    return [
        ["", f"new{number}", str(40 + number), "d" if number == 0 else site, label]
        for number, (_, _, _, site, label) in enumerate(rows)
    ]


def test_new_data_are_prepared_as_those_of_the_trained_model_were(study, job, signals):
    csv = rewritten(study, "older.csv", new_patients)
    code, run_dir = tune(job, study, train_csv=csv)
    assert code == 0, terminal(run_dir)
    before, after = state_of(job), state_of(run_dir)
    for key in ("layout", "image_normalization", "classes", "num_outputs"):
        assert after[key] == before[key]
    assert after["preprocessing"]["table"] == before["preprocessing"]["table"]
    ages = [column for column in after["preprocessing"]["table"]["columns"] if column["name"] == "age"]
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", json.dumps(ages))]
    assert numbers and max(numbers) < 40  # none of the new ages, which start there
    assert after["preprocessing"]["complete_columns"] == before["preprocessing"]["complete_columns"]


def test_what_validates_was_not_learned_from(study, job, signals):
    """Among old and new patients, those that trained train again, and those that validated validate."""
    both = rewritten(study, "both.csv", lambda rows: [*rows, *new_patients(rows)])
    code, run_dir = tune(job, study, train_csv=both, epochs=1)
    assert code == 0, terminal(run_dir)
    patients = [line.split(",")[1] for line in (study / both).read_text().splitlines()]
    validating = {patients[row - 1] for row in rows_of(run_dir)}
    before = {patients[row - 1] for row in rows_of(job)}
    assert {name for name in validating if not name.startswith("new")} == before
    assert len(validating) > len(before)


def test_cases_that_trained_a_member_of_an_ensemble_do_not_validate(study, job, signals):
    """A fold validates one network and trains the others: the ensemble has learned from every case."""
    ensemble = job.parent / "ensemble"
    assert run_job(write_spec(ensemble, study, **{**TABLE, "members": 3})) == 0
    new = rewritten(study, "new3.csv", new_patients)
    split = rewritten(study, "split.csv", lambda rows: [rows[row - 2] for row in rows_of(ensemble)])
    code, run_dir = tune(ensemble, study, members=3, train_csv=new, val_csv=split)
    assert (code, terminal(run_dir)["code"]) == (1, "DATASET_LEAK")

    mixed = rewritten(study, "mixed.csv", lambda rows: [*rows, *new_patients(rows)])
    code, run_dir = tune(ensemble, study, train_csv=mixed, members=3, epochs=1)
    assert code == 0, terminal(run_dir)
    patients = [line.split(",")[1] for line in (study / mixed).read_text().splitlines()]
    validating = {patients[row - 1] for row in rows_of(run_dir)}
    assert validating and all(name.startswith("new") for name in validating)


def rows_of(run_dir: Path) -> list[int]:
    """Lines of the validation cases in the CSV."""
    header, *lines = (run_dir / "metrics" / "validation-predictions.csv").read_text().splitlines()
    place = header.split(",").index("row")
    return [int(line.split(",")[place]) for line in lines]


def test_a_validation_or_test_table_with_patients_that_it_has_learned_from_is_a_leak(study, job, signals):
    new = rewritten(study, "new.csv", new_patients)
    code, run_dir = tune(job, study, train_csv=new, val_csv="train.csv")
    end = terminal(run_dir)
    assert (code, end["code"]) == (1, "DATASET_LEAK")
    assert "patients of val are in the training data of the model" in end["message"]
    assert not any(f"p{number} " in end["message"] for number in range(48))

    validated = rewritten(study, "validated.csv", lambda rows: [rows[row - 2] for row in rows_of(job)])
    assert tune(job, study, train_csv=new, val_csv=validated, epochs=1)[0] == 0
    code, run_dir = tune(job, study, train_csv=new, test_csv=validated)
    assert (code, terminal(run_dir)["code"]) == (1, "DATASET_LEAK")
    code, run_dir = tune(job, study, train_csv=new, test_csv=validated, allow_leakage=True, epochs=1)
    assert code == 0
    assert "DATASET_LEAK" in warnings_of(run_dir)


def warnings_of(run_dir: Path) -> set[str]:
    (event,) = events_of(run_dir, "prepared")
    return {warning["code"] for warning in event["prepared"]["warnings"]}


def test_a_model_knows_the_patients_of_the_model_that_it_was_fine_tuned_from(study, job, signals):
    from medloom_trainer.data.splits import digest_keys, read_seen_cases

    code, run_dir = tune(job, study, train_csv=rewritten(study, "new2.csv", new_patients), epochs=1)
    assert code == 0
    seen, before = read_seen_cases(run_dir), read_seen_cases(job)
    assert seen is not None and before is not None
    everyone = [[("patient", name) for number in range(48) for name in (f"p{number}", f"new{number}")]]
    assert np.array_equal(seen.known.patients, digest_keys(everyone).patients)
    assert np.isin(before.trained.patients, seen.trained.patients).all()
    assert len(before.trained.patients) < len(before.known.patients) == 48


def test_where_nobody_knows_what_the_model_has_seen_a_warning_says_so(study, job, signals):
    alone = job.parent / "alone" / "copied" / "best"
    shutil.copytree(job / "checkpoints" / "best", alone)
    code, run_dir = tune(job, study, fine_tune_from=str(alone), epochs=1)
    assert code == 0
    assert "LEAK_CHECK_INCOMPLETE" in warnings_of(run_dir)


@pytest.mark.parametrize("classes", [("no", "perhaps"), ("no", "yes", "perhaps")], ids=["another", "more"])
def test_other_classes_are_refused_before_anything_is_trained(study, job, signals, classes):
    def relabeled(rows: list[list[str]]) -> list[list[str]]:
        labels = (classes[number % len(classes)] for number in range(len(rows)))
        return [[*row[:4], label] for row, label in zip(new_patients(rows), labels, strict=True)]

    exit_code, run_dir = tune(job, study, train_csv=rewritten(study, "classes.csv", relabeled))
    assert (exit_code, terminal(run_dir)["code"]) == (1, "CHECKPOINT_MISMATCH")
    assert not events_of(run_dir, "prepared")


def test_weights_are_the_same_bits(trained, tmp_path):
    """A training that learns nothing returns them unchanged."""
    run_dir = trained.parents[2] / tmp_path.name
    still = {"learning_rate": 1e-30, "weight_decay": 0.0, "optimizer": "sgd", "freeze_layers": "all"}
    run(run_dir, configuration(epochs=1, fine_tune_from=str(trained), **still), prepared())
    before = load_checkpoint(trained).tensors("model")
    after = load_checkpoint(run_dir / "checkpoints" / "last").tensors("model")
    backbone = [name for name in before if name.startswith("backbone.")]
    assert backbone and all(torch.equal(before[name], after[name]) for name in backbone)


def test_a_best_checkpoint_is_continued_from_its_own_epoch(tmp_path):
    """The last epochs, which were worse, are not part of the continued training."""
    rates = {"learning_rate": 0.3, "vision_backbone": "none", "scheduler": "none", "members": 1}
    config, data = configuration(epochs=4, **rates), prepared(num_views=0)
    outcome = run(tmp_path / "first", config, data)
    best = outcome.best["epoch"]
    assert best == 2
    shutil.copytree(tmp_path / "first", tmp_path / "elsewhere")
    folder = tmp_path / "elsewhere" / "checkpoints" / "best"
    longer = configuration(epochs=best + 1, **rates)
    run(tmp_path / "second", longer, data, resume_from=folder)
    assert epochs_of(tmp_path / "second") == epochs_of(tmp_path / "first")[: best + 1]
    assert [event["epoch"] for event in events_of(tmp_path / "second", "epoch_end")] == [best + 1]
    assert load_checkpoint(tmp_path / "second" / "checkpoints" / "best").state["epoch"] == best


def test_other_data_cannot_be_continued_and_the_remedy_names_fine_tuning(tmp_path):
    run(tmp_path / "first", configuration(epochs=1, vision_backbone="none"), prepared(num_views=0))
    error = refused(
        "CHECKPOINT_MISMATCH",
        lambda: run(
            tmp_path / "second", configuration(epochs=2, vision_backbone="none"),
            prepared(num_views=0, train_cases=30), resume_from=tmp_path / "first" / "checkpoints" / "last",
        ),
    )  # fmt: skip
    assert "fine_tune" in error.details
