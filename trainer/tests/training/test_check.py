"""The check of a training reports in advance what the training then reports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.data.checks import inspect
from medloom_trainer.jobs.job import run_job
from medloom_trainer.training.check.task import check_training
from testing.medical_files import nifti_file
from testing.synthetic import events_of
from testing.trainer_process import write_spec
from testing.workspace import Workspace, codes

Rows = list[dict[str, Any]]
RESULT = Draft202012Validator(task_schemas()["check_training"]["result"])
SAME = (
    "task", "classes", "positive_class", "label_column", "label_columns", "patient_column", "split_column",
    "image_columns", "numeric_columns", "categorical_columns", "ignored_columns",
)  # fmt: skip
OPTIONS = {"image_size": [32, 32], "epochs": 1, "batch_size": 8, "device": "cpu"}


def checked(spec: Path) -> dict[str, Any]:
    document = json.loads(spec.read_text())
    found = check_training({"config": document["config"], "roots": document["roots"]}, lambda *_: None)
    RESULT.validate(found)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("quick_networks", "signals")
@pytest.mark.parametrize(
    "options",
    [
        {"vision_backbone": "resnet18", "fusion_type": "gated"},
        {"vision_backbone": "resnet18", "fusion_type": "late", "members": 2},
        {"vision_backbone": "resnet18", "fusion_type": "none"},
        {"vision_backbone": "none", "fusion_type": "concatenate"},
        {"vision_backbone": "none", "fusion_type": "concatenate", "tabular_encoder": "ft_transformer"},
        {
            "vision_backbone": "resnet18",
            "fusion_type": "attention",
            "freeze_layers": 2,
            "fold": {"column": "site", "value": "a"},
        },
        {
            "vision_backbone": "none",
            "fusion_type": "concatenate",
            "categorical_encoding": "label",
            "missing_strategy": "median",
        },
    ],
    ids=lambda options: "-".join(str(value) for value in options.values()),
)
def test_parameters_roles_and_cases_are_those_that_the_training_reports(study, tmp_path, options):
    spec = write_spec(tmp_path / "run", study, **OPTIONS, **options)
    found = checked(spec)
    assert found["issues"] == []
    assert run_job(spec) == 0
    (event,) = events_of(tmp_path / "run", "prepared")
    prepared = event["prepared"]
    for key in ("parameters", "trainable_parameters"):
        assert found["model"][key] == prepared[key]
        assert found["model"][key] == sum(part[key] for part in found["model"]["parts"])
    assert {key: found["data"][key] for key in SAME} == {key: prepared[key] for key in SAME}
    assert found["data"]["splits"] == prepared["splits"]


def test_nothing_is_written(study, tmp_path):
    before = sorted(study.rglob("*"))
    checked(write_spec(tmp_path / "run", study, vision_backbone="none"))
    assert sorted(study.rglob("*")) == before
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["spec.json"]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ({"label_column": "absent"}, {"COLUMN_NOT_FOUND"}),
        ({"batch_size": 1000}, {"BATCH_TOO_LARGE"}),
        ({"loss_function": "mse"}, {"INVALID_CONFIG"}),
        ({"monitor": "val_r2"}, {"INVALID_CONFIG"}),
        ({"pretrained": "absent.safetensors", "vision_backbone": "resnet18"}, {"WEIGHTS_UNAVAILABLE"}),
        ({"device": "cuda:7", "label_column": "absent"}, {"DEVICE_UNAVAILABLE", "COLUMN_NOT_FOUND"}),
    ],
)  # fmt: skip
def test_what_the_training_would_fail_of_is_found_all_at_once(study, tmp_path, options, codes):
    monitor = options.pop("monitor", None)
    spec = write_spec(tmp_path / "run", study, **{"vision_backbone": "none", **OPTIONS, **options})
    if monitor is not None:
        document = json.loads(spec.read_text())
        document["config"]["training"]["early_stopping"]["monitor"] = monitor
        spec.write_text(json.dumps(document))
    found = checked(spec)
    assert {issue["code"] for issue in found["issues"]} == codes
    for issue in found["issues"]:
        assert issue["message"] and issue["details"]


def test_image_files_that_are_not_there_are_counted(study, tmp_path):
    rows = (study / "train.csv").read_text().splitlines()
    folder = tmp_path / "data"
    folder.mkdir()
    rows[3] = rows[3].replace(rows[3].split(",")[0], "absent.png")
    (folder / "train.csv").write_text("\n".join(rows))
    spec = write_spec(tmp_path / "run", folder, **OPTIONS, image_root=str(study), vision_backbone="resnet18")
    (issue,) = checked(spec)["issues"]
    assert (issue["code"], "row 4" in issue["message"], issue["message"].startswith("1 image file is")) == (
        "IMAGES_UNREADABLE", True, True,
    )  # fmt: skip


def test_what_an_inspection_blocks_is_an_issue(study, tmp_path):
    rows = (study / "train.csv").read_text().splitlines()
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "damaged.png").write_bytes((study / rows[1].split(",")[0]).read_bytes()[:60])
    rows[1] = rows[1].replace(rows[1].split(",")[0], str(folder / "damaged.png"))
    (folder / "train.csv").write_text("\n".join(rows))
    (folder / "val.csv").write_text("\n".join([rows[0], rows[5]]))
    options = {**OPTIONS, "image_root": str(study), "vision_backbone": "resnet18", "patient_column": None}
    damaged = write_spec(tmp_path / "damaged", folder, **options)
    messages = {issue["code"]: issue["message"] for issue in checked(damaged)["issues"]}
    assert "train.csv row 2" in messages["IMAGES_UNREADABLE"]
    leaking = write_spec(tmp_path / "leaking", folder, **options, val_csv=str(folder / "val.csv"))
    assert "DATASET_LEAK" in {issue["code"] for issue in checked(leaking)["issues"]}


def without_a_label(work: Workspace, rows: Rows) -> Rows:
    return [{**row, "label": "" if number == 3 else row["label"]} for number, row in enumerate(rows)]


def of_one_class(work: Workspace, rows: Rows) -> Rows:
    return [{**row, "label": "benign"} for row in rows]


def without_an_image(work: Workspace, rows: Rows) -> Rows:
    return [{**row, "image": "" if number == 3 else row["image"]} for number, row in enumerate(rows)]


def with_an_absent_image(work: Workspace, rows: Rows) -> Rows:
    return [{**rows[0], "image": "absent.png"}, *rows[1:]]


def with_a_truncated_volume(work: Workspace, rows: Rows) -> Rows:
    volumes = [f"{number}.nii" for number in range(len(rows))]
    for number, name in enumerate(volumes):
        content = np.random.default_rng(number).integers(0, 9, (6, 6, 6), dtype=np.int16)
        nifti_file(work.folder / name, content)
    first = work.folder / volumes[0]
    first.write_bytes(first.read_bytes()[:-9])
    return [{**row, "image": name} for row, name in zip(rows, volumes, strict=True)]


def with_other_labels_of_an_image(work: Workspace, rows: Rows) -> Rows:
    return [*rows, {**rows[0], "label": "malignant" if rows[0]["label"] == "benign" else "benign"}]


def with_other_inputs_of_an_image(work: Workspace, rows: Rows) -> Rows:
    return [*rows, {**rows[0], "age": 1}]


def with_a_patient_in_two_splits(work: Workspace, rows: Rows) -> Rows:
    return [{**row, "split": "val" if number % 2 else "train"} for number, row in enumerate(rows)]


def without_training_rows(work: Workspace, rows: Rows) -> Rows:
    return [{**row, "split": "val" if number % 2 else "test"} for number, row in enumerate(rows)]


def with_an_unknown_class(work: Workspace, rows: Rows) -> Rows:
    split = [{**row, "split": "val" if number > 17 else "train"} for number, row in enumerate(rows)]
    return [*split[:-1], {**split[-1], "label": "other"}]


@pytest.mark.parametrize(
    "change",
    [
        without_a_label, of_one_class, without_an_image, with_an_absent_image, with_a_truncated_volume,
        with_other_labels_of_an_image, with_other_inputs_of_an_image, with_a_patient_in_two_splits,
        without_training_rows, with_an_unknown_class,
    ],
)  # fmt: skip
def test_each_block_of_an_inspection_is_an_issue(tmp_path: Path, change: Callable[..., Rows]) -> None:
    work = Workspace(tmp_path / "data")
    work.folder.mkdir()
    path = work.table("train.csv", change(work, work.cases(24)))
    absent = dict.fromkeys(("image_root", "label_column", "label_columns", "time_column", "event_column"))
    absent |= dict.fromkeys(("patient_column", "positive_class", "slices"))
    params = {**absent, "path": str(path), "roles": {}, "ignore_columns": [], "roots": [str(work.folder)]}
    assert inspect(params)["readiness"]["status"] == "blocked"
    options = {**OPTIONS, "vision_backbone": "resnet18", "fusion_type": "concatenate"}
    assert checked(write_spec(tmp_path / "run", work.folder, **options))["issues"]


def test_suspected_values_are_warned_of_before_the_start(tmp_path: Path) -> None:
    work = Workspace(tmp_path / "data")
    work.folder.mkdir()
    rows = [
        {
            "weight": -999 if number % 9 == 0 else 60 + number % 23,
            "x": 43831 + number * 13,
            "smoker": ("yes", "no", "Unknown")[number % 3],
            "label": number // 2 % 2,
        }
        for number in range(60)
    ]
    work.table("train.csv", rows)
    found = checked(write_spec(tmp_path / "run", work.folder, **OPTIONS, vision_backbone="none"))
    assert codes(found["data"]["warnings"]) >= {
        "SENTINEL_SUSPECTED", "CATEGORY_MAY_BE_MISSING", "DATES_SUSPECTED",
    }  # fmt: skip


@pytest.mark.slow
def test_memory_grows_with_the_batch_and_the_image_and_not_with_what_is_frozen(study, tmp_path):
    def parts(name: str, **options: Any) -> dict[str, int]:
        changed = {"vision_backbone": "resnet18", "fusion_type": "gated", **OPTIONS, **options}
        found: dict[str, int] = checked(write_spec(tmp_path / name, study, **changed))["memory"]["parts"]
        return found

    small, batch = parts("small"), parts("batch", batch_size=16)
    image, frozen = parts("image", image_size=[64, 64]), parts("frozen", freeze_layers="all")
    assert 1.5 < batch["activations"] / small["activations"] < 2.5
    assert 3 < image["activations"] / small["activations"] < 5
    assert frozen["activations"] < small["activations"] / 10
    assert frozen["gradients"] < small["gradients"] / 10
    assert frozen["weights"] == small["weights"]
