"""A training with baselines: they are part of its validation and of every evaluation."""

import csv
import json
import shutil
import signal

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from medloom_trainer.baselines.fit import fit_baselines
from medloom_trainer.baselines.inputs import reduced_cases
from medloom_trainer.baselines.predict import predict_baselines
from medloom_trainer.baselines.storage import read_baseline, save_baseline
from medloom_trainer.baselines.table import fit_table_baseline
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.schemas import contract
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.jobs.job import run_job
from medloom_trainer.training.distributed.group import Group
from testing.synthetic import configuration, prepared, spec_of

pytestmark = pytest.mark.slow

CLASSIC = ["logistic_regression", "random_forest", "hist_gradient_boosting"]


def job(run_dir, study, *, baselines, config=None, attempt=1, resume_from=None, **changes):
    """Write spec.json and run the job in this process. → its exit code"""
    run_dir.mkdir(exist_ok=True)
    told = config or configuration(
        train_csv=str(study / "train.csv"),
        image_root=str(study),
        patient_column="patient_id",
        val_fraction=0.3,
        device="cpu",
        **{"vision_backbone": "none", "epochs": 1, **changes},
    )
    spec = {
        "schema_version": 1,
        "job_id": "7c0ffee0-0000-4000-8000-000000000001",
        "job_name": "test",
        "attempt": attempt,
        "run_dir": str(run_dir),
        "cache_dir": str(run_dir.parent / "cache"),
        "roots": [str(study)],
        "resume_from": resume_from and str(resume_from),
        "baselines": baselines,
        "config": told,
    }
    (run_dir / "spec.json").write_text(json.dumps(spec))
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        return run_job(run_dir / "spec.json")
    finally:  # a job in this process handles signals; restore the handlers afterwards
        for number, handler in before.items():
            signal.signal(number, handler)


def validation(run_dir):
    result = json.loads((run_dir / "metrics" / "validation.json").read_text())
    Draft202012Validator(contract("evaluation")).validate(result)
    return result


def end_of(run_dir):
    return json.loads((run_dir / "result.json").read_text())


def rows_of(file):
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture(scope="module")
def trained(tmp_path_factory, study):
    run_dir = tmp_path_factory.mktemp("trained") / "run"
    assert job(run_dir, study, baselines=CLASSIC) == 0
    return run_dir


@pytest.mark.slow
def test_validation_has_the_baselines_with_intervals_differences_and_a_verdict(trained):
    result = validation(trained)
    assert [one["name"] for one in result["baselines"]] == CLASSIC
    truth = [row["truth"] for row in rows_of(trained / "metrics" / result["predictions"])]
    for one in result["baselines"]:
        rows = rows_of(trained / "metrics" / one["predictions"])
        assert [row["truth"] for row in rows] == truth
        chances = [float(row["probability_yes"]) for row in rows]
        called = [row["predicted"] == "yes" for row in rows]
        assert called == [chance >= one["threshold"] for chance in chances]
        assert one["metrics"]["auc"] == pytest.approx(
            roc_auc_score(np.array(truth) == "yes", chances), abs=1e-9
        )
        difference = one["differences"]["auc"]
        assert difference["estimate"] == pytest.approx(result["metrics"]["auc"] - one["metrics"]["auc"])
        assert difference["low"] < difference["estimate"] < difference["high"]
        assert one["verdict"]["text"].startswith(
            {"better": "better than ", "worse": "worse than "}.get(
                one["verdict"]["verdict"], "not significantly different from "
            )
            + one["title"]
        )


def test_the_end_of_the_job_names_the_best_baseline(trained):
    result = validation(trained)
    best = max(result["baselines"], key=lambda one: one["metrics"]["auc"])
    assert end_of(trained)["baseline_verdict"] == best["verdict"]
    not_better = [
        one for one in result["baselines"] if one["verdict"]["verdict"] in ("inconclusive", "worse")
    ]
    codes = [found["code"] for found in result["warnings"]]
    assert ("NOT_BETTER_THAN_BASELINE" in codes) == bool(not_better)


def test_phases_tell_of_the_baselines_after_the_last_epoch(trained):
    lines = [json.loads(line) for line in (trained / "events.1.jsonl").read_text().splitlines()]
    phases = [line["phase"] for line in lines if line["type"] == "phase"]
    assert phases[-1] == "baselines"
    assert [line["type"] for line in lines].index("epoch_end") < [line.get("phase") for line in lines].index(
        "baselines"
    )


def evaluated(run_dir, table, out, study):
    return evaluate(
        {
            "checkpoint": str(run_dir / "checkpoints" / "best"),
            "csv": str(table),
            "image_root": str(study),
            "split": "test",
            "out_dir": str(out),
            "failure_images": False,
            "data_dir": str(run_dir.parent),
            "cache_dir": str(out / "cache"),
            "roots": [str(study)],
            "device": "cpu",
            "calibrated": False,
            "importance": None,
            "saliency": False,
        },
        lambda message, fraction: None,
    )


def test_an_evaluation_applies_what_was_fitted(trained, study, tmp_path):
    result = evaluated(trained, study / "train.csv", tmp_path, study)
    Draft202012Validator(contract("evaluation")).validate(result)
    assert [one["name"] for one in result["baselines"]] == CLASSIC
    before = {one["name"]: one["threshold"] for one in validation(trained)["baselines"]}
    for one in result["baselines"]:
        assert one["threshold"] == before[one["name"]]
        assert len(rows_of(tmp_path / one["predictions"])) == result["num_cases"]
        assert one["predictions"] == f"predictions-{one['name']}.csv"


@pytest.mark.parametrize("damage", ["digit", "version", "text", "link"])
def test_a_baseline_that_was_changed_is_left_out_and_said(trained, study, tmp_path, damage):
    run_dir = tmp_path / "run"
    shutil.copytree(trained, run_dir)
    file = RunDirectory(run_dir).baseline_model("random_forest")
    document = json.loads(file.read_text())
    if damage == "digit":
        document["model"]["trees"][0]["values"][0][0] += 1e-6
    if damage == "version":
        document["version"] = 2
    file.write_text("{" if damage == "text" else json.dumps(document))
    if damage == "link":
        file.rename(tmp_path / "outside.json")
        file.symlink_to(tmp_path / "outside.json")
    result = evaluated(run_dir, study / "train.csv", tmp_path / "out", study)
    assert [one["name"] for one in result["baselines"]] == ["logistic_regression", "hist_gradient_boosting"]
    [told] = [found for found in result["warnings"] if found["code"] == "BASELINE_UNAVAILABLE"]
    assert "random forest" in told["message"]
    with pytest.raises(TrainerError) as caught:
        read_baseline(RunDirectory(run_dir), "random_forest", {"train": document["train_digest"]})
    assert caught.value.code == ("PATH_NOT_ALLOWED" if damage == "link" else "CHECKPOINT_CORRUPT")


def test_a_baseline_of_other_training_rows_is_not_shown(trained):
    state = {**state_of(prepared()), "data_digests": {"train": "another"}}
    found, warnings = predict_baselines(trained, state, prepared().val, None)
    assert found == [] and len(warnings) == 3
    assert "different training rows" in warnings[0]["message"]


def state_of(data):
    """The parts of a checkpoint's state that baselines read."""
    return {
        "task": data.task,
        "data_digests": {"train": data.train.digest, "val": data.val.digest},
        "config": {"data": {"validation": None if data.member_folds is None else "folds"}},
    }


def fit(run_dir, data, names, *, control=None, ablations=False, **changes):
    spec = spec_of(run_dir, configuration(vision_backbone="none", **changes))
    spec = type(spec)(**{**vars(spec), "baselines": tuple(names)})
    with Events(run_dir, 1) as events:
        return fit_baselines(
            spec,
            data,
            ablations=ablations,
            epoch=1,
            events=events,
            control=control or Control(run_dir, 1),
            group=Group.alone(),
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "classes"), [("classification", 2), ("classification", 3), ("regression", 2)]
)
def test_every_kind_of_column_and_task_is_read_back(tmp_path, task, classes):
    """Numbers, categories as columns and as codes, and missing values."""
    data = prepared(task=task, classes=classes, num_views=0, train_cases=60)
    assert fit(tmp_path, data, CLASSIC) == []
    found, warnings = predict_baselines(tmp_path, state_of(data), data.val, None)
    assert warnings == []
    for one in found:
        fitted = fit_table_baseline(one.name, data, 0).baseline
        assert np.array_equal(one.predictions, fitted.predict(data.val))
        assert one.threshold == fitted.threshold
        assert (one.threshold is None) == (classes == 3 or task == "regression")
    titles = {"classification": "logistic regression", "regression": "ridge regression"}
    assert found[0].title == titles[task]


def test_logistic_regression_reads_values_codes_and_gaps(tmp_path):
    """Same as scikit-learn on the matrix written out here."""
    data = prepared(num_views=0, train_cases=60)
    fitted = fit_table_baseline("logistic_regression", data, 0).baseline

    def matrix(cases):
        numbers = (cases.values[:, [0]] - data.train.values[:, 0].astype(float).mean()) / data.train.values[
            :, 0
        ].astype(float).std()
        ward = cases.codes[:, [0]] == np.arange(5)
        return np.hstack([numbers, cases.values[:, 1:], ward, cases.present])

    strength = float(fitted.settings.split(" = ")[1].split(" ")[0])
    reference = LogisticRegression(C=strength, max_iter=2000).fit(matrix(data.train), data.train.labels)
    assert fitted.predict(data.val) == pytest.approx(reference.predict_proba(matrix(data.val)), abs=1e-9)


def test_a_baseline_that_cannot_be_fitted_is_a_warning(tmp_path):
    data = prepared(num_views=0)
    data.train.labels[:] = 1
    [first, second] = fit(tmp_path, data, ["logistic_regression", "random_forest"])
    assert first["code"] == "BASELINE_UNAVAILABLE"
    assert "all training rows have the same class" in first["message"]
    assert "(random_forest)" in second["message"]


def test_a_stop_is_obeyed(tmp_path):
    (tmp_path / "control.1.json").write_text('{"request": "stop"}')
    warnings = fit(tmp_path, prepared(num_views=0), CLASSIC)
    assert len(warnings) == 3 and not (tmp_path / "baselines").exists()


def test_an_older_attempt_replaces_no_baseline_of_a_newer_one(tmp_path):
    directory = RunDirectory(tmp_path)
    save_baseline(AttemptFence(directory, 2), "random_forest", {"train": "digest"}, {"settings": "new"})
    with pytest.raises(TrainerError) as caught:
        save_baseline(AttemptFence(directory, 1), "random_forest", {"train": "digest"}, {"settings": "old"})
    assert caught.value.code == "WORKER_LOST"
    assert read_baseline(directory, "random_forest", {"train": "digest"})["settings"] == "new"


@pytest.mark.slow
def test_a_resume_may_have_other_baselines(trained, study, tmp_path):
    run_dir = tmp_path / "resumed"
    config = json.loads((trained / "spec.json").read_text())["config"]
    config["training"]["epochs"] = 2
    last = trained / "checkpoints" / "last"
    assert job(run_dir, study, baselines=["random_forest"], config=config, resume_from=last) == 0
    assert [one["name"] for one in validation(run_dir)["baselines"]] == ["random_forest"]


def test_an_image_alone_has_none_of_the_table_and_the_table_none_of_the_image():
    data = prepared(num_views=2)
    image, store = reduced_cases("image_only", data.val, data.store)
    assert image.values.shape == image.present.shape == (12, 0)
    assert image.slots is data.val.slots and store is data.store
    table, nothing = reduced_cases("table_only", data.val, data.store)
    assert (table.slots, nothing) == (None, None)
    assert table.values is data.val.values
